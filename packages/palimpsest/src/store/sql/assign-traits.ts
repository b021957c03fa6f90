import { checkTraits, missingTraits } from '../session-traits.ts'
import type { Assignment, AssignmentReceipt } from '../store.ts'
import { recordEvent } from './events.ts'
import { judgeExtraction } from './extraction.ts'
import { fenceLease } from './leases.ts'
import { checkNewIds } from './new-ids.ts'
import { noteRewrite } from './rewrites.ts'
import { type SessionRow, traitsOf } from './rows.ts'
import { run, type Steps } from './steps.ts'

/** The caller holds the session's lock. */
export function* assignTraits(
  session: SessionRow,
  { user, scope, extraction, now }: Assignment,
): Steps<AssignmentReceipt> {
  const stored = traitsOf(session)
  checkTraits(session.name, { kind: null, user, scope }, stored)
  const assigned = missingTraits({ user, scope }, stored)
  if (assigned.length === 0) return { assigned, extractAt: session.extract_at }
  checkNewIds({ user, scope })
  // The session sees other memory from now on. A fold is not affected, as with an edit above its range.
  yield* noteRewrite(session, Number.MAX_SAFE_INTEGER)
  const changed: SessionRow = {
    ...session,
    user_id: stored.user ?? user,
    scope_id: stored.scope ?? scope,
    epoch: session.epoch + 1,
  }
  yield* run(
    'UPDATE sessions SET user_id = ?2, scope_id = ?3, epoch = ?4, epoch_calibrations = calibrations WHERE id = ?1',
    session.id,
    changed.user_id,
    changed.scope_id,
    changed.epoch,
  )
  // An extraction in flight began for another document, or for none.
  yield* fenceLease(session.namespace, `extraction/${session.name}`)
  yield* recordEvent({ sessionId: session.id, type: 'session-assigned', at: now, data: { assigned } })
  const extractAt = extraction ? yield* judgeExtraction(changed, { rules: extraction, now }) : null
  return { assigned, extractAt }
}
