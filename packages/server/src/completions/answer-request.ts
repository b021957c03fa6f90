import type { Resolved, SettingValues } from 'palimpsest/internals/config/index'
import { contentText } from 'palimpsest/internals/log/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Policy } from 'palimpsest/internals/policy/index'
import type { Session } from 'palimpsest/internals/session'
import { redactionOf } from '../configuration.ts'
import type { Call } from '../endpoint.ts'
import { reserveOf } from '../output-reserve.ts'
import { invalidArguments } from '../problems.ts'
import type { Answering } from './answering.ts'
import { askedIn } from './asked.ts'
import { checkRoom } from './check-room.ts'
import { MORE_OF_OURS, readEnd } from './history.ts'
import { modelAnswer } from './model-answer.ts'
import { declaredHistory, namedSession } from './named-session.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { type ReadMessages, readMessages, type Sent } from './read-messages.ts'
import { type ChatRequest, overridesIn, refuseUnfit } from './request.ts'
import { searchAnswer } from './search-answer.ts'
import { storeRequest } from './store-request.ts'

type ChatCall = Pick<
  Call<unknown, ChatRequest>,
  'palimpsest' | 'forkKey' | 'settings' | 'body' | 'header' | 'signal' | 'underWay' | 'metrics'
>

/** One queue per instance, since two namespaces may use the same session name. */
const storing = new WeakMap<Palimpsest, OneAtATime>()

/**
 * Stores the new messages of the request and begins the answer. Requests to the
 * same session run one after the other.
 */
export async function answerRequest(call: ChatCall): Promise<Answering> {
  const { palimpsest, forkKey, settings, body, header } = call
  refuseUnfit(body)
  const read = await readMessages(body.messages)
  const named = namedSession(header, body.user)
  // Called for its checks: a bad kind or id is refused even if no session has to be made.
  palimpsest.session(named.id, named.options)
  const { policy = null, resolved } = await settings.forRequest(
    overridesIn(body),
    palimpsest.session(named.id),
  )
  let asked: number | null = null
  const request = {
    named,
    messages: read.messages,
    answered: read.answered,
    history: declaredHistory(header) ?? ('whole' as const),
    isRetry: Number(header('x-stainless-retry-count') ?? 0) > 0,
    policy,
    redact: redactionOf(resolved.values),
    forkKey,
    onStored: (seq: number) => {
      asked = seq
    },
  }
  const given = { read, policy, resolved, current: settings.current, budget: body.budget ?? null }
  const turns = storing.get(palimpsest) ?? new OneAtATime()
  storing.set(palimpsest, turns)
  return turns.run(named.id, async () => {
    if (hasModel(resolved.values))
      await checkRoom(palimpsest.session(named.id), {
        resolved,
        options: { ...contextOptions(given), ...(body.tools && { tools: body.tools }) },
      })
    const session = await storeRequest(palimpsest, request)
    if (read.messages.length === 0 && (await session.count()) === 0)
      throw invalidArguments([
        { field: 'messages', value: body.messages, allowed: 'at least one beside the instructions' },
      ])
    const last = read.messages.at(-1)?.role
    const isAsked = last === 'user' || last === 'tool'
    return begin(session, call, { ...given, asked: isAsked ? asked : null })
  })
}

interface Given {
  /** The seq of the message to answer. `null`: the last message of the session. */
  readonly asked: number | null
  readonly read: ReadMessages
  readonly policy: Policy | null
  readonly resolved: Resolved
  /** The settings without the overrides of this request. */
  readonly current: Resolved
  readonly budget: number | null
}

async function begin(
  session: Session,
  { body, signal, underWay, metrics }: ChatCall,
  given: Given,
): Promise<Answering> {
  const { read } = given
  const { values } = given.resolved
  const { policy, asked } = given
  if (!hasModel(values)) return searchAnswer(session, { zone: values.zone, policy, asked, signal, underWay })
  const query = await questionOf(session, read.messages)
  return modelAnswer(session, {
    body,
    values,
    signal,
    underWay,
    onEnd: metrics.answered.bind(metrics),
    turnOptions: {
      ...contextOptions(given),
      ...(asked !== null && { throughSeq: asked }),
      ...(policy && { appendPolicy: policy }),
      ...(read.reminder !== '' && { reminder: read.reminder }),
      ...(query !== '' && { query }),
    },
  })
}

function contextOptions({ read, policy, resolved, current, budget }: Omit<Given, 'asked'>) {
  return {
    ...(read.instructions !== '' && { instructions: read.instructions }),
    // Some providers insist on reasoning parts. To send them at one time and not at
    // another would break the prompt cache.
    reasoning: 'keep' as const,
    ...(policy && { policy }),
    ...(budget !== null && { budget }),
    ...reserveOf(resolved, current),
  }
}

function hasModel(values: SettingValues): values is SettingValues & { readonly model: string } {
  return values.model !== null
}

/**
 * What the user asked, as a query: older messages that may answer it are recalled. A list that ends with tool
 * results may lack the question, so it is then read from the log.
 */
async function questionOf(session: Session, messages: readonly Sent[]): Promise<string> {
  const inList = askedIn(messages)
  const isInLog = inList.length === 0 && messages.at(-1)?.role === 'tool'
  const asked = isInLog ? askedIn(await readEnd(session, MORE_OF_OURS)) : inList
  return asked
    .map(({ content }) => contentText(content))
    .join('\n')
    .trim()
}
