import { MessageNotFoundError } from '../../errors.ts'
import type { Message, Segment } from '../../log/index.ts'
import type { MessageRange, MessageVersion, PlanPage, PlanSource, Warn } from '../store.ts'
import { withAnswered } from './answered.ts'
import { readChapter } from './beginnings.ts'
import { readFoldState } from './fold-state.ts'
import { readHead } from './head.ts'
import { readLower } from './lower-segments.ts'
import {
  decodeContent,
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageRow,
  RAW_COLUMNS,
  type RawRow,
  SEGMENT_COLUMNS,
  type SegmentRow,
  type SessionRow,
  toMessage,
  toRawMessage,
  toSegment,
} from './rows.ts'
import { readRecord } from './session-record.ts'
import { all, first, type Steps } from './steps.ts'
import { rangeAround, readVisible } from './visible.ts'

const EVERYTHING = Number.MAX_SAFE_INTEGER

export function* readMessages(
  session: SessionRow,
  range: MessageRange,
  warn: Warn,
): Steps<readonly Message[]> {
  const { compactedThrough } = yield* readFoldState(session, yield* readHead(session), warn)
  return yield* readRange(session, range, compactedThrough)
}

function* readRange(
  session: SessionRow,
  range: MessageRange,
  compactedThrough: number,
): Steps<readonly Message[]> {
  const rows = yield* readVisible<MessageRow>(session, {
    columns: MESSAGE_COLUMNS,
    tables: MESSAGE_TABLES,
    after: range.after ?? 0,
    through: range.before === undefined ? EVERYTHING : range.before - 1,
    limit: range.limit,
    from: range.from,
  })
  const messages = rows.map(row => toMessage(row, session.name, compactedThrough))
  return range.answered ? yield* withAnswered(session, messages) : messages
}

export function* isVisible(session: SessionRow, seq: number): Steps<boolean> {
  const row = yield* first('SELECT seq FROM messages WHERE session_id = ?1 AND seq = ?2', session.id, seq)
  if (!row) return false
  return session.hidden_through < seq || (yield* rangeAround(session, seq)) === undefined
}

export function* readVersions(session: SessionRow, seq: number): Steps<readonly MessageVersion[]> {
  if (!(yield* isVisible(session, seq))) throw new MessageNotFoundError(session.name, seq)
  const earlier = yield* all<{ version: number; content: string; format: number; replaced_at: number }>(
    `SELECT version, content, format, replaced_at FROM message_versions
     WHERE session_id = ?1 AND seq = ?2 ORDER BY version`,
    session.id,
    seq,
  )
  const current = yield* first<{ version: number; content: string; format: number }>(
    'SELECT version, content, format FROM messages WHERE session_id = ?1 AND seq = ?2',
    session.id,
    seq,
  )
  return [
    ...earlier.map(row => ({
      version: row.version,
      content: decodeContent(row),
      replacedAt: new Date(row.replaced_at),
    })),
    { version: current!.version, content: decodeContent(current!), replacedAt: null },
  ]
}

export function* readSegment(
  session: SessionRow,
  id: number,
): Steps<{ segment: Segment; lower: readonly Segment[] } | null> {
  const row = yield* first<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM segments WHERE session_id = ?1 AND id = ?2`,
    session.id,
    id,
  )
  if (!row) return null
  const lower = yield* readLower(session.id, id)
  return { segment: toSegment(row), lower: lower.map(toSegment) }
}

export function* readSegments(
  session: SessionRow,
  which: 'shown' | 'all',
  { after = 0 }: { after?: number } = {},
): Steps<readonly Segment[]> {
  const rows = yield* all<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM segments
     WHERE session_id = ?1 AND to_seq > ?2 ${which === 'shown' ? 'AND rolled_into IS NULL' : ''}
     ORDER BY from_seq, level, id`,
    session.id,
    after,
  )
  return rows.map(toSegment)
}

export function* readPlan(session: SessionRow, page: PlanPage, warn: Warn): Steps<PlanSource> {
  const record = yield* readRecord(session, warn)
  const chapter = yield* readChapter(session, record.state.compactedThrough)
  const rows = yield* readVisible<RawRow>(session, {
    columns: RAW_COLUMNS,
    tables: 'messages',
    after: Math.max(record.state.compactedThrough, page.after ?? 0),
    through: Math.min(page.through ?? EVERYTHING, chapter.throughSeq ?? EVERYTHING),
    limit: page.limit ?? EVERYTHING,
    from: 'oldest',
  })
  return { session: record, chapter, raw: rows.map(toRawMessage) }
}
