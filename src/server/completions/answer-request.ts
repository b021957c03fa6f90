import type { Resolved, SettingValues } from '../../config/index.ts'
import { contentText } from '../../log/index.ts'
import type { Palimpsest } from '../../palimpsest.ts'
import type { Policy } from '../../policy/index.ts'
import type { Session } from '../../session.ts'
import { redactionOf } from '../configuration.ts'
import type { Call } from '../endpoint.ts'
import { reserveOf } from '../output-reserve.ts'
import { invalidArguments } from '../problems.ts'
import type { Answering } from './answering.ts'
import { modelAnswer } from './model-answer.ts'
import { declaredHistory, namedSession } from './named-session.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { type ReadMessages, readMessages, type Sent } from './read-messages.ts'
import { type ChatRequest, overridesIn, refuseUnfit } from './request.ts'
import { searchAnswer } from './search-answer.ts'
import { storeRequest } from './store-request.ts'

type ChatCall = Pick<Call<unknown, ChatRequest>, 'palimpsest' | 'settings' | 'body' | 'header' | 'signal'>

/** Per instance: a session's name is its own in each namespace. */
const storing = new WeakMap<Palimpsest, OneAtATime>()

/** Stores what is new of the request, and begins the answer: one after the other in each session. */
export async function answerRequest(call: ChatCall): Promise<Answering> {
  const { palimpsest, settings, body, header } = call
  refuseUnfit(body)
  const read = readMessages(body.messages)
  const named = namedSession(header, body.user)
  const { policy = null, resolved } = settings.forRequest(overridesIn(body))
  const request = {
    named,
    messages: read.messages,
    history: declaredHistory(header) ?? (read.hasReply ? ('whole' as const) : ('new' as const)),
    isRetry: Number(header('x-stainless-retry-count') ?? 0) > 0,
    policy,
    redact: redactionOf(resolved.values),
  }
  const turns = storing.get(palimpsest) ?? new OneAtATime()
  storing.set(palimpsest, turns)
  return turns.run(named.id, async () => {
    const session = await storeRequest(palimpsest, request)
    if (read.messages.length === 0 && (await session.count()) === 0)
      throw invalidArguments([
        { field: 'messages', value: body.messages, allowed: 'at least one beside the instructions' },
      ])
    return begin(session, call, { read, policy, resolved, current: settings.current })
  })
}

interface Given {
  readonly read: ReadMessages
  readonly policy: Policy | null
  readonly resolved: Resolved
  /** Without what holds for this request only. */
  readonly current: Resolved
}

async function begin(
  session: Session,
  { body, signal }: ChatCall,
  { read, policy, resolved, current }: Given,
): Promise<Answering> {
  const { values } = resolved
  if (!hasModel(values)) return searchAnswer(session, { zone: values.zone, signal })
  const query = askedIn(read.messages)
  return modelAnswer(session, {
    body,
    values,
    signal,
    turnOptions: {
      ...(read.instructions !== '' && { instructions: read.instructions }),
      ...(query !== '' && { query }),
      // Some providers insist on the thoughts that led to a call, and some refuse all others.
      reasoning: read.messages.at(-1)?.role === 'tool' ? 'keep' : 'drop',
      ...(policy && { policy }),
      ...(body.budget != null && { budget: body.budget }),
      ...reserveOf(resolved, current),
    },
  })
}

function hasModel(values: SettingValues): values is SettingValues & { readonly model: string } {
  return values.model !== null
}

/** What the user said last: older messages that may answer it are recalled. */
function askedIn(messages: readonly Sent[]): string {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'user')
  return messages
    .slice(lastOther + 1)
    .map(({ content }) => contentText(content))
    .join('\n')
    .trim()
}
