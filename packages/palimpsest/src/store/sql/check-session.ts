import { isMark, isPacked, marksOf } from './packs.ts'
import { BLOCK_MESSAGES, type PostingsRow, unpackColumns, unpackPostings } from './postings.ts'
import { ERASED, type SessionRow } from './rows.ts'
import { readRecord } from './session-record.ts'
import { all, first, type Steps } from './steps.ts'
import { AND_VISIBLE, countVisible } from './visible.ts'

/** All checks of one session that need only its rows. Returns what is wrong, in words. */
export function* checkSession(session: SessionRow): Steps<readonly string[]> {
  return [
    ...(yield* checkLog(session)),
    ...(yield* checkTotals(session)),
    ...(yield* checkSegments(session)),
    ...(yield* checkPostings(session)),
    ...(yield* checkPacked(session)),
  ]
}

/** A fork or an imported file may lack hidden messages. */
function* checkLog(session: SessionRow): Steps<readonly string[]> {
  const row = yield* first<{ count: number; newest: number | null }>(
    `SELECT count(*) AS count, (SELECT max(n.seq) FROM messages n WHERE n.session_id = ?1) AS newest
     FROM messages WHERE session_id = ?1 ${AND_VISIBLE}`,
    session.id,
  )
  const { count, newest } = row!
  const due = yield* countVisible(session, { after: 0, through: newest ?? 0 })
  return count === due ? [] : [`messages are missing: of ${due} that are not hidden there are ${count}`]
}

function* checkTotals(session: SessionRow): Steps<readonly string[]> {
  const told: string[] = []
  // `readRecord` warns of cursors that it does not believe. Each warning is a finding.
  const record = yield* readRecord(session, message => told.push(message))
  if (record.head === null) return told
  const visible = yield* countVisible(session, { after: 0, through: record.head.seq })
  if (visible !== record.head.totals.messages)
    told.push(
      `${visible} messages are shown, and the newest says that there are ${record.head.totals.messages}`,
    )
  return told
}

function* checkSegments({ id }: SessionRow): Steps<readonly string[]> {
  const wrong = yield* all<{ id: number }>(
    `SELECT g.id FROM segments g WHERE g.session_id = ?1 AND (g.from_seq > g.to_seq
       OR (g.rolled_into IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM segments u WHERE u.session_id = ?1 AND u.id = g.rolled_into))) ORDER BY g.id`,
    id,
  )
  return wrong.length === 0 ? [] : [`segments that fit nothing: ${wrong.map(({ id }) => id).join(', ')}`]
}

function* checkPacked({ id }: SessionRow): Steps<readonly string[]> {
  const rows = yield* all<{ mark: string }>(
    `SELECT text AS mark FROM segments WHERE session_id = ?1 AND ${isPacked('text')}`,
    id,
  )
  return compareMarks(
    rows.map(({ mark }) => mark),
    yield* marksOf({ session: id }),
  )
}

/** Checks the packed texts of a document's facts and versions. */
export function* checkPackedDocument(id: number): Steps<readonly string[]> {
  const versions = yield* all<{ mark: string; other: string | null }>(
    'SELECT back AS mark, whole AS other FROM document_versions WHERE document_id = ?1',
    id,
  )
  const content = yield* all<{ mark: string }>('SELECT content AS mark FROM documents WHERE id = ?1', id)
  const facts = yield* all<{ mark: string }>(
    `SELECT line AS mark FROM facts WHERE document_id = ?1 AND ${isPacked('line')}`,
    id,
  )
  const marks = [
    ...versions.flatMap(({ mark, other }) => [mark, other ?? '']),
    ...[...facts, ...content].map(({ mark }) => mark),
  ]
  return compareMarks(marks.filter(isMark), yield* marksOf({ document: id }))
}

function compareMarks(rows: readonly string[], packs: readonly string[]): readonly string[] {
  const [had, kept] = [new Set(rows), new Set(packs)]
  const lost = rows.filter(mark => !kept.has(mark)).length
  const left = packs.filter(mark => !had.has(mark)).length
  return [
    ...(lost > 0 ? [`${lost} packed texts are not in their packs`] : []),
    ...(left > 0 ? [`${left} packed texts are left that no row has`] : []),
  ]
}

/**
 * Each indexed message with words has to be found by at least one word, and each word has to lead to a
 * message that is there. Rows above the cursor do not count.
 */
function* checkPostings(session: SessionRow): Steps<readonly string[]> {
  const through = session.indexed_through
  if (through === 0) return []
  const isIndexed = yield* readIndexed(session, through)
  const isFound = new Uint8Array(through + 1)
  let lost = 0
  for (let after = ''; ; ) {
    const rows: readonly (PostingsRow & { term: string })[] = yield* all(
      `SELECT term, first_seq AS first, data FROM postings WHERE session_id = ?1 AND term > ?2
       ORDER BY term, first_seq LIMIT ?3`,
      session.id,
      after,
      POSTINGS_AT_A_TIME,
    )
    // The last term may continue in the next rows.
    const last = rows.at(-1)?.term
    const isAll = rows.length < POSTINGS_AT_A_TIME
    const whole = isAll || rows[0]!.term === last ? rows : rows.filter(({ term }) => term !== last)
    for (const seq of unpackPostings(whole).seqs) {
      if (seq > through) continue
      if (isIndexed[seq] === 1) isFound[seq] = 1
      else lost += 1
    }
    if (isAll) break
    after = whole.at(-1)!.term
  }
  const missing = isIndexed.reduce((count, is, seq) => count + (is === 1 && isFound[seq] === 0 ? 1 : 0), 0)
  return [
    ...(missing > 0 ? [`${missing} messages are indexed, and no word leads to them`] : []),
    ...(lost > 0 ? [`${lost} entries of the search index lead to nothing`] : []),
  ]
}

const POSTINGS_AT_A_TIME = 5_000

function* readIndexed({ id }: SessionRow, through: number): Steps<Uint8Array> {
  const isIndexed = new Uint8Array(through + 1)
  const blocks = yield* all<{ block: number; data: Uint8Array }>(
    'SELECT block, data FROM index_blocks WHERE session_id = ?1 ORDER BY block',
    id,
  )
  for (const { block, data } of blocks)
    unpackColumns(data, () => 0).lengths.forEach((length, place) => {
      const seq = block * BLOCK_MESSAGES + place
      if (seq <= through && length > 0) isIndexed[seq] = 1
    })
  const erased = yield* all<{ seq: number }>(
    `SELECT seq FROM messages WHERE session_id = ?1 AND format = ${ERASED} AND seq <= ?2`,
    id,
    through,
  )
  for (const { seq } of erased) isIndexed[seq] = 0
  return isIndexed
}
