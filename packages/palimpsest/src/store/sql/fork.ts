import { EpochConflictError, MessageNotFoundError, SessionNotFoundError } from '../../errors.ts'
import { INITIAL_FOLD_STATE } from '../../policy/index.ts'
import type { FileDocument } from '../session-file.ts'
import type { SessionKey, SessionRecord, Warn } from '../store.ts'
import { copyBeginnings } from './beginnings.ts'
import { buildSession } from './build.ts'
import { copyCorrections } from './corrections.ts'
import type { Dialect, Driver } from './driver.ts'
import { countFoldsAfter, readLastFold } from './fold-history.ts'
import { readFoldState, readShown, stateFromSegments, writeFoldState } from './fold-state.ts'
import { countThrough, readHead, settleHead } from './head.ts'
import { settleHidden } from './hidden-ranges.ts'
import { insertRows } from './insert-rows.ts'
import { languageAlone, sessionLanguage } from './layers.ts'
import { packSegments } from './pack-segments.ts'
import { countRewritesAbove } from './rewrites.ts'
import { readHeadAtOrBelow } from './rollback.ts'
import { ERASED, SEGMENT_COLUMNS, type SessionRow } from './rows.ts'
import { checkSeen } from './seen.ts'
import { findSession, lockExistingSession } from './session.ts'
import { forkDocuments, importDocuments } from './session-documents.ts'
import { readRecord } from './session-record.ts'
import { all, first, run, type Steps } from './steps.ts'
import { visitVisible } from './visible.ts'

const MESSAGES_AT_A_TIME = 500
const SEGMENTS_AT_A_TIME = 200

const MESSAGE_COLUMNS = `seq, role, sender_id, content, format, at, lag, external_key, extras, version, characters,
  tokens, flags, position, total_messages, total_turns, total_replies, total_characters, total_tokens`
const VERSION_COLUMNS = 'seq, version, content, format, replaced_at'

/** How often a fork starts again because the original changed meanwhile. */
const TRIES = 5

interface ForkRequest {
  readonly newId: string
  readonly atSeq: number
  readonly now: number
}

/**
 * Messages are copied in slices, and other work goes on between them. Folds of the original change no
 * message. The fork has the segments of the time when it began; what was folded since is raw in it. If an
 * edit, a rollback or an erasure changes what is copied, it is copied again.
 */
export async function forkSession(
  driver: Driver,
  key: SessionKey,
  request: ForkRequest,
  warn: Warn,
): Promise<SessionRecord> {
  for (let attempt = 1; ; attempt++)
    try {
      return await tryToFork(driver, key, request, warn)
    } catch (error) {
      if (!(error instanceof EpochConflictError) || attempt === TRIES) throw error
    }
}

async function tryToFork(
  driver: Driver,
  key: SessionKey,
  { newId, atSeq, now }: ForkRequest,
  warn: Warn,
): Promise<SessionRecord> {
  const origin = await driver.read(() => readOrigin(key, atSeq, warn))
  const traits = { kind: origin.session.kind, user: origin.session.user_id, scope: origin.session.scope_id }
  const event = { type: 'session-forked', at: now, toSeq: atSeq } as const
  const newKey = { namespace: key.namespace, id: newId }
  await buildSession(driver, newKey, { traits, event }, async build => {
    for (let after = 0; after < origin.through; after += MESSAGES_AT_A_TIME) {
      const through = Math.min(origin.through, after + MESSAGES_AT_A_TIME)
      await build.write(copy => copyMessages(origin.session, copy, { after, through }))
    }
    const documents = await build.write(copy =>
      finishFork(copy, { key, origin, now, dialect: driver.dialect, warn }),
    )
    build.whenPublished(copy => importDocuments(copy, newId, documents))
  })
  return driver.read(function* () {
    return yield* readRecord((yield* findSession(newKey))!, warn)
  })
}

/** The original as it was when the fork began. */
interface Origin {
  readonly session: SessionRow
  readonly seq: number
  /** Above `seq` there are only erased messages, and kept segments over them. */
  readonly through: number
  /** The newest segment that is kept; 0: none is kept. */
  readonly lastSegment: number
  /** The last message that the kept segments cover. */
  readonly foldedThrough: number
  /** The event of the newest fold; 0: there is none. */
  readonly lastFold: number
}

function* readOrigin(key: SessionKey, atSeq: number, warn: Warn): Steps<Origin> {
  const session = yield* findSession(key)
  yield* checkSeen(key, session)
  if (!session) throw new SessionNotFoundError(key.id)
  const head = yield* readHeadAtOrBelow(session, atSeq)
  if (head === null && atSeq > 0) throw new MessageNotFoundError(key.id, atSeq)
  const seq = head?.seq ?? 0
  const newest = yield* readHead(session)
  const told = yield* toldThrough(session)
  const through = newest?.seq === seq ? Math.max(seq, told) : seq
  // Inside the folded part no segment ends here, so no fold can be kept. A window whose maker had read more
  // than is copied cannot be kept either.
  const { compactedThrough } = yield* readFoldState(session, newest, warn)
  const keepsFolds = told <= through && compactedThrough > 0
  return {
    session,
    seq,
    through,
    lastSegment: keepsFolds ? yield* lastSegmentOf(session) : 0,
    foldedThrough: keepsFolds ? compactedThrough : 0,
    lastFold: yield* readLastFold(session),
  }
}

function* lastSegmentOf({ id }: SessionRow): Steps<number> {
  const row = yield* first<{ id: number | null }>(
    'SELECT max(id) AS id FROM segments WHERE session_id = ?1',
    id,
  )
  return row?.id ?? 0
}

function* copyMessages(
  origin: SessionRow,
  copy: SessionRow,
  range: { after: number; through: number },
): Steps<void> {
  yield* visitVisible(origin, range, 'oldest', function* (span) {
    for (const [table, columns] of [
      ['messages', MESSAGE_COLUMNS],
      ['message_versions', VERSION_COLUMNS],
    ])
      yield* run(
        `INSERT INTO ${table} (session_id, ${columns}) SELECT ?2, ${columns} FROM ${table}
         WHERE session_id = ?1 AND seq > ?3 AND seq <= ?4 ${span.andVisible}`,
        origin.id,
        copy.id,
        span.after,
        span.through,
      )
    return false
  })
  yield* copyTombstones(origin, copy, range)
}

/**
 * The copy keeps the digests of erased messages too, because the platform may deliver such a message there
 * again.
 */
function* copyTombstones(
  origin: SessionRow,
  copy: SessionRow,
  { after, through }: { after: number; through: number },
): Steps<void> {
  if (origin.hidden_through <= after) return
  yield* run(
    `INSERT INTO messages (session_id, ${MESSAGE_COLUMNS}) SELECT ?2, ${MESSAGE_COLUMNS} FROM messages
     WHERE session_id = ?1 AND seq > ?3 AND seq <= ?4 AND format = ${ERASED}`,
    origin.id,
    copy.id,
    after,
    through,
  )
}

interface Finish {
  readonly key: SessionKey
  readonly origin: Origin
  readonly now: number
  readonly dialect: Dialect
  readonly warn: Warn
}

/** The original is locked, so that no change falls between the check and the copying. */
function* finishFork(
  copy: SessionRow,
  { key, origin, now, dialect, warn }: Finish,
): Steps<readonly FileDocument[]> {
  const current = yield* lockExistingSession(key, dialect)
  if (!(yield* isAsCopied(current, origin)))
    throw new EpochConflictError({
      sessionId: key.id,
      expected: origin.session.epoch,
      actual: current.epoch,
    })
  yield* run(
    `UPDATE sessions SET origin = ?2, settings = ?3, extracted_through = ?4, user_id = ?5, scope_id = ?6,
       zone = ?7, layers = ?8, layers_epoch = -1
     WHERE id = ?1`,
    copy.id,
    JSON.stringify({ sessionId: key.id, seq: origin.seq }),
    current.settings,
    // A message that was read once is not read again.
    Math.min(current.extracted_through, origin.seq),
    // These may have been assigned since the copy began. The copy belongs to the same person as the original.
    current.user_id,
    current.scope_id,
    current.zone,
    languageAlone(sessionLanguage(current)),
  )
  yield* copyCorrections(current, copy, origin)
  yield* copyHidden(current, copy, origin.through)
  yield* copyPins(current, copy, origin.seq)
  const forked = yield* copyBeginnings(current, yield* settleHidden(copy), origin.seq)
  const newest = yield* readHead(current)
  const state = yield* readFoldState(current, newest, warn)
  const keepsFolds = origin.lastSegment > 0
  if (keepsFolds) yield* copyFolds(current, copy, origin)
  const before = keepsFolds ? state : { ...INITIAL_FOLD_STATE, overheadTokens: state.overheadTokens }
  const last = yield* readHead(forked)
  const head = last && newest && (yield* settleHead(copy, last, yield* countThrough(current, last, newest)))
  yield* writeFoldState(copy, yield* stateFromSegments(forked, { head, state: before }))
  const { seq: throughSeq, foldedThrough } = origin
  return yield* forkDocuments(current, { throughSeq, foldedThrough, now })
}

/**
 * Whether everything that was copied is unchanged: each epoch since then began with a fold, or with an edit
 * above the copied part. A rollback or an erasure does not record what it changed, so either one counts as a
 * change.
 */
function* isAsCopied(current: SessionRow, { session, through, lastFold }: Origin): Steps<boolean> {
  if (current.id !== session.id) return false
  const begun = current.epoch - session.epoch
  if (begun === 0) return true
  const edits = countRewritesAbove(current, through, session.epoch)
  return edits + (yield* countFoldsAfter(session, lastFold)) === begun
}

/** The last message that a segment covers, or that a window may tell of. */
function* toldThrough(session: SessionRow): Steps<number> {
  const { through } = yield* readShown(session)
  const row = yield* first<{ through: number | null }>(
    'SELECT max(window_through) AS through FROM segments WHERE session_id = ?1 AND window_through IS NOT NULL',
    session.id,
  )
  return Math.max(through, row?.through ?? 0)
}

function* copyHidden(origin: SessionRow, copy: SessionRow, throughSeq: number): Steps<void> {
  yield* run(
    `INSERT INTO hidden_ranges (session_id, from_seq, to_seq)
     SELECT ?2, from_seq, CASE WHEN to_seq > ?3 THEN ?3 ELSE to_seq END FROM hidden_ranges
     WHERE session_id = ?1 AND from_seq <= ?3`,
    origin.id,
    copy.id,
    throughSeq,
  )
}

function* copyPins(origin: SessionRow, copy: SessionRow, throughSeq: number): Steps<void> {
  yield* run(
    `INSERT INTO pins (session_id, id, seq, note, tokens, created_at)
     SELECT ?2, id, seq, note, tokens, created_at FROM pins
     WHERE session_id = ?1 AND (seq IS NULL OR seq <= ?3)`,
    origin.id,
    copy.id,
    throughSeq,
  )
}

/**
 * Segments as they were when the fork began. A segment that was rolled up since then stands for itself in the
 * fork.
 */
function* copyFolds(
  origin: SessionRow,
  copy: SessionRow,
  { seq: throughSeq, lastSegment }: Pick<Origin, 'seq' | 'lastSegment'>,
): Steps<void> {
  // Read and written again, so that packed texts stand in the fork's own rows.
  const columns = SEGMENT_COLUMNS.split(/,\s*/)
  for (let after = 0; after < lastSegment; after += SEGMENTS_AT_A_TIME) {
    const rows = yield* all(
      `SELECT ${SEGMENT_COLUMNS} FROM segments WHERE session_id = ?1 AND id > ?2 AND id <= ?3 ORDER BY id`,
      origin.id,
      after,
      Math.min(lastSegment, after + SEGMENTS_AT_A_TIME),
    )
    const values = rows.map(row => [copy.id, ...columns.map(column => row[column] ?? null)])
    yield* insertRows('segments', ['session_id', ...columns], values)
    yield* packSegments(
      copy.id,
      rows.map(({ id }) => id as number),
    )
  }
  yield* run(
    'UPDATE segments SET rolled_into = NULL WHERE session_id = ?1 AND rolled_into > ?2',
    copy.id,
    lastSegment,
  )
  yield* run(
    `INSERT INTO memos (session_id, version, through_seq, memo)
     SELECT ?2, version, through_seq, memo FROM memos WHERE session_id = ?1 AND through_seq <= ?3`,
    origin.id,
    copy.id,
    throughSeq,
  )
}
