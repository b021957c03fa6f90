import { createRuntime } from '@palimpsest/bot'
import { TerminalChannel } from '@palimpsest/bot/internals/channels/terminal'
import { sessionIdOf } from '@palimpsest/bot/internals/session-id'
import { FoldFailures } from '@palimpsest/server/internals/fold-failures'
import { InvalidArgumentError, SessionMismatchError } from 'palimpsest/internals/errors'
import { ID_RULE, isId } from 'palimpsest/internals/log/index'
import type { ChatFlags } from '../chat.ts'
import { personHere } from '../person.ts'
import { InterruptedError, type Terminal } from '../terminal.ts'
import { answerLines } from './answer-lines.ts'
import { Chat } from './chat.ts'
import { readChatAddress } from './chat-address.ts'
import { chatFailure } from './chat-failure.ts'
import { hasFailed } from './ended-text.ts'
import { greetingLines } from './greeting.ts'
import { JsonView } from './json-view.ts'
import { modelFault, modelProblem } from './model-problem.ts'
import { openChat } from './open-chat.ts'
import { PlainView } from './plain-view.ts'
import { ScreenView } from './screen-view.ts'
import { talk } from './talk.ts'

/** How long the chat waits for more input, so that text that was pasted in pieces is answered together. */
const QUIET_MS = 80
/** Few attempts with short pauses: a person sits at the terminal and waits. */
const ATTEMPTS = 3
const BACKOFF_MS = 1_000

export async function runChat(flags: ChatFlags, terminal: Terminal): Promise<void> {
  const { channel: name, place } = readChatAddress(flags.session)
  if (flags.user !== undefined && !isId(flags.user))
    throw new InvalidArgumentError('--user', flags.user, ID_RULE)
  const input = terminal.input ?? process.stdin
  const screen = !flags.json && input.isTTY && terminal.output.isTTY ? new ScreenView(terminal.output) : null
  const view = screen ?? (flags.json ? new JsonView(terminal) : new PlainView(terminal))
  const note = (error: unknown) => view.notice(modelProblem(error))
  const failures: unknown[] = []
  const foldFailures = new FoldFailures(text => view.notice(text))
  const onFold = foldFailures.note.bind(foldFailures)
  const opened = await openChat(flags, terminal, { onError: note, onFold })
  const { palimpsest, responder, refresh, zone, model } = opened
  const closing = signals()
  try {
    const info = await palimpsest.session(flags.session).info()
    const kind = info?.kind === 'group' ? 'group' : 'private'
    const user = flags.user ?? info?.user ?? sessionIdOf(name, { chat: 'local' })
    // An existing session keeps its kind and its user. Opening it as another person's chat is refused before
    // anything is said.
    const session = palimpsest.session(flags.session, {
      ...(info === null && { kind }),
      ...(kind === 'private' && { user }),
    })
    await session.info()
    opened.setOwner(user)
    const shownName = flags.user ?? personHere().name
    const channel = new TerminalChannel({
      ...{ name, place, kind, output: view.replies, streams: screen !== null },
      sender: { id: 'local', ...(shownName !== null && { name: shownName }) },
    })
    const scope = info?.scope ?? undefined
    let lastFault: string | null = null
    const runtime = createRuntime({
      ...{ palimpsest, channels: [channel], responder, refresh },
      inbox: { quietMs: screen ? QUIET_MS : 0 },
      // The chat has commands of its own, and here `//new` is a message.
      commands: { newBeginning: [] },
      turns: { attempts: ATTEMPTS, backoffMs: BACKOFF_MS, failureText: null },
      belongsTo: () => ({ user, ...(scope !== undefined && { scope }) }),
      onReply: report => {
        lastFault = null
        if (hasFailed(report)) failures.push(report.error)
        channel.endLine()
        view.replyEnded(report)
      },
      onError: error => {
        channel.endLine()
        // An agent's thread is no private chat, but the channel talks to it as one: this mismatch is
        // expected.
        if (error instanceof SessionMismatchError && info?.kind === 'agent') return
        const fault = modelFault(error)
        if (fault !== lastFault) view.notice(`${fault} Trying again …`)
        lastFault = fault
      },
    })
    const chat = new Chat({
      ...{ runtime, channel, view },
      context: {
        ...{ palimpsest, session, user, zone, hasModel: model !== null },
        screen: terminal.output,
      },
      onFailure: error => failures.push(error),
    })
    if (screen) {
      for (const line of greetingLines({ place: opened.place, sessionId: session.id, user, model, info }))
        screen.notice(line)
      terminal.output.write('\n')
    }
    try {
      await runtime.start()
      const { leaving } = closing
      if (screen)
        await talk({ ...{ chat, session, user, view: screen, input, screen: terminal.output, leaving } })
      else await answerLines(chat, { input, leaving })
    } finally {
      await runtime.stop()
      channel.endLine()
    }
  } finally {
    closing.end()
    await palimpsest.close()
  }
  if (closing.leaving.reason instanceof InterruptedError) throw closing.leaving.reason
  if (screen === null && failures.length > 0) throw chatFailure(failures.at(-1))
}

/** The signals that end the program. Ctrl-C at a prompt is not one of them. */
function signals(): { readonly leaving: AbortSignal; end(): void } {
  const controller = new AbortController()
  const onTerminate = () => controller.abort()
  const onInterrupt = () =>
    controller.abort(
      new InterruptedError('Interrupted: what was said is kept, and answered by the next start.'),
    )
  process.once('SIGTERM', onTerminate)
  process.once('SIGINT', onInterrupt)
  const end = () => {
    process.off('SIGTERM', onTerminate)
    process.off('SIGINT', onInterrupt)
  }
  return { leaving: controller.signal, end }
}
