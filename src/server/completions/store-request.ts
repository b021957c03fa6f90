import { PalimpsestError } from '../../errors.ts'
import type { ContentPart, Message, MessageInput } from '../../log/index.ts'
import type { Palimpsest } from '../../palimpsest.ts'
import type { Policy } from '../../policy/index.ts'
import type { Redact } from '../../redaction/index.ts'
import { redactContent } from '../../redaction/redact-records.ts'
import type { AppendOptions, Session } from '../../session.ts'
import { repliesToRepeat } from './align.ts'
import { bestOf, familyOf } from './family.ts'
import { layOnto, MARK, readEnd } from './history.ts'
import type { NamedSession } from './named-session.ts'
import type { Sent } from './read-messages.ts'

export interface StoreRequest {
  readonly named: NamedSession
  readonly messages: readonly Sent[]
  readonly history: 'whole' | 'new'
  /** The client says that it tries again. */
  readonly isRetry: boolean
  /** Has its say about what is stored now. */
  readonly policy: Policy | null
  /** What the log takes out of what is said: it is compared without it. */
  readonly redact: Redact | false
}

/** The session's own limit. */
const MOST_AT_ONCE = 1_000
/** How often somebody else may be faster. */
const MOST_TRIES = 5
/** Beyond what they send: replies that may have followed, and calls that tools answer. */
const MORE_OF_OURS = 20

const RACES: readonly string[] = ['history_conflict', 'session_exists', 'message_conflict', 'epoch_conflict']

/** Lays what was sent onto the log and adds what is new. Gives the session that it went to: the one named, or a fork. */
export async function storeRequest(palimpsest: Palimpsest, request: StoreRequest): Promise<Session> {
  for (let tries = 1; ; tries++)
    try {
      return request.history === 'whole'
        ? await storeWhole(palimpsest, request)
        : await storeNew(palimpsest, request)
    } catch (error) {
      const isRace = PalimpsestError.isInstance(error) && RACES.includes(error.code)
      if (tries === MOST_TRIES || !isRace) throw error
    }
}

async function storeNew(palimpsest: Palimpsest, request: StoreRequest): Promise<Session> {
  const { named, messages, isRetry } = request
  const session = palimpsest.session(named.id, named.options)
  const ours = await readEnd(session, Math.min(MOST_AT_ONCE, messages.length + MORE_OF_OURS))
  const replies = repliesToRepeat(ours, comparable(request), { isRetry })
  if (replies === null) await add(session, messages, ours, request)
  else await takeBack(session, ours.slice(ours.length - replies))
  return session
}

async function storeWhole(palimpsest: Palimpsest, request: StoreRequest): Promise<Session> {
  const { named, messages } = request
  const family = await familyOf(palimpsest, named)
  if (family === null) {
    const session = palimpsest.session(named.id, named.options)
    await add(session, messages, [], request)
    return session
  }
  const theirs = comparable(request)
  const { session, outcome, ours, ourEnd, theirEnd } = bestOf(
    await Promise.all(family.sessions.map(each => layOnto(each, theirs))),
  )
  const added = messages.slice(theirEnd)
  switch (outcome) {
    case 'continues':
      await add(session, added, ours, request)
      return session
    case 'asks-again':
      await takeBack(session, ours.slice(ourEnd))
      return session
    case 'contradicts': {
      const common = ours.slice(0, ourEnd)
      const fork = await session.fork(family.nextId, common.at(-1)?.seq ?? 0)
      await add(fork, added, common, request)
      return fork
    }
  }
}

/** As the log would hold them. */
function comparable({ messages, redact }: StoreRequest): readonly Sent[] {
  if (redact === false) return messages
  return messages.map(message => ({ ...message, content: redactContent(message.content, redact) }))
}

/** Hidden, not deleted. Somebody who wrote meanwhile makes it fail. */
async function takeBack(session: Session, replies: readonly Message[]): Promise<void> {
  if (replies.length > 0) await session.replaceTail([], { expected: replies })
}

/**
 * Each id says after which message and in which epoch it was added: where another process adds there at the same
 * time, the same is stored once, and anything else is a conflict. `ours` was read before the epoch, so that what is
 * hidden since has no part in the ids.
 */
async function add(
  session: Session,
  messages: readonly Sent[],
  ours: readonly Message[],
  { policy }: StoreRequest,
): Promise<void> {
  const epoch = (await session.info())?.epoch ?? 0
  const names = namesOfCalls(ours)
  const inputs = messages.map(
    (message, place): MessageInput => ({
      ...withToolNames(message, names),
      externalId: `${MARK}${epoch}:${ours.at(-1)?.seq ?? 0}:${place}`,
    }),
  )
  const options: AppendOptions = policy ? { policy } : {}
  for (let from = 0; from < inputs.length; from += MOST_AT_ONCE)
    await session.append(inputs.slice(from, from + MOST_AT_ONCE), options)
}

/** Who sends only what is new sends a tool's result without the call. */
function withToolNames(message: Sent, names: ReadonlyMap<string, string>): Sent {
  const { role, content } = message
  if (role !== 'tool' || typeof content === 'string') return message
  return { ...message, content: content.map(part => withToolName(part, names)) }
}

function withToolName(part: ContentPart, names: ReadonlyMap<string, string>): ContentPart {
  if (part.type !== 'tool-result' || part.toolName !== undefined) return part
  const toolName = names.get(part.toolCallId)
  return toolName === undefined ? part : { ...part, toolName }
}

function namesOfCalls(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap(part =>
            part.type === 'tool-call' ? [[part.toolCallId, part.toolName] as const] : [],
          ),
    ),
  )
}
