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
  /** How many of them there are through the last reply; 0: there is none. */
  readonly answered: number
  /** Without a reply there is nothing that a whole history could be known by: all of it is new. */
  readonly history: 'whole' | 'new'
  /** The client says that it tries again. */
  readonly isRetry: boolean
  /** Has its say about what is stored now. */
  readonly policy: Policy | null
  /** What the log takes out of what is said: it is compared without it. */
  readonly redact: Redact | false
  /** What the ids of forks follow from: no client knows it. */
  readonly forkKey: () => Promise<string>
  /** Hears where the last of the messages is in the log: that is what is to be answered. */
  readonly onStored?: (seq: number) => void
}

/** The session's own limit. */
const MAX_AT_ONCE = 1_000
/** How often somebody else may be faster, and how long it is waited then, so that not all are fast at once. */
const MAX_TRIES = 20
const PAUSE_MS = { least: 5, most: 50 }

const RACES: readonly string[] = [
  'history_conflict',
  'session_exists',
  // Another request has made it as something else: from then on the headers say nothing of it.
  'session_mismatch',
  'message_conflict',
  'epoch_conflict',
]

/** Lays what was sent onto the log and adds what is new. Gives the session that it went to: the one named, or a fork. */
export async function storeRequest(palimpsest: Palimpsest, request: StoreRequest): Promise<Session> {
  const comparing = { prints: new Prints(), pace: new Pace() }
  const theirs = await printsOf(request, comparing)
  const isWhole = request.history === 'whole' && request.answered > 0
  // A list may hold what is erased while it is compared: it is stored where it was found, or nowhere.
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

/** As the log would hold them. */
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

/** What the headers say is for a session that has to be made: one that is there is what it is. */
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

/** What is new, with the ids of the calls as they are in the log. */
function addedOf({ ours, anchor, theirEnd }: Laid, { messages, answered }: StoreRequest): readonly Sent[] {
  const added = messages.slice(theirEnd)
  if (anchor === null) return added
  const renamed = renamedCalls(ours[anchor]!.content, messages[answered - 1]!.content)
  return added.map(message => withOurCalls(message, renamed, new Map()))
}

/** Hidden, not deleted. Somebody who wrote meanwhile makes it fail. */
async function takeBack(
  session: Session,
  replies: readonly Message[],
  { policy }: StoreRequest,
): Promise<void> {
  if (replies.length > 0) await session.replaceTail([], { expected: replies, ...(policy && { policy }) })
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
