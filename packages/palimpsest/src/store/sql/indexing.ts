import { type Content, ROLES } from '../../log/index.ts'
import { minuteOf } from '../../search/session-index.ts'
import type { IndexedMessage, IndexRequest, IndexWork, IndexWrite } from '../search.ts'
import type { SessionKey } from '../store.ts'
import { keyOf } from './keys.ts'
import {
  BLOCK_MESSAGES,
  type BlockEntry,
  blockOf,
  changeBlock,
  changePostings,
  endPostings,
  holdsAny,
  type Place,
  type PostingsRow,
} from './postings.ts'
import { decodeContent, ERASED, type SessionRow, toKey } from './rows.ts'
import { all, first, run, type SqlValue, type Steps } from './steps.ts'

/**
 * The index follows the log. A write counts only if the session is still as the indexer read it. The epoch
 * changes with every edit, rollback and erasure. The cursor changes with every write of another indexer. Rows
 * above the cursor do not count, and writing them again changes nothing. So a slice may be written in parts,
 * and a process may die between any two of them.
 */

/** An edited message is found by its current text, even before it is indexed again. */
export function* noteUnindexed(session: SessionRow, seq: number): Steps<void> {
  yield* run(
    'INSERT INTO index_changes (session_id, seq) VALUES (?1, ?2) ON CONFLICT DO NOTHING',
    session.id,
    seq,
  )
}

interface UnindexedRow {
  readonly seq: number
  readonly role: number
  readonly sender_id: number | null
  readonly at: number
  readonly content: string
  readonly format: number
}

const ROW_COLUMNS = 'seq, role, sender_id, at, content, format'

export function* readIndexWork(session: SessionRow, request: IndexRequest): Steps<IndexWork | null> {
  const edited = yield* readEdited(session, request.messages)
  const through = yield* lastWithin(session, request)
  if (edited.length === 0 && through === session.indexed_through) return null
  const rows = yield* all<UnindexedRow>(
    `SELECT ${ROW_COLUMNS} FROM messages WHERE session_id = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq`,
    session.id,
    session.indexed_through,
    through,
  )
  const isAbove = new Set(rows.map(({ seq }) => seq))
  return {
    epoch: session.epoch,
    indexedThrough: session.indexed_through,
    through,
    messages: rows.filter(isThere).map(toIndexed),
    // An edited message above this slice is left for its own slice.
    edited: edited.filter(({ seq }) => seq <= session.indexed_through || isAbove.has(seq)),
  }
}

function isThere({ format }: UnindexedRow): boolean {
  return format !== ERASED
}

function toIndexed(row: UnindexedRow): IndexedMessage {
  const { seq, role, sender_id: senderId, at } = row
  return { seq, role: ROLES[role]!, senderId, at, content: decodeContent(row) }
}

/** The last of the oldest messages whose sum stays within the limits. At least one message is taken. */
function* lastWithin(session: SessionRow, { messages, characters }: IndexRequest): Steps<number> {
  const rows = yield* all<{ seq: number; characters: number }>(
    'SELECT seq, characters FROM messages WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3',
    session.id,
    session.indexed_through,
    messages,
  )
  let through = session.indexed_through
  let sum = 0
  for (const row of rows) {
    sum += row.characters
    if (sum > characters && through > session.indexed_through) break
    through = row.seq
  }
  return through
}

function* readEdited(session: SessionRow, limit: number): Steps<IndexWork['edited']> {
  const changes = yield* all<{ seq: number }>(
    // The erasure itself takes erased messages out of the index.
    `SELECT c.seq FROM index_changes c JOIN messages m ON m.session_id = c.session_id AND m.seq = c.seq
     WHERE c.session_id = ?1 AND m.format <> ${ERASED} ORDER BY c.seq LIMIT ?2`,
    session.id,
    limit,
  )
  const edited: IndexWork['edited'][number][] = []
  for (const { seq } of changes) {
    const row = yield* first<UnindexedRow>(
      `SELECT ${ROW_COLUMNS} FROM messages WHERE session_id = ?1 AND seq = ?2`,
      session.id,
      seq,
    )
    const versions = yield* all<{ content: string; format: number }>(
      'SELECT content, format FROM message_versions WHERE session_id = ?1 AND seq = ?2',
      session.id,
      seq,
    )
    const earlier: readonly Content[] = versions.map(decodeContent)
    if (row && isThere(row)) edited.push({ ...toIndexed(row), earlier })
  }
  return edited
}

export function* writeIndex(session: SessionRow, { work, terms, finish }: IndexWrite): Steps<boolean> {
  if (session.epoch !== work.epoch || session.indexed_through !== work.indexedThrough) return false
  yield* extendTerms(session, terms)
  for (const [term, places] of terms)
    for (const place of places)
      if (place[0] <= session.indexed_through) yield* changeTerm(session, term, place)
  if (!finish) return true
  yield* changeBlocks(
    session,
    finish.messages.map(({ seq, role, senderId, at, length }) => ({
      seq,
      entry: {
        length,
        speaker: { role: ROLES.indexOf(role), senderId },
        minute: minuteOf(at),
      },
    })),
  )
  for (const seq of finish.edited)
    yield* run('DELETE FROM index_changes WHERE session_id = ?1 AND seq = ?2', session.id, seq)
  if (work.through > work.indexedThrough)
    yield* run('UPDATE sessions SET indexed_through = ?2 WHERE id = ?1', session.id, work.through)
  return true
}

const TERMS_AT_A_TIME = 64

/**
 * Adds postings above the cursor. Rows that are already there come from a slice that was never finished, and
 * are written again.
 */
function* extendTerms(session: SessionRow, terms: IndexWrite['terms']): Steps<void> {
  const above = session.indexed_through
  const added = [...terms].map(([term, places]) => ({ term, places: places.filter(([seq]) => seq > above) }))
  const wanted = added.filter(({ places }) => places.length > 0)
  for (let from = 0; from < wanted.length; from += TERMS_AT_A_TIME) {
    const some = wanted.slice(from, from + TERMS_AT_A_TIME)
    const known = Map.groupBy(yield* lastRows(session, some), row => row.term)
    const written: SqlValue[] = []
    for (const { term, places } of some) {
      const before = known.get(term) ?? []
      const after = endPostings(before, { above, places })
      for (const { first, data } of after) written.push(term, first, data)
      for (const { first } of before)
        if (!after.some(row => row.first === first)) yield* dropRow(session, term, first)
    }
    yield* writeRows(session, written)
  }
}

/** For each term, the row that reaches the cursor and the rows above it. */
function* lastRows(
  session: SessionRow,
  terms: readonly { readonly term: string }[],
): Steps<readonly (PostingsRow & { readonly term: string })[]> {
  const marks = Array.from({ length: TERMS_AT_A_TIME }, (_, place) => `(?${place + 3})`)
  const rows = yield* all<PostingsRow & { term: string }>(
    `WITH wanted (term) AS (VALUES ${marks.join(', ')})
     SELECT p.term, p.first_seq AS first, p.data FROM wanted w JOIN postings p
       ON p.session_id = ?1 AND p.term = w.term AND p.first_seq >= coalesce(
         (SELECT max(first_seq) FROM postings WHERE session_id = ?1 AND term = w.term AND first_seq <= ?2), 0)`,
    session.id,
    session.indexed_through,
    ...Array.from({ length: TERMS_AT_A_TIME }, (_, place) => terms[place]?.term ?? null),
  )
  return rows.toSorted((one, other) => one.first - other.first)
}

/** Sets how often an already indexed message holds a term. */
function* changeTerm(session: SessionRow, term: string, place: Place): Steps<void> {
  const row = yield* rowReaching(session, term, place[0])
  const changed = changePostings(row, [place])
  if (changed !== null) yield* writeRows(session, [term, changed.first, changed.data])
  else if (row) yield* dropRow(session, term, row.first)
}

/** Takes messages out of terms, whether the terms hold them or not. */
export function* takeOut(session: SessionRow, places: ReadonlyMap<string, ReadonlySet<number>>): Steps<void> {
  const written: SqlValue[] = []
  let left = [...places].map(([term, seqs]) => ({ term, seqs: [...seqs].sort((one, other) => one - other) }))
  while (left.length > 0) {
    const rows = yield* rowsReaching(session, left)
    const below: typeof left = []
    for (const { term, seqs } of left) {
      const row = rows.get(term)
      if (!row) continue
      const within = seqs.filter(seq => seq >= row.first)
      const changed = changePostings(
        row,
        within.map(seq => [seq, 0]),
      )
      if (changed === null) yield* dropRow(session, term, row.first)
      else written.push(term, changed.first, changed.data)
      if (within.length < seqs.length) below.push({ term, seqs: seqs.slice(0, seqs.length - within.length) })
    }
    left = below
  }
  yield* writeRows(session, written)
}

/** For each term, the row that holds the last of its messages, if any row does. */
function* rowsReaching(
  session: SessionRow,
  terms: readonly { readonly term: string; readonly seqs: readonly number[] }[],
): Steps<ReadonlyMap<string, PostingsRow>> {
  const rows = new Map<string, PostingsRow>()
  const marks = Array.from(
    { length: TERMS_AT_A_TIME },
    (_, place) => `(?${2 * place + 2}, CAST(?${2 * place + 3} AS BIGINT))`,
  )
  for (let from = 0; from < terms.length; from += TERMS_AT_A_TIME) {
    const some = terms.slice(from, from + TERMS_AT_A_TIME)
    const wanted = Array.from({ length: TERMS_AT_A_TIME }, (_, place) => {
      const { term, seqs } = some[place] ?? {}
      return [term ?? null, seqs?.at(-1) ?? null]
    })
    const found = yield* all<PostingsRow & { term: string }>(
      `WITH wanted (term, seq) AS (VALUES ${marks.join(', ')})
       SELECT p.term, p.first_seq AS first, p.data FROM wanted w JOIN postings p
         ON p.session_id = ?1 AND p.term = w.term AND p.first_seq =
           (SELECT max(first_seq) FROM postings WHERE session_id = ?1 AND term = w.term AND first_seq <= w.seq)`,
      session.id,
      ...wanted.flat(),
    )
    for (const { term, first, data } of found) rows.set(term, { first, data })
  }
  return rows
}

/** Takes messages out of these rows, as far as the rows hold them. */
export function* takeOutOfRows(
  session: SessionRow,
  rows: readonly (PostingsRow & { readonly term: string })[],
  seqs: readonly number[],
): Steps<void> {
  const written: SqlValue[] = []
  for (const row of rows) {
    if (!holdsAny(row, seqs)) continue
    const changed = changePostings(
      row,
      seqs.map(seq => [seq, 0]),
    )
    if (changed === null) yield* dropRow(session, row.term, row.first)
    else written.push(row.term, changed.first, changed.data)
  }
  yield* writeRows(session, written)
}

/** The row that holds a message, if any row does. */
function* rowReaching(session: SessionRow, term: string, seq: number): Steps<PostingsRow | undefined> {
  return yield* first<PostingsRow>(
    `SELECT first_seq AS first, data FROM postings WHERE session_id = ?1 AND term = ?2 AND first_seq <= ?3
     ORDER BY first_seq DESC LIMIT 1`,
    session.id,
    term,
    seq,
  )
}

function* dropRow(session: SessionRow, term: string, firstSeq: number): Steps<void> {
  yield* run(
    'DELETE FROM postings WHERE session_id = ?1 AND term = ?2 AND first_seq = ?3',
    session.id,
    term,
    firstSeq,
  )
}

const ROWS_AT_A_TIME = 32

/** `written` holds terms, first messages and data in turn. */
function* writeRows(session: SessionRow, written: readonly SqlValue[]): Steps<void> {
  for (let from = 0; from < written.length; ) {
    const size = written.length - from >= 3 * ROWS_AT_A_TIME ? ROWS_AT_A_TIME : 1
    const rows = Array.from(
      { length: size },
      (_, row) => `(?1, ?${3 * row + 2}, ?${3 * row + 3}, ?${3 * row + 4})`,
    )
    yield* run(
      `INSERT INTO postings (session_id, term, first_seq, data) VALUES ${rows.join(', ')}
       ON CONFLICT (session_id, term, first_seq) DO UPDATE SET data = excluded.data`,
      session.id,
      ...written.slice(from, from + 3 * size),
    )
    from += 3 * size
  }
}

interface BlockChange {
  readonly seq: number
  /** `null`: nothing of this message can be found any more. */
  readonly entry: BlockEntry | null
}

/** Sets what the blocks hold for these messages. */
export function* changeBlocks(session: SessionRow, changes: readonly BlockChange[]): Steps<void> {
  for (const [block, ofBlock] of Map.groupBy(changes, ({ seq }) => blockOf(seq))) {
    const row = yield* first<{ data: Uint8Array }>(
      'SELECT data FROM index_blocks WHERE session_id = ?1 AND block = ?2',
      session.id,
      block,
    )
    const changed = ofBlock.map(({ seq, entry }) => ({ place: seq % BLOCK_MESSAGES, entry }))
    yield* run(
      `INSERT INTO index_blocks (session_id, block, data) VALUES (?1, ?2, ?3)
       ON CONFLICT (session_id, block) DO UPDATE SET data = excluded.data`,
      session.id,
      block,
      changeBlock(row?.data, changed),
    )
  }
}

export function* listUnindexed(
  namespace: string,
  page: { after?: string; limit: number },
): Steps<{ keys: readonly SessionKey[]; next: string | null }> {
  const rows = yield* all<{ namespace: string; name: string; is_behind: number }>(
    `SELECT namespace, name, CASE WHEN coalesce((SELECT max(seq) FROM messages WHERE session_id = s.id), 0) > indexed_through
         OR EXISTS (SELECT 1 FROM index_changes WHERE session_id = s.id) THEN 1 ELSE 0 END AS is_behind
     FROM sessions s WHERE namespace = ?1 AND name_key > ?2 AND ready = 1 ORDER BY name_key LIMIT ?3`,
    namespace,
    page.after === undefined ? '' : keyOf(page.after),
    page.limit,
  )
  return {
    keys: rows.filter(({ is_behind }) => is_behind === 1).map(toKey),
    next: rows.length < page.limit ? null : rows.at(-1)!.name,
  }
}
