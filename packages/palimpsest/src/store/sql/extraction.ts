import { CursorConflictError, EpochConflictError, LeaseLostError } from '../../errors.ts'
import { lastBelieved } from '../../log/index.ts'
import type { Head } from '../../policy/index.ts'
import { learningDocuments, personAlone } from '../document.ts'
import type { ExtractionCommit, ExtractionRules } from '../store.ts'
import { correctionsOf, noteRelearned } from './corrections.ts'
import { lockDocuments } from './document-locks.ts'
import { findDocument, writeDocuments } from './documents.ts'
import type { Dialect } from './driver.ts'
import { MAX_EXTRACTION_WAIT_MS } from './due.ts'
import { readHead } from './head.ts'
import { holdsLease } from './leases.ts'
import { type SessionRow, traitsOf } from './rows.ts'
import { readMessagesAt } from './search.ts'
import { first, run, type Steps } from './steps.ts'
import { countVisible, readVisible } from './visible.ts'
import { withdrawTakenBack } from './withdraw-facts.ts'

/**
 * Whether the session may feed any document. If its scope belongs to one person, the owner is checked when
 * the messages are read.
 */
export function isExtracted(
  session: SessionRow,
  { scopeLearnsFrom: from }: Pick<ExtractionRules, 'scopeLearnsFrom'>,
): boolean {
  const traits = traitsOf(session)
  const isFed = (owner: string | null) => learningDocuments(traits, { from, owner }).length > 0
  return isFed(null) || isFed(personAlone(traits))
}

/** When an extraction is due; `null`: there is nothing to extract. */
function* extractAt(
  session: SessionRow,
  head: Head | null,
  rules: ExtractionRules,
  now: number,
): Steps<number | null> {
  if (rules.when === 'off' || head === null || !isExtracted(session, rules)) return null
  const at = yield* extractNewAt(session, head, rules, now)
  if (correctionsOf(session).unlearned.length === 0) return at
  // Messages that were edited since are due at the time that the edit set.
  return Math.min(at ?? Number.POSITIVE_INFINITY, session.extract_at ?? now)
}

function* extractNewAt(
  session: SessionRow,
  head: Head,
  { when, batchMessages, idleMs, longIdleMs = idleMs }: ExtractionRules,
  now: number,
): Steps<number | null> {
  if (head.seq <= session.extracted_through) return null
  const isDue = when === 'turn' ? head.totals.complete : yield* isUnread(session, head, batchMessages)
  if (isDue) return now
  const isWorthIt = when === 'turn' || (yield* isUnread(session, head, Math.ceil(batchMessages / 4)))
  // A clock ahead of time may have dated this message. It came now, at the latest.
  const since = Math.min(now, head.appendedAt)
  return Math.min(since + (isWorthIt ? idleMs : longIdleMs), now + MAX_EXTRACTION_WAIT_MS)
}

/** Unlike `keepExtractAt` this may also put off the time: the session may no longer be due. */
export function* judgeExtraction(
  session: SessionRow,
  { rules, now }: { rules: ExtractionRules; now: number },
): Steps<number | null> {
  const at = yield* extractAt(session, yield* readHead(session), rules, now)
  return at === session.extract_at ? at : yield* writeExtractAt(session, { at, now })
}

/** After a failure, no time before that of the next try is written. */
function* writeExtractAt(
  session: SessionRow,
  { at, now }: { at: number | null; now: number },
): Steps<number | null> {
  const written = yield* first<{ extract_at: number | null }>(
    `UPDATE sessions SET
       extract_at = CASE WHEN extract_not_before > ?2 AND extract_not_before <= ?3 THEN extract_not_before ELSE ?2 END
     WHERE id = ?1 RETURNING extract_at`,
    session.id,
    at,
    lastBelieved(now, MAX_EXTRACTION_WAIT_MS),
  )
  return written!.extract_at
}

/** Whether this many messages wait. Hidden messages have `seq`s, too. */
function* isUnread(session: SessionRow, head: Head, messages: number): Steps<boolean> {
  const { extracted_through: after } = session
  if (head.seq - after < messages) return false
  return (yield* countVisible(session, { after, through: head.seq })) >= messages
}

/**
 * A later time is not written: when the earlier one comes, the session is judged again. So a busy session
 * costs nothing.
 */
export function* keepExtractAt(
  session: SessionRow,
  { head, rules, now }: { head: Head | null; rules: ExtractionRules; now: number },
): Steps<number | null> {
  const at = yield* extractAt(session, head, rules, now)
  if (at === null || (session.extract_at !== null && session.extract_at <= at)) return session.extract_at
  return yield* writeExtractAt(session, { at, now })
}

export function* commitExtraction(
  session: SessionRow,
  commit: ExtractionCommit,
  dialect: Dialect,
): Steps<void> {
  yield* lockDocuments(
    commit.documents.map(({ key }) => key),
    dialect,
  )
  const sessionId = session.name
  if (!(yield* holdsLease(session.namespace, `extraction/${sessionId}`, commit.leaseToken)))
    throw new LeaseLostError(sessionId, commit.leaseToken)
  if (session.extracted_through !== commit.after)
    throw new CursorConflictError({ sessionId, expected: commit.after, actual: session.extracted_through })
  const { relearned = [] } = commit
  if (!(yield* isAsRead(session, commit)) || !(yield* areVersions(session, relearned)))
    throw new EpochConflictError({ sessionId, expected: session.epoch, actual: session.epoch })
  yield* checkOwners(session, commit)
  yield* writeDocuments(commit.documents)
  if (commit.takenBack?.length) yield* withdrawTakenBack(session, commit)
  const corrections = yield* noteRelearned(
    session,
    relearned.map(({ seq }) => seq),
  )
  const extracted = { ...session, corrections, extracted_through: commit.through }
  yield* run(
    'UPDATE sessions SET extracted_through = ?2, extract_at = ?3, extract_not_before = NULL WHERE id = ?1',
    session.id,
    commit.through,
    yield* extractAt(extracted, yield* readHead(session), commit.rules, commit.now),
  )
}

/**
 * A scope may have become another person's while messages were read for it. Then they are read again, without
 * that scope.
 */
function* checkOwners(session: SessionRow, { documents }: ExtractionCommit): Steps<void> {
  for (const { key } of documents) {
    const owner = (yield* findDocument(key))?.owner_id ?? null
    if (owner !== null && owner !== personAlone(traitsOf(session)))
      throw new EpochConflictError({
        sessionId: session.name,
        expected: session.epoch,
        actual: session.epoch,
      })
  }
}

/** True if no message was edited or hidden since the read. */
function* isAsRead(session: SessionRow, { after, through, read }: ExtractionCommit): Steps<boolean> {
  const rows = yield* readVisible<{ version: number }>(session, {
    columns: 'version',
    tables: 'messages',
    after,
    through,
    limit: read.messages + 1,
    from: 'oldest',
  })
  return rows.length === read.messages && rows.reduce((sum, row) => sum + row.version, 0) === read.versions
}

/** Messages that were erased or hidden meanwhile need no reading. */
function* areVersions(session: SessionRow, read: NonNullable<ExtractionCommit['relearned']>): Steps<boolean> {
  const messages = yield* readMessagesAt(
    session,
    read.map(({ seq }) => seq),
  )
  return messages.every(({ seq, version }) => read.some(each => each.seq === seq && each.version === version))
}

export function* failExtraction(session: SessionRow, { retryAt }: { retryAt: number | null }): Steps<void> {
  yield* run(
    'UPDATE sessions SET extract_at = ?2, extract_not_before = ?2 WHERE id = ?1',
    session.id,
    retryAt,
  )
}
