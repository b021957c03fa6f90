import { eraseMessages, MESSAGES_AT_A_TIME } from './erase-messages.ts'
import { lockSessionById } from './erase-session.ts'
import { type ErasureStep, ownerOf, type Progress, type Slice } from './erasure-slice.ts'
import { type Finish, finishSession } from './finish-session.ts'
import { type Fork, forksOf, originOf, readForks } from './forks.ts'
import { allIn } from './many.ts'
import { ERASED, type SessionRow } from './rows.ts'
import { findSession } from './session.ts'
import { all, first, run, type Steps } from './steps.ts'
import { holdsErased } from './unindex.ts'

/** Messages that several sessions share, because some sessions were forked from others. */

/** Two rows are the same message. A fork copies a message as it is, and these columns never change. */
const IS_SAME = 'a.seq = b.seq AND a.at = b.at AND a.lag = b.lag AND a.role = b.role'

interface FamilyCursor {
  /** The session that the request named. */
  readonly session: number
  /**
   * Relatives still to visit; the first is visited now. `through`: the last message that a relative may
   * share.
   */
  readonly queue: readonly Fork[]
  /** Relatives that were visited or are in the queue. */
  readonly known: readonly number[]
  /** How many of the messages are done in the first session of the queue, and the oldest one erased there. */
  readonly offset: number
  readonly oldest: number | null
  readonly finish: Finish | null
}

/**
 * Erases messages from the session, from the session that it was forked from, and from all forks of either.
 */
export const eraseFromFamily: ErasureStep = function* (slice, cursor) {
  const at = fillCursor(cursor as { session: number } | FamilyCursor)
  if (at.finish !== null) {
    const finish = yield* finishSession(at.finish, slice)
    return { next: { ...at, finish } }
  }
  const [relative, ...queue] = at.queue
  if (!relative) return 'done'
  const skip = { ...at, queue, offset: 0, oldest: null }
  const session = yield* lockSessionById(relative.id, slice)
  if (!session) return { next: skip }
  const seqs = wantedSeqs(slice).filter(seq => seq <= relative.through)
  const batch = seqs.slice(at.offset, at.offset + MESSAGES_AT_A_TIME)
  const same = session.id === at.session ? batch : yield* sameSeqs(session, at.session, batch)
  const erased = yield* eraseMessages(session, same, slice)
  const oldest = at.oldest ?? (erased.messages > 0 ? same[0]! : null)
  const isBatchDone = same.every(seq => seq <= erased.through)
  const done = isBatchDone ? batch.length : batch.filter(seq => seq <= erased.through).length
  if (at.offset + done < seqs.length) return { next: { ...at, offset: at.offset + done, oldest } }
  // Only now: until the last message was erased, another fork could be made.
  const relatives = (yield* relativesOf(session, relative, slice)).filter(({ id }) => !at.known.includes(id))
  if (oldest !== null && session.id !== at.session) slice.count('forks', 1)
  return {
    next: {
      ...skip,
      queue: [...queue, ...relatives],
      known: [...at.known, ...relatives.map(({ id }) => id)],
      finish: yield* beginFinish(session, oldest),
    },
  } satisfies Progress
}

/** If nothing was erased here, another erasure may have done it first and may not have finished the index. */
function* beginFinish(session: SessionRow, oldest: number | null): Steps<Finish | null> {
  if (oldest !== null) return { session: session.id, from: oldest, through: oldest }
  if (!(yield* holdsErased(session))) return null
  return { session: session.id, from: Number.MAX_SAFE_INTEGER, through: Number.MAX_SAFE_INTEGER }
}

function fillCursor(cursor: { session: number } | FamilyCursor): FamilyCursor {
  if ('queue' in cursor) return cursor
  const { session } = cursor
  const queue = [{ id: session, through: Number.MAX_SAFE_INTEGER }]
  return { session, queue, known: [session], offset: 0, oldest: null, finish: null }
}

function wantedSeqs({ target }: Slice): readonly number[] {
  return target.kind === 'messages' ? [...new Set(target.seqs)].sort((a, b) => a - b) : []
}

function* sameSeqs(session: SessionRow, original: number, seqs: readonly number[]): Steps<readonly number[]> {
  const rows = yield* allIn<{ seq: number }>(
    `SELECT b.seq FROM messages a JOIN messages b ON ${IS_SAME}
     WHERE a.session_id = ?1 AND b.session_id = ?2 AND b.seq IN (*)`,
    [original, session.id],
    seqs,
  )
  return rows.map(({ seq }) => seq).sort((a, b) => a - b)
}

function* relativesOf(session: SessionRow, { through }: Fork, slice: Slice): Steps<readonly Fork[]> {
  const forks = yield* forksOf(session, slice)
  const origin = originOf(session)
  const parent = origin && (yield* findSession({ namespace: slice.namespace, id: origin.sessionId }))
  return [
    ...forks.map(fork => ({ id: fork.id, through: Math.min(through, fork.through) })),
    ...(parent ? [{ id: parent.id, through: Math.min(through, origin.seq) }] : []),
  ]
}

/**
 * Which sessions share the messages, for a list outside the database. A session that was forked after a
 * backup is not in that backup, but the session that it was forked from is. The named session comes first.
 */
export function* readFamily(
  namespace: string,
  { sessionId, seqs }: { readonly sessionId: string; readonly seqs: readonly number[] },
): Steps<readonly { readonly sessionId: string; readonly seqs: readonly number[] }[]> {
  const named = yield* findSession({ namespace, id: sessionId })
  if (!named) return [{ sessionId, seqs }]
  const family: { sessionId: string; seqs: readonly number[] }[] = []
  const queue: { session: SessionRow; through: number }[] = [
    { session: named, through: Number.MAX_SAFE_INTEGER },
  ]
  const known = new Set([named.id])
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { session, through } = next
    const wanted = seqs.filter(seq => seq <= through)
    const same = session.id === named.id ? wanted : yield* sameSeqs(session, named.id, wanted)
    if (same.length === 0) continue
    family.push({ sessionId: session.name, seqs: same })
    for (const relative of yield* readRelatives(session, through)) {
      if (known.has(relative.session.id)) continue
      known.add(relative.session.id)
      queue.push(relative)
    }
  }
  return family
}

function* readRelatives(
  session: SessionRow,
  through: number,
): Steps<readonly { readonly session: SessionRow; readonly through: number }[]> {
  const { namespace } = session
  const relatives: { session: SessionRow; through: number }[] = []
  for (const { name, origin } of yield* readForks(session, 1)) {
    const fork = yield* findSession({ namespace, id: name })
    if (fork) relatives.push({ session: fork, through: Math.min(through, originOf({ origin })!.seq) })
  }
  const origin = originOf(session)
  const parent = origin && (yield* findSession({ namespace, id: origin.sessionId }))
  if (parent) relatives.push({ session: parent, through: Math.min(through, origin.seq) })
  return relatives
}

interface ForksCursor {
  /** The hidden session whose forks are visited now. */
  readonly session: number
  readonly queue: readonly (Fork & { readonly isDirect: boolean })[]
  /** For the first session of the queue: how far it was read, and the oldest message that was erased. */
  readonly seq: number
  readonly oldest: number | null
  readonly finish: Finish | null
}

const NO_FORKS: ForksCursor = { session: 0, queue: [], seq: 0, oldest: null, finish: null }

/** Forks of sessions that are erased whole lose the messages that they took, and keep their own. */
export const eraseFromForks: ErasureStep = function* (slice, cursor) {
  const at = (cursor ?? NO_FORKS) as ForksCursor
  if (at.finish !== null) {
    const finish = yield* finishSession(at.finish, slice)
    return { next: { ...at, finish } }
  }
  const [fork, ...queue] = at.queue
  if (!fork) {
    const next = yield* nextHidden(at.session, slice)
    if (next === null) return cursor === null ? 'nothing' : 'done'
    const forks = yield* forksOf(next, slice)
    return {
      next: { ...NO_FORKS, session: next.id, queue: forks.map(each => ({ ...each, isDirect: true })) },
    }
  }
  const skip = { ...at, queue, seq: 0, oldest: null }
  const session = yield* lockSessionById(fork.id, slice)
  if (!session) return { next: skip }
  const seqs = yield* takenFrom(at.session, session, { after: at.seq, through: fork.through })
  const { through } = yield* eraseMessages(session, seqs, slice)
  const oldest = at.oldest ?? seqs[0] ?? null
  if (seqs.length === MESSAGES_AT_A_TIME || seqs.some(seq => seq > through))
    return { next: { ...at, seq: through, oldest } }
  if (fork.isDirect) yield* run('UPDATE sessions SET origin = NULL WHERE id = ?1', session.id)
  if (oldest !== null) slice.count('forks', 1)
  const further = (yield* forksOf(session, slice)).map(({ id, through }) => ({
    id,
    through: Math.min(through, fork.through),
    isDirect: false,
  }))
  return {
    next: {
      ...skip,
      queue: [...queue, ...further],
      finish: yield* beginFinish(session, oldest),
    },
  } satisfies Progress
}

function* nextHidden(after: number, slice: Slice): Steps<SessionRow | null> {
  const row = yield* first<SessionRow>(
    `SELECT id, namespace, name FROM sessions WHERE ready > 1 AND id > ?2 AND lease_owner = ?1
     ORDER BY id LIMIT 1`,
    ownerOf(slice),
    after,
  )
  return row ?? null
}

function* takenFrom(
  original: number,
  session: SessionRow,
  { after, through }: { after: number; through: number },
): Steps<readonly number[]> {
  const rows = yield* all<{ seq: number }>(
    `SELECT b.seq FROM messages a JOIN messages b ON ${IS_SAME}
     WHERE a.session_id = ?1 AND b.session_id = ?2 AND b.format <> ${ERASED} AND a.seq > ?3 AND a.seq <= ?4
     ORDER BY a.seq LIMIT ${MESSAGES_AT_A_TIME}`,
    original,
    session.id,
    after,
    through,
  )
  return rows.map(({ seq }) => seq)
}
