import {
  CursorConflictError,
  EpochConflictError,
  InvalidArgumentError,
  LeaseLostError,
} from '../../errors.ts'
import { isReplaceable, isToCome, type Memo, type NewSegment } from '../../log/index.ts'
import { type Decision, type FoldState, type Head, policyFor, stateAfterFold } from '../../policy/index.ts'
import type {
  Chapter,
  FoldCommit,
  FoldReceipt,
  FoldStore,
  Judged,
  Lease,
  SessionKey,
  Warn,
} from '../store.ts'
import { readChapter } from './beginnings.ts'
import { inheritOutdated } from './corrections.ts'
import { lockDocuments } from './document-locks.ts'
import { writeDocuments } from './documents.ts'
import type { Dialect } from './driver.ts'
import { recordEvent } from './events.ts'
import { keepFoldReceipt, readFoldReceipt, type StoredReceipt } from './fold-receipts.ts'
import { readFoldState, readShown, turnsThrough, writeFoldState } from './fold-state.ts'
import { readHead } from './head.ts'
import { judgeAgain, judgeHead, judgeOnce, settleVerdict, severest } from './judge.ts'
import { keyOf } from './keys.ts'
import { idsRolledInto } from './lower-segments.ts'
import { allIn } from './many.ts'
import { packDays } from './pack-documents.ts'
import { columnsOfSegment, packSegments } from './pack-segments.ts'
import { isUntouchedThrough, trimRewrites } from './rewrites.ts'
import { peopleColumn, type SessionRow, settingsOf, toDecision, toKey } from './rows.ts'
import { all, enqueueFold, first, run, type Steps } from './steps.ts'
import { readVisible } from './visible.ts'

export function* acquireLease(
  session: SessionRow,
  { owner, ttlMs, now, policy, once }: Parameters<FoldStore['acquireLease']>[1],
  warn: Warn,
): Steps<Lease | null> {
  if (session.lease_owner !== null && isToCome(session.lease_until ?? 0, { now, longestMs: ttlMs }))
    return null
  const judges = once ? judgeOnce : judgeAgain
  const judged = policy === undefined ? null : yield* judges(session, { policy, now }, warn)
  const token = session.lease_token + 1
  const until = now + ttlMs
  // Judging may have repaired a cursor that made no sense. A repair begins a new epoch.
  const { epoch } = (yield* first<{ epoch: number }>(
    'UPDATE sessions SET lease_token = ?2, lease_owner = ?3, lease_until = ?4 WHERE id = ?1 RETURNING epoch',
    session.id,
    token,
    owner,
    until,
  ))!
  return { token, epoch, until, settings: settingsOf(session), pending: toDecision(session.pending), judged }
}

export function* renewLease(
  session: SessionRow,
  { token, ttlMs, now }: { token: number; ttlMs: number; now: number },
): Steps<void> {
  checkLease(session, token)
  yield* run('UPDATE sessions SET lease_until = ?2 WHERE id = ?1', session.id, now + ttlMs)
}

export function* releaseLease(session: SessionRow, token: number): Steps<void> {
  if (session.lease_token !== token) return
  yield* run('UPDATE sessions SET lease_owner = NULL, lease_until = NULL WHERE id = ?1', session.id)
}

/** The token alone decides. A lease that ran out still holds if no other process has taken it since. */
export function checkLease(session: SessionRow, token: number): void {
  if (session.lease_token !== token || session.lease_owner === null)
    throw new LeaseLostError(session.name, token)
}

export function* commitFold(
  session: SessionRow,
  commit: FoldCommit,
  { dialect, warn }: { dialect: Dialect; warn: Warn },
): Steps<FoldReceipt> {
  const { documents = [] } = commit
  yield* lockDocuments(
    documents.map(({ key }) => key),
    dialect,
  )
  const earlier = yield* readFoldReceipt(session, commit.operationId)
  if (earlier) return { ...earlier, repeated: true, judged: null }
  const newest = yield* readHead(session)
  const state = yield* readFoldState(session, newest, warn)
  checkLease(session, commit.leaseToken)
  yield* checkUnchanged(session, state.compactedThrough, commit)

  if (state.compactedThrough === 0) yield* putAside(session, commit)
  yield* trimRewrites(session)
  yield* checkSegments(session, commit, yield* readChapter(session, state.compactedThrough))
  const segmentIds = yield* insertSegments(session, commit)
  if (commit.memo) yield* replaceMemo(session, commit.memo)
  yield* writeDocuments(documents)
  if (documents.length > 0) yield* packDays(session.id, dialect)
  const { tokens: segmentTokens } = yield* readShown(session)
  const { plan, head, now } = commit
  const planned = stateAfterFold(state, plan, { head, at: now, segmentTokens })
  // Counted from the log as it is now: a turn may have gone on, or a turn between the range and the next
  // message may have been erased.
  const turns = yield* turnsThrough(session, planned.compactedThrough, newest)
  const folded = plan.range ? { ...planned, folded: { ...planned.folded, turns } } : planned
  yield* writeFoldState(session, folded)
  const left = yield* judgeRest(session, commit, { head: newest, state: folded })
  yield* run(
    `UPDATE sessions SET failures = ?2, last_outcome = ?3, pending = ?4, due_at = ?5, lease_owner = NULL,
       lease_until = NULL WHERE id = ?1`,
    session.id,
    plan.decision.meta['extractive'] === true ? session.failures : 0,
    JSON.stringify({ ...commit.outcome, segmentId: segmentIds[0] ?? null }),
    left.pending,
    left.dueAt,
  )
  yield* recordEvent({
    sessionId: session.id,
    type: 'fold-committed',
    at: now,
    fromSeq: plan.range?.fromSeq ?? null,
    toSeq: plan.range?.toSeq ?? null,
    data: {
      ...figuresOf(commit.outcome),
      type: plan.decision.type,
      reason: plan.decision.reason,
      segmentIds,
      throughSeq: head.seq,
    },
  })
  const receipt: StoredReceipt = { segmentIds, epoch: session.epoch + 1 }
  yield* keepFoldReceipt(session, commit.operationId, receipt)
  return { ...receipt, repeated: false, judged: left.judged }
}

/**
 * What waits after a fold. A trigger with another reason that came meanwhile stays. The policy is asked
 * again.
 */
function* judgeRest(
  session: SessionRow,
  { plan, policy, now }: FoldCommit,
  { head, state }: { head: Head | null; state: FoldState },
): Steps<{ pending: string | null; dueAt: number | null; judged: Judged | null }> {
  const waiting = toDecision(session.pending)
  const isCarriedOut = waiting?.type === plan.decision.type && waiting.reason === plan.decision.reason
  const rest = isCarriedOut ? null : session.pending
  const isBuiltIn = policy !== undefined && policyFor(settingsOf(session), policy).judges.length === 0
  if (!isBuiltIn || head === null) return { pending: rest, dueAt: session.due_at, judged: null }
  const left = settleVerdict(rest, yield* judgeHead(session, { head, state, policy, now }))
  // If this is part of carrying out a job, that job is there already.
  if (rest === null && left.pending !== null)
    yield* enqueueFold({ namespace: session.namespace, id: session.name })
  return left
}

function* checkUnchanged(
  session: SessionRow,
  cursor: number,
  { expectedEpoch, plan, head, segments }: FoldCommit,
): Steps<void> {
  const sessionId = session.name
  const isWindow = segments.some(({ windowThrough }) => windowThrough !== undefined)
  // The process that chose a window had read all raw messages.
  const lastRead = plan.range === null || isWindow ? head.seq : plan.range.toSeq
  const isUntouched = session.epoch === expectedEpoch || isUntouchedThrough(session, lastRead, expectedEpoch)
  if (!isUntouched)
    throw new EpochConflictError({ sessionId, expected: expectedEpoch, actual: session.epoch })
  if (plan.range === null) return
  // Hidden messages may lie between the cursor and the range, but no visible ones.
  const [oldest] = yield* readVisible<{ seq: number }>(session, {
    columns: 'seq',
    tables: 'messages',
    after: cursor,
    through: plan.range.toSeq,
    limit: 1,
    from: 'oldest',
  })
  if (plan.range.fromSeq !== oldest?.seq)
    throw new CursorConflictError({ sessionId, expected: plan.range.fromSeq - 1, actual: cursor })
}

/**
 * Puts aside segments that a cursor which made no sense has left without a range. The new segments stand for
 * their messages.
 */
function* putAside(session: SessionRow, { segments }: FoldCommit): Steps<void> {
  if (segments.length === 0) return
  yield* run(
    `UPDATE segments SET rolled_into = (SELECT max(id) + 1 FROM segments WHERE session_id = ?1)
     WHERE session_id = ?1 AND rolled_into IS NULL`,
    session.id,
  )
}

interface StoredSegment {
  readonly id: number
  readonly from_seq: number
  readonly to_seq: number
  readonly level: number
  readonly state: string
  readonly summarizer: string
  readonly message_count: number
  readonly window_through: number | null
}

function mayBeReplaced({ level, state, summarizer, ...row }: StoredSegment): boolean {
  const { message_count: messageCount, window_through: windowThrough } = row
  return isReplaceable({ level, state, summarizer, messageCount, windowThrough })
}

interface Place {
  readonly id: number
  readonly fromSeq: number
  readonly toSeq: number
}

/**
 * After the commit, the shown segments must cover every message of the chapter exactly once. Segments of
 * level 1 cover the range. They may begin before it only if they stand for the replaceable segments there.
 * Segments of a higher level cover exactly the neighbouring segments that they stand for. A window stands for
 * all of them, and for the range if there is one.
 */
function* checkSegments(
  session: SessionRow,
  { plan, segments }: FoldCommit,
  { afterSeq, throughSeq }: Chapter,
): Steps<void> {
  if (segments.length === 0 && plan.range === null) return
  if (throughSeq !== null && (plan.range?.toSeq ?? 0) > throughSeq) throw misplaced(segments)
  const stored = yield* all<StoredSegment>(
    `SELECT id, from_seq, to_seq, level, state, summarizer, message_count, window_through FROM segments
     WHERE session_id = ?1 AND rolled_into IS NULL AND to_seq > ?2 ORDER BY from_seq`,
    session.id,
    afterSeq,
  )
  if (segments.some(({ window }) => window)) {
    if (!isWholeWindow(segments, stored, plan.range)) throw misplaced(segments)
    return
  }
  const isLower = ({ level }: NewSegment) => level === 1
  const lower = segments.filter(isLower)
  const superseded = stored.filter(({ id }) => lower.some(({ absorbs }) => absorbs.includes(id)))
  const untouched = stored.length - superseded.length
  // Even if no raw message is folded, replaceable segments may be made again.
  const toSeq = plan.range?.toSeq ?? superseded.at(-1)?.to_seq
  const isCovered =
    lower.length > 0 &&
    segments.slice(0, lower.length).every(isLower) &&
    lower.flatMap(({ absorbs }) => absorbs).length === superseded.length &&
    superseded.every((row, index) => row === stored[untouched + index] && mayBeReplaced(row)) &&
    lower[0]!.fromSeq === (superseded[0]?.from_seq ?? plan.range?.fromSeq) &&
    lower.at(-1)!.toSeq === toSeq &&
    lower.every(
      ({ fromSeq, toSeq }, index) => fromSeq <= toSeq && fromSeq > (lower[index - 1]?.toSeq ?? 0),
    ) &&
    // A segment is absorbed by the first new one that covers any of it. So a rollback that removes that one
    // removes the others too.
    superseded.every(({ id, from_seq }) =>
      lower.some(
        ({ absorbs, fromSeq, toSeq }) => absorbs.includes(id) && fromSeq <= from_seq && from_seq <= toSeq,
      ),
    )
  if (!isCovered) throw misplaced(lower)
  let shown: readonly Place[] = [
    ...stored.slice(0, untouched).map(row => ({ id: row.id, fromSeq: row.from_seq, toSeq: row.to_seq })),
    ...lower.map(({ fromSeq, toSeq }, index) => ({ id: -(index + 1), fromSeq, toSeq })),
  ]
  for (const [index, segment] of segments.entries()) {
    if (isLower(segment)) continue
    const absorbed = shown.filter(({ id }) => segment.absorbs.includes(id))
    if (absorbed.length !== segment.absorbs.length || !coversWhole(segment, absorbed, shown))
      throw misplaced([segment])
    const { fromSeq, toSeq } = segment
    const others = shown.filter(place => !absorbed.includes(place))
    shown = [...others, { id: -(index + 1), fromSeq, toSeq }].sort((a, b) => a.fromSeq - b.fromSeq)
  }
}

function isWholeWindow(
  segments: FoldCommit['segments'],
  stored: readonly { readonly id: number; readonly from_seq: number; readonly to_seq: number }[],
  range: FoldCommit['plan']['range'],
): boolean {
  const [window] = segments
  const toSeq = range?.toSeq ?? stored.at(-1)?.to_seq
  return (
    window !== undefined &&
    segments.length === 1 &&
    window.level === 1 &&
    window.fromSeq === (stored[0]?.from_seq ?? range?.fromSeq) &&
    window.toSeq === toSeq &&
    (window.windowThrough ?? 0) >= toSeq &&
    window.absorbs.length === stored.length &&
    stored.every(({ id }) => window.absorbs.includes(id))
  )
}

function coversWhole(
  { fromSeq, toSeq }: NewSegment,
  absorbed: readonly Place[],
  shown: readonly Place[],
): boolean {
  const first = absorbed[0]
  const last = absorbed.at(-1)
  if (first === undefined || last === undefined) return false
  const between = shown.filter(place => place.fromSeq >= fromSeq && place.toSeq <= toSeq)
  return first.fromSeq === fromSeq && last.toSeq === toSeq && between.length === absorbed.length
}

function misplaced(segments: readonly NewSegment[]): InvalidArgumentError {
  return new InvalidArgumentError(
    'segments',
    segments.map(({ level, fromSeq, toSeq }) => ({ level, fromSeq, toSeq })),
    'segments that cover the range and what they stand for, each message once',
  )
}

function* insertSegments(session: SessionRow, { segments, now }: FoldCommit): Steps<readonly number[]> {
  const newest = yield* first<{ id: number | null }>(
    'SELECT max(id) AS id FROM segments WHERE session_id = ?1',
    session.id,
  )
  const ids: number[] = []
  for (const segment of segments) {
    const id = (newest?.id ?? 0) + ids.length + 1
    ids.push(id)
    yield* insertSegment(session.id, { ...segment, id, rolledInto: null, createdAt: now, withheld: 0 })
    for (const absorbed of segment.absorbs)
      yield* run(
        'UPDATE segments SET rolled_into = ?3 WHERE session_id = ?1 AND id = ?2 AND rolled_into IS NULL',
        session.id,
        absorbed < 0 ? ids[-absorbed - 1]! : absorbed,
        id,
      )
    if (segment.level > 1 || segment.window)
      yield* inheritOutdated(session, id, yield* idsRolledInto(session.id, [id]))
    if (segment.level > 1) yield* inheritWithheld(session, id)
  }
  const absorbed = segments.flatMap(({ absorbs }) => absorbs)
  yield* packSegments(
    session.id,
    absorbed.map(id => (id < 0 ? ids[-id - 1]! : id)),
  )
  return ids
}

/**
 * A segment may stand for segments that wait to be made again after an erasure. It knows no more than they
 * do, so it waits, too.
 */
function* inheritWithheld(session: SessionRow, id: number): Steps<void> {
  const lower = yield* allIn<{ withheld: number }>(
    'SELECT withheld FROM segments WHERE session_id = ?1 AND id IN (*)',
    [session.id],
    yield* idsRolledInto(session.id, [id]),
  )
  const withheld = Math.max(0, ...lower.map(each => each.withheld))
  if (withheld > 0)
    yield* run(
      'UPDATE segments SET withheld = ?3 WHERE session_id = ?1 AND id = ?2',
      session.id,
      id,
      withheld,
    )
}

export function* insertSegment(
  sessionId: number,
  segment: Omit<NewSegment, 'state'> & {
    id: number
    rolledInto: number | null
    createdAt: number
    state: string
    withheld: number
  },
): Steps<void> {
  const told = yield* columnsOfSegment(sessionId, segment)
  yield* run(
    `INSERT INTO segments (session_id, id, from_seq, to_seq, message_count, summary, events, details, text, level,
       state, rolled_into, type, reason, summarizer, prompt_version, tokens_before, tokens_after, created_at, withheld,
       window_messages, window_through, people)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)`,
    sessionId,
    segment.id,
    segment.fromSeq,
    segment.toSeq,
    segment.messageCount,
    told.summary,
    told.events,
    told.details,
    told.text,
    segment.level,
    segment.state,
    segment.rolledInto,
    segment.type,
    segment.reason,
    segment.summarizer,
    segment.promptVersion,
    segment.tokensBefore,
    segment.tokensAfter,
    segment.createdAt,
    segment.withheld,
    segment.window ? JSON.stringify(segment.window) : null,
    segment.windowThrough ?? null,
    peopleColumn(segment.people),
  )
}

/**
 * Writes the next version and deletes versions that become unreachable. A rollback chooses the newest version
 * that its messages reach.
 */
function* replaceMemo(session: SessionRow, memo: Memo): Steps<void> {
  const next = (yield* newestMemo(session)) + 1
  for (;;) {
    // The cursors grow with the versions, so only the newest version can reach as far as this one.
    const [gone] = yield* all(
      `DELETE FROM memos WHERE session_id = ?1 AND through_seq >= ?2
         AND version = (SELECT max(version) FROM memos WHERE session_id = ?1) RETURNING version`,
      session.id,
      memo.throughSeq,
    )
    if (!gone) break
  }
  yield* writeMemo(session, memo, next)
}

export function* insertMemo(session: SessionRow, memo: Memo): Steps<void> {
  yield* writeMemo(session, memo, (yield* newestMemo(session)) + 1)
}

function* newestMemo(session: SessionRow): Steps<number> {
  const newest = yield* first<{ version: number | null }>(
    'SELECT max(version) AS version FROM memos WHERE session_id = ?1',
    session.id,
  )
  return newest?.version ?? 0
}

function* writeMemo(session: SessionRow, memo: Memo, version: number): Steps<void> {
  yield* run(
    'INSERT INTO memos (session_id, version, through_seq, memo) VALUES (?1, ?2, ?3, ?4)',
    session.id,
    version,
    memo.throughSeq,
    JSON.stringify(memo.value),
  )
}

export function* failFold(
  session: SessionRow,
  failure: {
    leaseToken: number
    backoffUntil: number
    outcome: Readonly<Record<string, unknown>>
    throughSeq?: number
    now: number
  },
): Steps<void> {
  checkLease(session, failure.leaseToken)
  yield* run(
    // Without new content the fold is not tried again. The next message judges anew.
    `UPDATE sessions SET backoff_until = ?2, due_at = NULL, pending = NULL, failures = failures + 1,
       last_outcome = ?3 WHERE id = ?1`,
    session.id,
    failure.backoffUntil,
    JSON.stringify(failure.outcome),
  )
  const { fromSeq, toSeq, type, reason } = failure.outcome
  yield* recordEvent({
    sessionId: session.id,
    type: 'fold-failed',
    at: failure.now,
    fromSeq: typeof fromSeq === 'number' ? fromSeq : null,
    toSeq: typeof toSeq === 'number' ? toSeq : null,
    data: {
      ...figuresOf(failure.outcome),
      ...(typeof type === 'string' && { type }),
      // An error from other code may quote what was said. A reason of this library is one word.
      reason: typeof reason === 'string' && /^[\w.:-]{1,80}$/.test(reason) ? reason : 'failed',
      ...(failure.throughSeq !== undefined && { throughSeq: failure.throughSeq }),
    },
  })
}

/** What an event reports of an outcome: how it ended and what it took, never what was said. */
function figuresOf(outcome: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = ['outcome', 'tokensBefore', 'tokensAfter', 'durationMs', 'usage', 'spendGuard']
  return Object.fromEntries(
    fields.filter(field => outcome[field] !== undefined).map(field => [field, outcome[field]]),
  )
}

export function* setPending(session: SessionRow, decision: Decision): Steps<void> {
  const pending = severest(toDecision(session.pending), decision)
  yield* run('UPDATE sessions SET pending = ?2 WHERE id = ?1', session.id, JSON.stringify(pending))
  yield* enqueueFold({ namespace: session.namespace, id: session.name })
}

export function* listPending(
  namespace: string,
  page: { after?: string; limit: number },
): Steps<readonly SessionKey[]> {
  const rows = yield* all<{ namespace: string; name: string }>(
    `SELECT namespace, name FROM sessions
     WHERE namespace = ?1 AND name_key > ?2 AND pending IS NOT NULL AND ready = 1 ORDER BY name_key LIMIT ?3`,
    namespace,
    page.after === undefined ? '' : keyOf(page.after),
    page.limit,
  )
  return rows.map(toKey)
}
