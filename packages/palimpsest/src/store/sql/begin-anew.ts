import { INITIAL_FOLD_STATE, type Policy } from '../../policy/index.ts'
import type { BegunAnew, Warn } from '../store.ts'
import { readNewestBeginning, settleBeginnings } from './beginnings.ts'
import type { Dialect } from './driver.ts'
import { dropFoldsAbove } from './drop-folds.ts'
import { recordEvent } from './events.ts'
import { readFoldState, readShown, stateFromSegments, writeFoldState } from './fold-state.ts'
import { readHead } from './head.ts'
import { judgeAgain } from './judge.ts'
import { SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { first, run, type Steps } from './steps.ts'
import { withdrawFacts } from './withdraw-facts.ts'

interface BeginRules {
  readonly dialect: Dialect
  readonly warn: Warn
}

export function* beginAnew(
  session: SessionRow,
  { afterSeq, policy, now }: { afterSeq?: number; policy: Policy; now: number },
  { warn }: Pick<BeginRules, 'warn'>,
): Steps<BegunAnew | null> {
  const head = yield* readHead(session)
  if (head === null) return null
  const state = yield* readFoldState(session, head, warn)
  // No segment reaches over a beginning.
  const after = Math.max(Math.min(head.seq, afterSeq ?? head.seq), state.compactedThrough)
  if (after <= session.begins_after) return null
  yield* run(
    'INSERT INTO beginnings (session_id, after_seq, folded_through, at) VALUES (?1, ?2, ?3, ?4)',
    session.id,
    after,
    state.compactedThrough,
    now,
  )
  const begun = yield* settleBeginnings(session)
  const { tokens: segmentTokens } = yield* readShown(begun)
  // The counts since the last decision start again here.
  const { messages, replies } = head.totals
  const decided = { messages, replies, at: now }
  yield* writeFoldState(begun, { ...state, decided, stalled: INITIAL_FOLD_STATE.stalled, segmentTokens })
  const event = { sessionId: session.id, fromSeq: null, toSeq: after, at: now } as const
  yield* recordEvent({ ...event, type: 'session-begun-anew' })
  const judged = yield* judgeAgain(yield* reread(session), { policy, now }, warn)
  return { beginning: { afterSeq: after, at: new Date(now) }, judged }
}

/** Segments that were folded because of the beginning become raw again, unless more was folded since. */
export function* takeBackBeginning(
  session: SessionRow,
  { policy, now }: { policy: Policy; now: number },
  { dialect, warn }: BeginRules,
): Steps<BegunAnew | null> {
  const newest = yield* readNewestBeginning(session)
  if (!newest) return null
  const { after_seq, folded_through } = newest
  const head = yield* readHead(session)
  const state = yield* readFoldState(session, head, warn)
  yield* run('DELETE FROM beginnings WHERE session_id = ?1 AND after_seq = ?2', session.id, after_seq)
  const left = yield* settleBeginnings(session)
  if (state.compactedThrough <= after_seq && state.compactedThrough > folded_through) {
    yield* withdrawFacts(left, { above: folded_through, learnedBy: 'fold', now }, dialect)
    yield* dropFoldsAbove(left, folded_through)
  }
  yield* writeFoldState(left, yield* stateFromSegments(left, { head, state }))
  const event = { sessionId: session.id, fromSeq: null, toSeq: after_seq, at: now } as const
  yield* recordEvent({ ...event, type: 'beginning-taken-back' })
  const judged = yield* judgeAgain(yield* reread(session), { policy, now }, warn)
  return { beginning: { afterSeq: after_seq, at: new Date(newest.at) }, judged }
}

function* reread({ id }: SessionRow): Steps<SessionRow> {
  return (yield* first<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1`, id))!
}
