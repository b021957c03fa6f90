import { setTimeout } from 'node:timers/promises'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { Pace } from 'palimpsest/internals/finding/pace'
import type { Message, MessageInput } from 'palimpsest/internals/log/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Policy } from 'palimpsest/internals/policy/index'
import type { Redact } from 'palimpsest/internals/redaction/index'
import { mapInSteps, redactContent } from 'palimpsest/internals/redaction/redact-records'
import { runInSlices } from 'palimpsest/internals/redaction/steps'
import type { AppendOptions, Session } from 'palimpsest/internals/session'
import { bestLaid, type Family, familyOf, nextForkId } from './family.ts'
import { type Print, Prints } from './fingerprint.ts'
import { type Comparing, type Laid, layOnto, MARK, MORE_OF_OURS, readEnd } from './history.ts'
import { inPieces } from './in-pieces.ts'
import type { NamedSession } from './named-session.ts'
import type { Sent } from './read-messages.ts'
import { repliesToRepeat } from './repeats.ts'
import { namesOfCalls, renamedCalls, withOurCalls } from './tool-ids.ts'

export interface StoreRequest {
  readonly named: NamedSession
  readonly messages: readonly Sent[]
  /** How many of the messages there are up to and with the last reply. 0: there is no reply. */
  readonly answered: number
  /** `whole` helps only if the list has a reply. Without a reply nothing anchors it, so all of it is new. */
  readonly history: 'whole' | 'new'
  /** The client says that this is a retry. */
  readonly isRetry: boolean
  /** The policy that judges what is stored now. */
  readonly policy: Policy | null
  /** What the log removes from messages. Messages are compared without it. */
  readonly redact: Redact | false
  /** The key from which the ids of forks follow. No client knows it. */
  readonly forkKey: () => Promise<string>
  /** Called with the seq of the last message: the message to answer. */
  readonly onStored?: (seq: number) => void
}

/** The most messages that a session takes in one append. */
const MAX_AT_ONCE = 1_000
/**
 * How often another process may win the race, and how long this process waits then. The wait is random, so
 * that processes do not retry together.
 */
const MAX_TRIES = 20
const PAUSE_MS = { least: 5, most: 50 }

const RACES: readonly string[] = [
  'history_conflict',
  'session_exists',
  // Another request made the session with other traits. From then on the headers no longer describe it.
  'session_mismatch',
  'message_conflict',
  'epoch_conflict',
]

/**
 * Aligns the list with the log and adds the new messages. Gives the session that
 * they went to: the named one, or a fork.
 */
export async function storeRequest(palimpsest: Palimpsest, request: StoreRequest): Promise<Session> {
  const comparing = { prints: new Prints(), pace: new Pace() }
  const theirs = await printsOf(request, comparing)
  const isWhole = request.history === 'whole' && request.answered > 0
  // The list may hold messages that are erased during the comparison. A bound session makes sure that they
  // are stored in the session that was found, or nowhere.
  const seen = await palimpsest.session(request.named.id).bound()
  for (let tries = 1; ; tries++)
    try {
      const named = await openNamed(palimpsest, request.named, seen)
      return isWhole
        ? await storeWhole({ palimpsest, named }, request, { theirs, ...comparing })
        : await storeNew(named, request, { theirs, ...comparing })
    } catch (error) {
      if (!PalimpsestError.isInstance(error) || !RACES.includes(error.code)) throw error
      if (tries === MAX_TRIES) throw tooBusy(request.named.id, error)
      await setTimeout(PAUSE_MS.least + Math.random() * (PAUSE_MS.most - PAUSE_MS.least))
    }
}

function tooBusy(sessionId: string, cause: unknown): PalimpsestError {
  return new PalimpsestError(
    'store_busy',
    'Others write to this session all the time, and were faster at every try. Nothing was stored; send it again.',
    { sessionId },
    { cause },
  )
}

/** The prints of the messages as the log would hold them, after redaction. */
async function printsOf(
  { messages, redact }: StoreRequest,
  { prints, pace }: Comparing,
): Promise<readonly Print[]> {
  const said =
    redact === false
      ? messages
      : await runInSlices(
          mapInSteps(messages, function* (message) {
            return { ...message, content: yield* redactContent(message.content, redact) }
          }),
        )
  return inPieces(said, pace, message => prints.inSteps(message))
}

interface Compared extends Comparing {
  readonly theirs: readonly Print[]
}

async function storeNew(
  session: Session,
  request: StoreRequest,
  { theirs, prints }: Compared,
): Promise<Session> {
  const { messages, isRetry } = request
  const ours = await readEnd(session, Math.min(MAX_AT_ONCE, messages.length + MORE_OF_OURS))
  const now = Date.now()
  const stored = ours.map(message => ({ ...prints.of(message), age: now - message.appendedAt.getTime() }))
  const replies = repliesToRepeat(stored, theirs, { isRetry })
  if (replies === null) await add(session, messages, ours, request)
  else {
    noteStored(ours[ours.length - replies - 1], request)
    await takeBack(session, ours.slice(ours.length - replies), request)
  }
  return session
}

/** The traits in the headers are for a session that has to be made. A session that exists keeps its own. */
async function openNamed(
  palimpsest: Palimpsest,
  { id, options }: NamedSession,
  seen: Session,
): Promise<Session> {
  return (await seen.info()) === null ? palimpsest.session(id, options).bound(seen) : seen
}

async function storeWhole(
  { palimpsest, named }: { readonly palimpsest: Palimpsest; readonly named: Session },
  request: StoreRequest,
  { theirs, ...comparing }: Compared,
): Promise<Session> {
  const { messages, answered } = request
  const family = await familyOf(palimpsest, named)
  if (family === null) {
    await add(named, messages, [], request)
    return named
  }
  const sending = { prints: theirs, answered }
  const laid = await bestLaid(family, (session, options) =>
    layOnto(session, sending, { ...comparing, ...options }),
  )
  return storeLaid(laid, family, request)
}

async function storeLaid(laid: Laid, family: Family, request: StoreRequest): Promise<Session> {
  const { session, outcome, ours, ourEnd } = laid
  const added = addedOf(laid, request)
  switch (outcome) {
    case 'continues':
      if (added.length === 0) noteStored(ours[ourEnd - 1], request)
      await add(session, added, ours, request)
      return session
    case 'asks-again':
      noteStored(ours[ourEnd - 1], request)
      await takeBack(session, ours.slice(ourEnd), request)
      return session
    case 'contradicts': {
      const common = ours.slice(0, ourEnd)
      const id = nextForkId(family, await request.forkKey())
      const fork = await session.fork(id, common.at(-1)?.seq ?? 0, {
        isJudged: request.policy === null,
      })
      await add(fork, added, common, request)
      return fork
    }
  }
}

/** The new messages, with the ids of calls changed to those of the log. */
function addedOf({ ours, anchor, theirEnd }: Laid, { messages, answered }: StoreRequest): readonly Sent[] {
  const added = messages.slice(theirEnd)
  if (anchor === null) return added
  const renamed = renamedCalls(ours[anchor]!.content, messages[answered - 1]!.content)
  return added.map(message => withOurCalls(message, renamed, new Map()))
}

/** Hides the replies; nothing is deleted. The call fails if another process wrote in the meantime. */
async function takeBack(
  session: Session,
  replies: readonly Message[],
  { policy }: StoreRequest,
): Promise<void> {
  if (replies.length > 0) await session.replaceTail([], { expected: replies, ...(policy && { policy }) })
}

/**
 * Adds the messages. Each external id says after which message and in which epoch the message was added. If
 * another process adds there at the same time, an equal message is stored once, and a different one is a
 * conflict. `ours` was read before the epoch, so messages hidden since then have no part in the ids.
 */
async function add(
  session: Session,
  messages: readonly Sent[],
  ours: readonly Message[],
  request: StoreRequest,
): Promise<void> {
  if (messages.length === 0) return
  const { policy } = request
  const epoch = (await session.info())?.epoch ?? 0
  const names = namesOfCalls(ours)
  const inputs = messages.map(
    (message, place): MessageInput => ({
      ...withOurCalls(message, new Map(), names),
      externalId: `${MARK}${epoch}:${ours.at(-1)?.seq ?? 0}:${place}`,
    }),
  )
  const options: AppendOptions = policy ? { policy } : {}
  for (let from = 0; from < inputs.length; from += MAX_AT_ONCE) {
    const { messages } = await session.append(inputs.slice(from, from + MAX_AT_ONCE), options)
    noteStored(messages.at(-1), request)
  }
}

function noteStored(message: { readonly seq: number } | undefined, { onStored }: StoreRequest): void {
  if (message) onStored?.(message.seq)
}
