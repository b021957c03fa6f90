import { type Content, contentLinks, isReply, ROLES } from '../../log/index.ts'
import type { Head } from '../../policy/index.ts'
import { allIn } from './many.ts'
import { HEAD_COLUMNS, type HeadRow, LINKED_CONTENT, type SessionRow, toHead } from './rows.ts'
import { ask, first, type Question, run, type Steps } from './steps.ts'
import { countVisible, readVisible, type SeqRange } from './visible.ts'

/** The newest visible message. It takes two lookups at most, even after rollbacks. */
export function* readHead(session: SessionRow): Steps<Head | null> {
  const row = yield* readHeadRow(session)
  return row ? toHead(row) : null
}

const NEWEST = `SELECT ${HEAD_COLUMNS} FROM messages WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1`

/** The newest message, visible or not. */
export function newestRow({ id }: SessionRow): Question<HeadRow> {
  return ask(NEWEST, id)
}

function* readHeadRow(session: SessionRow): Steps<HeadRow | undefined> {
  return yield* visibleHeadRow(session, yield* first<HeadRow>(NEWEST, session.id))
}

export function* visibleHeadRow(
  session: SessionRow,
  newest: HeadRow | undefined,
): Steps<HeadRow | undefined> {
  if (!newest || newest.seq > session.hidden_through) return newest
  return yield* readHeadRowAt(session, session.visible_before)
}

/** The newest visible message of each of many sessions, by their ids in the database. */
export function* readHeadRows(sessionIds: readonly number[]): Steps<ReadonlyMap<number, HeadRow>> {
  const newest = '(SELECT max(n.seq) FROM messages n WHERE n.session_id = s.id)'
  const columns = HEAD_COLUMNS.replaceAll(/\w+/g, 'm.$&')
  const rows = yield* allIn<HeadRow & { readonly session_id: number }>(
    `SELECT m.session_id, ${columns} FROM sessions s JOIN messages m ON m.session_id = s.id
       AND m.seq = CASE WHEN ${newest} > s.hidden_through THEN ${newest} ELSE s.visible_before END
     WHERE s.id IN (*)`,
    [],
    sessionIds,
  )
  return new Map(rows.map(row => [row.session_id, row]))
}

export function* visibleHead(session: SessionRow, newest: HeadRow): Steps<Head | null> {
  if (newest.seq > session.hidden_through) return toHead(newest)
  return yield* readHeadAt(session, session.visible_before)
}

export function* readHeadAt(session: SessionRow, seq: number): Steps<Head | null> {
  const row = yield* readHeadRowAt(session, seq)
  return row ? toHead(row) : null
}

function* readHeadRowAt(session: SessionRow, seq: number): Steps<HeadRow | undefined> {
  return yield* first<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM messages WHERE session_id = ?1 AND seq = ?2`,
    session.id,
    seq,
  )
}

export interface VisibleCounts {
  readonly messages: number
  readonly replies: number
}

/**
 * How many messages and replies are visible up to and including `head`. Its own totals say it, unless
 * messages were erased since it was the newest. Then the numbers come from the newest message, whose totals
 * are always right.
 */
export function* countThrough(session: SessionRow, head: Head, newest: Head): Steps<VisibleCounts> {
  const messages = yield* countVisible(session, { after: 0, through: head.seq })
  if (messages === head.totals.messages) return { messages, replies: head.totals.replies }
  const above = yield* countReplies(session, { after: head.seq, through: newest.seq })
  return { messages, replies: newest.totals.replies - above }
}

function* countReplies(session: SessionRow, range: SeqRange): Steps<number> {
  const rows = yield* readVisible<{ role: number; linked_content: string | null }>(session, {
    columns: `role, ${LINKED_CONTENT}`,
    tables: 'messages',
    limit: Number.MAX_SAFE_INTEGER,
    from: 'oldest',
    ...range,
  })
  return rows.filter(({ role, linked_content: content }) =>
    isReply(ROLES[role]!, contentLinks(content === null ? '' : (JSON.parse(content) as Content))),
  ).length
}

/**
 * Corrects the numbers of the newest visible message after history was rewritten below it. The other messages
 * keep theirs until one of them becomes the newest. So one row is written, and not all that follow.
 */
export function* settleHead(session: SessionRow, head: Head, counts: VisibleCounts): Steps<Head> {
  const { messages, replies } = head.totals
  if (messages === counts.messages && replies === counts.replies) return head
  yield* run(
    'UPDATE messages SET total_messages = ?3, total_replies = ?4 WHERE session_id = ?1 AND seq = ?2',
    session.id,
    head.seq,
    counts.messages,
    counts.replies,
  )
  return { ...head, totals: { ...head.totals, ...counts } }
}

/** The highest `seq` that was ever given, hidden or not. */
export function* readLastSeq(session: SessionRow): Steps<number> {
  const row = yield* first<{ seq: number | null }>(
    'SELECT max(seq) AS seq FROM messages WHERE session_id = ?1',
    session.id,
  )
  return row?.seq ?? 0
}
