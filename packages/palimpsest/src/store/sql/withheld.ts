import type { RebuiltSegment, WithheldSegment } from '../erasure.ts'
import type { OutdatedWork } from '../store.ts'
import {
  correctionsOf,
  firstOutdated,
  isOutdated,
  noteRebuildFailure,
  settleCorrections,
} from './corrections.ts'
import { lockDocuments } from './document-locks.ts'
import { writeDocuments } from './documents.ts'
import type { Dialect } from './driver.ts'
import type { Slice } from './erasure-slice.ts'
import { checkLease } from './fold.ts'
import { readShown } from './fold-state.ts'
import { readLower } from './lower-segments.ts'
import { allIn, runIn } from './many.ts'
import { forgetPacked, isPacked } from './packs.ts'
import { peopleColumn, SEGMENT_COLUMNS, type SegmentRow, type SessionRow, toKey, toSegment } from './rows.ts'
import { noteErased } from './seen.ts'
import { all, first, run, type Steps } from './steps.ts'
import { countVisible } from './visible.ts'

/** Segments that tell of erased messages, until they are made again from what is left. */

/** Segments made from the messages alone. They never tell of anything before those messages. */
const SELF_CONTAINED = `(level = 1 AND summarizer IN ('verbatim', 'extractive'))`

const NOTHING = `summary = '""', events = '[]', details = '[]', text = '""', tokens_after = 0,
  window_messages = NULL, people = NULL`
/** A segment of the first schema has no text, but its summary tells all the same. */
const TELLS = `(text <> '""' OR summary <> '""')`
/** A provisional segment stays provisional, so that the next fold takes it in again. */
const DIRTY = `state = CASE WHEN state = 'provisional' THEN state ELSE 'dirty' END`

interface Candidate {
  readonly id: number
  readonly from_seq: number
  readonly to_seq: number
  readonly tells: number
  readonly window_through: number | null
  /** The maker of this window chose to say nothing of its messages. */
  readonly is_empty_window: number
  /** The maker of this segment may have seen a window that tells of the oldest of the messages. */
  readonly is_after_window: number
}

/**
 * Withholds the segments that tell of the messages, which are hidden by now. These are the segments over
 * them, windows whose maker had read them, and segments made since from such a window. Rolled-up segments
 * count too, since a rollback shows them again.
 */
export function* withholdOver(session: SessionRow, seqs: readonly number[], slice: Slice): Steps<void> {
  const candidates = yield* all<Candidate>(
    `SELECT id, from_seq, to_seq, window_through, CASE WHEN ${TELLS} THEN 1 ELSE 0 END AS tells,
       CASE WHEN window_messages = '[]' THEN 1 ELSE 0 END AS is_empty_window,
       CASE WHEN ${AFTER_WINDOW} THEN 1 ELSE 0 END AS is_after_window
     FROM segments WHERE session_id = ?1 AND (
       (from_seq <= ?3 AND (to_seq >= ?2 OR window_through >= ?2)) OR ${AFTER_WINDOW})`,
    session.id,
    Math.min(...seqs),
    Math.max(...seqs),
  )
  const telling = candidates.filter(candidate => tellsOf(candidate, seqs))
  yield* forgetTexts(
    session,
    telling.filter(({ is_empty_window }) => is_empty_window === 0).map(({ id }) => id),
  )
  for (const candidate of telling) {
    const { id, from_seq, to_seq, tells, is_empty_window } = candidate
    const left = yield* countVisible(session, { after: from_seq - 1, through: to_seq })
    if (is_empty_window === 1) {
      yield* run(
        'UPDATE segments SET message_count = ?3 WHERE session_id = ?1 AND id = ?2',
        session.id,
        id,
        left,
      )
      continue
    }
    yield* run(
      // A segment without messages keeps its row: the cursor and the rolled-up segments rest on it.
      `UPDATE segments SET ${NOTHING}, message_count = ?3, withheld = ?4,
         ${left === 0 ? `state = 'live'` : DIRTY} WHERE session_id = ?1 AND id = ?2`,
      session.id,
      id,
      left,
      left === 0 ? 0 : 2,
    )
    if (tells === 1) slice.count('segments', 1)
  }
}

/** Removes the texts from the packs that hold them. The caller empties the rows next. */
function* forgetTexts(session: SessionRow, ids: readonly number[]): Steps<void> {
  const rows = yield* allIn<{ mark: string }>(
    `SELECT text AS mark FROM segments WHERE session_id = ?1 AND ${isPacked('text')} AND id IN (*)`,
    [session.id],
    ids,
  )
  yield* forgetPacked(rows.map(({ mark }) => mark))
}

function tellsOf(
  { from_seq, to_seq, window_through, is_after_window }: Candidate,
  seqs: readonly number[],
): boolean {
  const toldThrough = Math.max(to_seq, window_through ?? 0)
  return is_after_window === 1 || seqs.some(seq => from_seq <= seq && seq <= toldThrough)
}

/**
 * The oldest window whose maker had read message `?2`. With a plain `min(id)` PostgreSQL would walk all
 * segments from the oldest on, and not only the windows.
 */
export const OLDEST_WINDOW = 'SELECT min(id + 0) FROM segments WHERE session_id = ?1 AND window_through >= ?2'

const AFTER_WINDOW = `(${TELLS} AND NOT ${SELF_CONTAINED} AND id > (${OLDEST_WINDOW}))`

interface ToldRow {
  readonly from_seq: number
  readonly to_seq: number
  /** The turn in which the window was chosen. */
  readonly turn: number | null
  /** The last message that any window tells of. */
  readonly newest: number
}

/**
 * Deletes the memos that may tell of this message or of one above it. These are the memos that have read so
 * far, and those written since a window whose maker had read it. Each memo says in which turn it was written;
 * a memo of the window's own turn may be older than the window. Call this while the windows are there.
 * Returns how many memos were deleted.
 */
export function* forgetMemos(session: SessionRow, seq: number): Steps<number> {
  const window = yield* oldestWindow(session, seq)
  const versions = yield* all<{ version: number }>(
    'SELECT version FROM memos WHERE session_id = ?1 AND through_seq >= ?2',
    session.id,
    Math.min(seq, window?.from_seq ?? seq),
  )
  const memos = yield* allIn<{ version: number; through_seq: number; memo: string }>(
    'SELECT version, through_seq, memo FROM memos WHERE session_id = ?1 AND version IN (*)',
    [session.id],
    versions.map(({ version }) => version),
  )
  const told = memos.filter(
    ({ through_seq, memo }) => through_seq >= seq || writtenIn(memo) >= (window?.turn ?? 0),
  )
  yield* runIn(
    'DELETE FROM memos WHERE session_id = ?1 AND version IN (*)',
    [session.id],
    told.map(({ version }) => version),
  )
  return told.length
}

function* oldestWindow(session: SessionRow, seq: number): Steps<ToldRow | undefined> {
  return yield* first<ToldRow>(
    `SELECT from_seq, to_seq,
       (SELECT total_turns FROM messages
         WHERE messages.session_id = ?1 AND seq = segments.window_through) AS turn,
       (SELECT max(window_through) FROM segments WHERE session_id = ?1 AND window_through IS NOT NULL) AS newest
     FROM segments WHERE session_id = ?1 AND id = (${OLDEST_WINDOW})`,
    session.id,
    seq,
  )
}

/** Every fold leaves its turn as a mark in the memo. A memo without the mark may be of any turn. */
function writtenIn(memo: string): number {
  const { turn } = JSON.parse(memo)?.last_resize ?? {}
  return typeof turn === 'number' ? turn : Number.POSITIVE_INFINITY
}

/**
 * A fold after such a window may leave facts in memory. If its summariser saw the window, the facts may tell
 * of all that the window tells of. So the facts get that range, and go with any of these messages.
 */
export function* widenFacts(session: SessionRow, seq: number): Steps<void> {
  const window = yield* oldestWindow(session, seq)
  if (!window) return
  yield* run(
    `UPDATE facts SET to_seq = ?3
     WHERE session_id = ?1 AND to_seq > ?2 AND from_seq > ?2 AND to_seq < ?3 AND source = 'fold' AND gone < 2
       AND EXISTS (SELECT 1 FROM document_versions v
         WHERE v.document_id = facts.document_id AND v.version = facts.version
           AND (v.author_name IS NULL OR v.author_name <> '"extractive"'))`,
    session.id,
    window.to_seq,
    window.newest,
  )
}

const SEGMENTS_AT_A_TIME = 100

/**
 * A model that summarises sees the summary of what came before, so later segments may tell of it, too.
 * `true`: there are more such segments.
 */
export function* withholdAbove(session: SessionRow, seq: number, slice: Slice): Steps<boolean> {
  const withheld = yield* all<{ id: number }>(
    `SELECT id FROM segments WHERE session_id = ?1 AND to_seq >= ?2 AND from_seq > ?2 AND withheld < 2
       AND ${TELLS} AND NOT ${SELF_CONTAINED} ORDER BY to_seq LIMIT ${SEGMENTS_AT_A_TIME}`,
    session.id,
    seq,
  )
  if (withheld.length === 0) return false
  const ids = withheld.map(({ id }) => id)
  yield* forgetTexts(session, ids)
  yield* runIn(
    `UPDATE segments SET ${NOTHING}, withheld = 2, ${DIRTY} WHERE session_id = ?1 AND id IN (*)`,
    [session.id],
    ids,
  )
  slice.count('segments', withheld.length)
  yield* beginEpoch(session)
  yield* noteErased(session)
  return true
}

/** What contexts and folds know of the segments no longer holds, whatever the segments cover. */
function* beginEpoch(session: SessionRow): Steps<void> {
  const { tokens } = yield* readShown(session)
  yield* run(
    'UPDATE sessions SET epoch = epoch + 1, epoch_calibrations = calibrations, segment_tokens = ?2 WHERE id = ?1',
    session.id,
    tokens,
  )
}

interface WithheldRow extends SegmentRow {
  readonly session_id: number
  readonly namespace: string
  readonly name: string
  readonly epoch: number
}

const COLUMNS = SEGMENT_COLUMNS.split(/,\s*/).map(column => `g.${column}`)

export function* listWithheld(
  namespace: string,
  { left, limit }: { left: 'nothing' | 'extract'; limit: number },
): Steps<readonly WithheldSegment[]> {
  const rows = yield* all<WithheldRow>(
    // Not a join, so that no database begins with the sessions: hardly any session has such a segment.
    `SELECT ${COLUMNS.join(', ')}, g.session_id, CAST(?1 AS TEXT) AS namespace,
       (SELECT s.name FROM sessions s WHERE s.id = g.session_id) AS name,
       (SELECT s.epoch FROM sessions s WHERE s.id = g.session_id) AS epoch
     FROM segments g WHERE g.withheld > 0 AND g.withheld = ?2
       AND (SELECT s.namespace FROM sessions s WHERE s.id = g.session_id AND s.ready = 1) = ?1
     ORDER BY g.session_id, g.id LIMIT ?3`,
    namespace,
    left === 'nothing' ? 2 : 1,
    limit,
  )
  const withheld: WithheldSegment[] = []
  for (const row of rows) {
    const segment = toSegment(row)
    withheld.push({ key: toKey(row), epoch: row.epoch, segment, lower: yield* lowerOf(row) })
  }
  return withheld
}

/**
 * A segment of level 1 replaced provisional ones, but stands for messages all the same. A segment that was a
 * window stands for other segments as they were, and for messages above them.
 */
function* lowerOf({ session_id, id, level, window_through }: WithheldRow): Steps<WithheldSegment['lower']> {
  if (level === 1 && window_through === null) return []
  return (yield* readLower(session_id, id)).map(toSegment)
}

export function* commitRebuilt(
  session: SessionRow,
  rebuilt: RebuiltSegment,
  dialect: Dialect,
): Steps<boolean> {
  if (session.epoch !== rebuilt.expectedEpoch) return false
  if (rebuilt.leaseToken !== undefined) checkLease(session, rebuilt.leaseToken)
  const { documents = [] } = rebuilt
  yield* lockDocuments(
    documents.map(({ key }) => key),
    dialect,
  )
  const row = yield* first<{ id: number }>(
    'SELECT id FROM segments WHERE session_id = ?1 AND id = ?2 AND withheld > 0',
    session.id,
    rebuilt.id,
  )
  if (!row && !(yield* isOutdated(session, rebuilt.id))) return false
  yield* forgetTexts(session, [rebuilt.id])
  const isSettled = rebuilt.isProper || rebuilt.text === ''
  yield* run(
    `UPDATE segments SET summary = ?3, events = ?4, details = ?5, text = ?6, message_count = ?7, summarizer = ?8,
       prompt_version = ?9, tokens_before = ?10, tokens_after = ?11, withheld = ?12,
       window_messages = NULL, state = CASE WHEN state = 'provisional' THEN state ELSE ?13 END,
       people = ?14
     WHERE session_id = ?1 AND id = ?2`,
    session.id,
    rebuilt.id,
    JSON.stringify(rebuilt.summary),
    JSON.stringify(rebuilt.events),
    JSON.stringify(rebuilt.details),
    JSON.stringify(rebuilt.text),
    rebuilt.messageCount,
    rebuilt.summarizer,
    rebuilt.promptVersion,
    rebuilt.tokensBefore,
    rebuilt.tokensAfter,
    isSettled ? 0 : 1,
    isSettled ? 'live' : 'dirty',
    peopleColumn(rebuilt.people),
  )
  yield* writeDocuments(documents)
  yield* settleCorrections(session)
  yield* beginEpoch(session)
  return true
}

export function* readOutdated(session: SessionRow): Steps<OutdatedWork | null> {
  if (session.rebuild_at === null) return null
  const id = yield* firstOutdated(session)
  const row =
    id === null
      ? undefined
      : yield* first<WithheldRow>(
          `SELECT ${SEGMENT_COLUMNS}, session_id FROM segments WHERE session_id = ?1 AND id = ?2`,
          session.id,
          id,
        )
  return {
    segment: row
      ? { key: toKey(session), epoch: session.epoch, segment: toSegment(row), lower: yield* lowerOf(row) }
      : null,
    dueAt: session.rebuild_at,
    failures: correctionsOf(session).failures,
  }
}

export function* endCorrections(
  session: SessionRow,
  { leaseToken }: { readonly leaseToken: number },
): Steps<void> {
  checkLease(session, leaseToken)
  yield* settleCorrections(session)
  if (correctionsOf(session).told.length > 0) yield* beginEpoch(session)
}

export function* failRebuild(
  session: SessionRow,
  { leaseToken, retryAt }: { readonly leaseToken: number; readonly retryAt: number },
): Steps<void> {
  checkLease(session, leaseToken)
  yield* noteRebuildFailure(session, retryAt)
}
