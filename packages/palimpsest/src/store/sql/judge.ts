import {
  asksForTail,
  countLargestTail,
  type Decision,
  type FoldState,
  type Head,
  measure,
  type Policy,
  policyFor,
  type RawMessage,
  takeSnapshot,
  type Verdict,
  verdictAt,
} from '../../policy/index.ts'
import type { Judged, Warn } from '../store.ts'
import { readFoldState, repairFoldState } from './fold-state.ts'
import { readHead } from './head.ts'
import { RAW_COLUMNS, type RawRow, type SessionRow, settingsOf, toDecision, toRawMessage } from './rows.ts'
import { enqueueFold, run, type Steps } from './steps.ts'
import { readVisible } from './visible.ts'

export function* judgeHead(
  session: SessionRow,
  { head, state, policy: usual, now }: { head: Head; state: FoldState; policy: Policy; now: number },
): Steps<Verdict> {
  const policy = policyFor(settingsOf(session), usual)
  const isEnded = yield* isChapterEnded(session, state)
  const figures = { ...measure(head, state, now), ...(isEnded && { chapterEnded: true as const }) }
  const tailMessages = asksForTail(policy, figures)
    ? yield* countTailMessages(session, { head, state, policy, fixedTokens: figures.fixedTokens })
    : null
  return verdictAt(now, policy, takeSnapshot(policy, figures, tailMessages))
}

/** True if a message before the newest beginning is raw. */
function* isChapterEnded(session: SessionRow, { compactedThrough }: FoldState): Steps<boolean> {
  if (session.begins_after <= compactedThrough) return false
  const raw = yield* readVisible(session, {
    columns: 'seq',
    tables: 'messages',
    after: compactedThrough,
    through: session.begins_after,
    limit: 1,
    from: 'oldest',
  })
  return raw.length > 0
}

const FIRST_LOOK = 64

/** Reads the newest messages, further and further back, until the tail ends. */
function* countTailMessages(
  session: SessionRow,
  input: { head: Head; state: FoldState; policy: Policy; fixedTokens: number },
): Steps<number> {
  const { head, state, policy, fixedTokens } = input
  for (let limit = FIRST_LOOK; ; limit *= 4) {
    const rows = yield* readVisible<RawRow>(session, {
      columns: RAW_COLUMNS,
      tables: 'messages',
      after: state.compactedThrough,
      through: head.seq,
      limit,
      from: 'newest',
    })
    const newestFirst: readonly RawMessage[] = rows.map(toRawMessage).reverse()
    const tail = countLargestTail(policy.tails, newestFirst, fixedTokens)
    if (tail < newestFirst.length || newestFirst.length < limit) return tail
  }
}

/**
 * Stores a decision as the session's pending one; the most severe one stays. A later due time is not written:
 * when the earlier time comes, the session is judged and gets its next time. So a busy session costs nothing.
 */
export function* keepVerdict(session: SessionRow, { decision, dueAt }: Verdict): Steps<void> {
  const due = session.due_at === null || (dueAt !== null && dueAt < session.due_at) ? dueAt : session.due_at
  if (due === session.due_at && decision === null) return
  const earlier = toDecision(session.pending)
  const pending = severest(earlier, decision)
  if (due === session.due_at && pending === earlier) return
  const text = pending === null ? null : JSON.stringify(pending)
  yield* run('UPDATE sessions SET pending = ?2, due_at = ?3 WHERE id = ?1', session.id, text, due)
  // An earlier pending decision has its job. If that job was lost, the search for lost jobs finds the
  // session.
  if (earlier === null && pending !== null)
    yield* enqueueFold({ namespace: session.namespace, id: session.name })
}

export function severest(a: Decision | null, b: Decision | null): Decision | null {
  if (a === null || b === null) return a ?? b
  return b.severity > a.severity ? b : a
}

const EMPTY: Judged = { snapshot: null, decision: null, dueAt: null }

/** What the built-in rules decide now. Writes nothing. */
export function* judgeNow(
  session: SessionRow,
  { policy, now }: { policy: Policy; now: number },
  warn: Warn,
): Steps<Judged> {
  const head = yield* readHead(session)
  if (head === null) return EMPTY
  return yield* judgeHead(session, { head, state: yield* readFoldState(session, head, warn), policy, now })
}

/** Judges by a policy for one fold only. The pending decision and the due time stay as they are. */
export function* judgeOnce(
  session: SessionRow,
  request: { policy: Policy; now: number },
  warn: Warn,
): Steps<Judged> {
  const { head, state } = yield* repairFoldState(session, warn)
  const verdict = head === null ? EMPTY : yield* judgeHead(session, { head, state, ...request })
  return settleVerdict(session.pending, verdict).judged
}

/**
 * Judges anew, by a timer or after a fold. A pending decision of the built-in rules is replaced by their
 * present one. A forced decision, or one of the caller's own policy, waits until it is carried out.
 */
export function* judgeAgain(
  session: SessionRow,
  request: { policy: Policy; now: number },
  warn: Warn,
): Steps<Judged> {
  const { head, state } = yield* repairFoldState(session, warn)
  const verdict = head === null ? EMPTY : yield* judgeHead(session, { head, state, ...request })
  const { judged, pending, dueAt } = settleVerdict(session.pending, verdict)
  // The process that makes jobs of due sessions clears the due time without the session's lock. So a due time
  // is always written again.
  if (pending !== session.pending || dueAt !== session.due_at || dueAt !== null)
    yield* run('UPDATE sessions SET pending = ?2, due_at = ?3 WHERE id = ?1', session.id, pending, dueAt)
  // If this is part of carrying out a job, that job is there already.
  if (session.pending === null && pending !== null)
    yield* enqueueFold({ namespace: session.namespace, id: session.name })
  return judged
}

/** What is pending after the built-in rules were asked, in its stored form. */
export function settleVerdict(
  waiting: string | null,
  verdict: Judged,
): { readonly judged: Judged; readonly pending: string | null; readonly dueAt: number | null } {
  const earlier = toDecision(waiting)
  const isOwn = earlier !== null && earlier.meta['rule'] === undefined
  const decision = severest(isOwn ? earlier : null, verdict.decision)
  return {
    judged: { ...verdict, decision },
    pending: decision === null ? null : JSON.stringify(decision),
    dueAt: decision === null ? verdict.dueAt : null,
  }
}
