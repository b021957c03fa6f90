import type { Readable } from 'node:stream'
import { contentText } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { Terminal } from '../terminal.ts'
import type { Chat } from './chat.ts'
import { COMMAND_NAMES } from './commands/index.ts'
import { LinePrompt } from './line-prompt.ts'
import type { ScreenView } from './screen-view.ts'
import { toTypedLine } from './typed-line.ts'

interface Talk {
  readonly chat: Chat
  readonly session: Session
  /** The person at the terminal. */
  readonly user: string
  readonly view: ScreenView
  readonly input: Readable
  readonly screen: Terminal['output']
  /** Aborted when the program is told to end. */
  readonly leaving: AbortSignal
}

const HISTORY_MESSAGES = 500

/** Talks with a person at a screen, until the person leaves. */
export async function talk({ chat, session, user, view, input, screen, leaving }: Talk): Promise<void> {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  let hasLeft = false
  const leave = () => {
    hasLeft = true
    resolve()
  }
  leaving.addEventListener('abort', leave, { once: true })
  let waiting = 0
  let wasHinted = false
  let taken: Promise<unknown> = Promise.resolve()

  /** The prompt comes back when every typed line is done. */
  const take = (line: string) => {
    waiting += 1
    taken = taken.then(async () => {
      if (hasLeft) return
      const goesOn = await chat.take(line)
      if (!goesOn) return leave()
      if (waiting === 1) await chat.quiet()
      waiting -= 1
      if (waiting === 0) prompt.show()
    })
  }
  const interrupt = (typed: string) => {
    if (chat.stop()) return
    if (typed !== '') return prompt.clear()
    if (wasHinted) return leave()
    wasHinted = true
    view.notice('(Ctrl-D or /exit to leave)')
  }
  const prompt = new LinePrompt({
    ...{ input, screen, history: await earlierLines(session, user), commands: COMMAND_NAMES },
    onLine: (line, isSeen) => {
      wasHinted = false
      if (!isSeen && line.trim() !== '') view.queue(line)
      take(line)
    },
    onInterrupt: interrupt,
    onEnd: leave,
  })
  view.setAside(write => prompt.aside(write))
  await Promise.race([chat.quiet(), left])
  if (waiting === 0 && !hasLeft) prompt.show()
  await left
  // Without a prompt a reply is being written, which goes on in its own line.
  if (prompt.isShown) screen.write('\n')
  prompt.hide()
  prompt.close()
}

/** What this person said before, newest first, so that the arrow keys can bring it back. */
async function earlierLines(session: Session, user: string): Promise<readonly string[]> {
  const messages = await session.messages({ from: 'newest', limit: HISTORY_MESSAGES })
  return messages
    .filter(({ role, sender }) => role === 'user' && sender?.id === user)
    .map(({ content }) => toTypedLine(contentText(content)))
    .filter(line => line !== '')
    .toReversed()
}
