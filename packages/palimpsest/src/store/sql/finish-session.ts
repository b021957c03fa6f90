import type { Content } from '../../log/index.ts'
import { eraseMessages, MESSAGES_AT_A_TIME } from './erase-messages.ts'
import { lockSessionById } from './erase-session.ts'
import type { Slice } from './erasure-slice.ts'
import { allIn } from './many.ts'
import { decodeContent, ERASED, LINKED, type SessionRow } from './rows.ts'
import { all, run, type Steps } from './steps.ts'
import { type UnindexCursor, unindexErased } from './unindex.ts'
import { withholdAbove } from './withheld.ts'

/** What is left to do in a session after its messages were erased. `from` is the oldest of them. */
export interface Finish {
  readonly session: number
  readonly from: number
  /** Tool results were checked through this message. */
  readonly through: number
  /** The place of the walk through the index. `null` or missing: its beginning. */
  readonly index?: UnindexCursor | null
}

const ROWS_AT_A_TIME = 1_000

/**
 * Erases later messages in which a tool gave back what was erased. Withholds later segments whose summariser
 * saw it. Takes long messages out of the index. Returns where to go on; `null`: that was all.
 */
export function* finishSession(finish: Finish, slice: Slice): Steps<Finish | null> {
  const session = yield* lockSessionById(finish.session, slice)
  if (!session) return null
  const rows = yield* readLinked(session, finish.through)
  const recalling = yield* thoseThatRecallErased(session, rows)
  const through = rows.at(-1)?.seq ?? finish.through
  if (recalling.length > 0) {
    const erased = yield* eraseMessages(session, recalling.slice(0, MESSAGES_AT_A_TIME), slice)
    const isAll = recalling.every(seq => seq <= erased.through)
    return { ...finish, through: isAll ? through : erased.through }
  }
  // A steady stream of appends between two slices must not put off the end for ever.
  if (rows.length === ROWS_AT_A_TIME) return { ...finish, through }
  if (yield* withholdAbove(session, finish.from, slice)) return { ...finish, through }
  const index = yield* unindexErased(session, finish.index ?? null)
  if (index !== null) return { ...finish, through, index }
  yield* condemnToldAbove(session, finish.from)
  return null
}

/** Facts that later folds left in memory, if their summariser saw what came before. */
function* condemnToldAbove(session: SessionRow, seq: number): Steps<void> {
  yield* run(
    `UPDATE facts SET gone = 2 WHERE session_id = ?1 AND to_seq > ?2 AND from_seq > ?2 AND source = 'fold' AND gone < 2
       AND EXISTS (SELECT 1 FROM document_versions v
         WHERE v.document_id = facts.document_id AND v.version = facts.version
           AND (v.author_name IS NULL OR v.author_name <> '"extractive"'))`,
    session.id,
    seq,
  )
}

interface LinkedRow {
  readonly seq: number
  readonly content: string | null
  readonly format: number
}

/** Reads all messages, but only the contents that may hold a tool result. */
function* readLinked(session: SessionRow, after: number): Steps<readonly LinkedRow[]> {
  return yield* all<LinkedRow>(
    `SELECT seq, format, CASE WHEN flags & ${LINKED} <> 0 AND format <> ${ERASED} THEN content END AS content
     FROM messages WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ${ROWS_AT_A_TIME}`,
    session.id,
    after,
  )
}

function* thoseThatRecallErased(session: SessionRow, rows: readonly LinkedRow[]): Steps<readonly number[]> {
  if (rows.length === 0) return []
  const versions = yield* all<LinkedRow>(
    'SELECT seq, format, content FROM message_versions WHERE session_id = ?1 AND seq >= ?2 AND seq <= ?3',
    session.id,
    rows[0]!.seq,
    rows.at(-1)!.seq,
  )
  const recalled = [...rows, ...versions].flatMap(({ seq, content, format }) =>
    content?.includes('recalled') ? [{ seq, of: recalledSeqs(decodeContent({ content, format })) }] : [],
  )
  const erased = yield* allIn<{ seq: number }>(
    `SELECT seq FROM messages WHERE session_id = ?1 AND format = ${ERASED} AND seq IN (*)`,
    [session.id],
    [...new Set(recalled.flatMap(({ of }) => of))],
  )
  const isErased = new Set(erased.map(({ seq }) => seq))
  const recalling = recalled.filter(({ of }) => of.some(seq => isErased.has(seq))).map(({ seq }) => seq)
  return [...new Set(recalling)].sort((one, other) => one - other)
}

/** The messages of this session that memory tools gave back, however a framework wrapped their results. */
function recalledSeqs(content: Content): readonly number[] {
  if (typeof content === 'string') return []
  return content.flatMap(part => (part.type === 'tool-result' ? seqsIn(part.output, DEEPEST) : []))
}

const DEEPEST = 8

function seqsIn(output: unknown, depth: number): readonly number[] {
  if (depth === 0) return []
  if (typeof output === 'string') return output.includes('recalled') ? seqsIn(parsed(output), depth - 1) : []
  if (typeof output !== 'object' || output === null) return []
  const { recalled, messages } = output as { recalled?: unknown; messages?: unknown }
  if (recalled === true && Array.isArray(messages))
    return messages.flatMap(message => (Number.isSafeInteger(message?.seq) ? [message.seq as number] : []))
  return Object.values(output).flatMap(inner => seqsIn(inner, depth - 1))
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
