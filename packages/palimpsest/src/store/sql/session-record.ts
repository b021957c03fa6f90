import type { Memo } from '../../log/index.ts'
import type { SessionRecord, Warn } from '../store.ts'
import { correctionsOf } from './corrections.ts'
import { believedFoldState, readAllShown, type Shown, shownRow } from './fold-state.ts'
import { newestRow, readHeadRows, visibleHeadRow } from './head.ts'
import { frozenLayers, sessionLanguage } from './layers.ts'
import { allIn } from './many.ts'
import { type HeadRow, type SessionRow, settingsOf, toDecision, toHead } from './rows.ts'
import { ask, askAll, type Question, type Steps } from './steps.ts'

export function* readRecord(session: SessionRow, warn: Warn): Steps<SessionRecord> {
  const [[newest], [shown], [memo]] = yield* askAll([newestRow(session), shownRow(session), memoRow(session)])
  return yield* recordOf(session, { newest, shown, memo }, warn)
}

/** Makes a record from the rows of `newestRow`, `shownRow` and `memoRow`. */
export function* recordOf(
  session: SessionRow,
  rows: { newest: HeadRow | undefined; shown: Shown | undefined; memo: MemoRow | undefined },
  warn: Warn,
): Steps<SessionRecord> {
  const head = yield* visibleHeadRow(session, rows.newest)
  const memo = rows.memo ? toMemo(rows.memo) : null
  return yield* toRecord(session, { head, shown: rows.shown!, memo }, warn)
}

const NOTHING_SHOWN: Shown = { count: 0, through: 0, segmentTokens: 0 }

/** The same for many sessions, with as many queries as for a few. */
export function* readRecords(sessions: readonly SessionRow[], warn: Warn): Steps<readonly SessionRecord[]> {
  const ids = sessions.map(({ id }) => id)
  const heads = yield* readHeadRows(ids)
  const shown = yield* readAllShown(ids)
  const memos = yield* readMemos(ids)
  const records: SessionRecord[] = []
  for (const session of sessions) {
    const { id } = session
    const parts = { head: heads.get(id), shown: shown.get(id) ?? NOTHING_SHOWN, memo: memos.get(id) ?? null }
    records.push(yield* toRecord(session, parts, warn))
  }
  return records
}

interface RecordParts {
  readonly head: HeadRow | undefined
  readonly shown: Shown
  readonly memo: Memo | null
}

function* toRecord(
  session: SessionRow,
  { head: newest, shown, memo }: RecordParts,
  warn: Warn,
): Steps<SessionRecord> {
  const head = newest ? toHead(newest) : null
  const state = yield* believedFoldState(session, head, { through: shown.through, warn })
  const { unlearned } = correctionsOf(session)
  const { count, segmentTokens } = state.compactedThrough === 0 ? NOTHING_SHOWN : shown
  return {
    id: session.name,
    number: session.id,
    kind: session.kind,
    user: session.user_id,
    scope: session.scope_id,
    createdAt: new Date(session.created_at),
    origin: session.origin === null ? null : JSON.parse(session.origin),
    settings: settingsOf(session),
    zone: session.zone,
    epoch: session.epoch,
    firstEpoch: session.first_epoch,
    state,
    beginsAfter: session.begins_after,
    head,
    lastMessageAt: newest ? new Date(newest.at) : null,
    segments: count,
    segmentTokens,
    memo,
    pending: toDecision(session.pending),
    dueAt: session.due_at === null ? null : new Date(session.due_at),
    leaseUntil: session.lease_until === null ? null : new Date(session.lease_until),
    failures: session.failures,
    calibrations: {
      learned: session.calibrations === null ? {} : JSON.parse(session.calibrations),
      inForce: session.epoch_calibrations === null ? {} : JSON.parse(session.epoch_calibrations),
    },
    lastOutcome: session.last_outcome === null ? null : JSON.parse(session.last_outcome),
    layers: frozenLayers(session),
    language: sessionLanguage(session),
    extractedThrough: session.extracted_through,
    ...(unlearned.length > 0 && { unlearned }),
  }
}

interface MemoRow {
  readonly session_id: number
  readonly memo: string | null
  readonly through_seq: number
}

function toMemo({ memo, through_seq }: MemoRow): Memo | null {
  return memo === null ? null : { value: JSON.parse(memo), throughSeq: through_seq }
}

export function memoRow({ id }: SessionRow): Question<MemoRow> {
  return ask(
    'SELECT session_id, memo, through_seq FROM memos WHERE session_id = ?1 ORDER BY version DESC LIMIT 1',
    id,
  )
}

/** One lookup for each session, whatever a database assumes about its tables. */
function* readMemos(sessionIds: readonly number[]): Steps<ReadonlyMap<number, Memo | null>> {
  const newest = (column: string) =>
    `(SELECT ${column} FROM memos WHERE session_id = s.id ORDER BY version DESC LIMIT 1) AS ${column}`
  const rows = yield* allIn<MemoRow>(
    `SELECT s.id AS session_id, ${newest('memo')}, ${newest('through_seq')} FROM sessions s WHERE s.id IN (*)`,
    [],
    sessionIds,
  )
  return new Map(rows.map(row => [row.session_id, toMemo(row)]))
}
