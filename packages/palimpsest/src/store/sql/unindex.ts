import { type Content, searchableText } from '../../log/index.ts'
import { countTerms } from '../../search/index.ts'
import { changeBlocks, noteUnindexed, takeOut, takeOutOfRows } from './indexing.ts'
import type { PostingsRow } from './postings.ts'
import { ERASED, type SessionRow } from './rows.ts'
import { all, run, type Steps } from './steps.ts'

/** Takes messages out of the index by all their versions, indexed or not. */
export function* unindexMessages(
  session: SessionRow,
  messages: readonly { readonly seq: number; readonly contents: readonly Content[] }[],
): Steps<void> {
  const places = new Map<string, Set<number>>()
  for (const { seq, contents } of messages)
    for (const content of contents)
      for (const term of countTerms(searchableText(content)).keys())
        places.set(term, (places.get(term) ?? new Set()).add(seq))
  yield* takeOut(session, places)
  yield* changeBlocks(
    session,
    messages.map(({ seq }) => ({ seq, entry: null })),
  )
  for (const { seq } of messages)
    yield* run('DELETE FROM index_changes WHERE session_id = ?1 AND seq = ?2', session.id, seq)
}

/**
 * A long message that is being erased has too many words to take out at once. From now on it is not found,
 * since it is hidden. `unindexErased` takes its words out.
 */
export function* leaveUnindexed(session: SessionRow, seqs: readonly number[]): Steps<void> {
  yield* changeBlocks(
    session,
    seqs.map(seq => ({ seq, entry: null })),
  )
  for (const seq of seqs) yield* noteUnindexed(session, seq)
}

/**
 * The state of one walk through the index: the messages that it takes out, and the last row that it has seen.
 */
export interface UnindexCursor {
  readonly seqs: readonly number[]
  readonly term: string
  readonly first: number
}

const MESSAGES_A_WALK = 200
const ROWS_AT_A_TIME = 500

/**
 * Walks through the rows of the session's index and takes out erased messages that are still there. Their
 * text is gone, so only the rows themselves show where they are. Returns where to go on; `null`: no erased
 * message is left in the index.
 */
export function* unindexErased(
  session: SessionRow,
  cursor: UnindexCursor | null,
): Steps<UnindexCursor | null> {
  const at = cursor ?? (yield* beginWalk(session))
  if (at === null) return null
  const rows = yield* all<PostingsRow & { readonly term: string }>(
    `SELECT term, first_seq AS first, data FROM postings
     WHERE session_id = ?1 AND (term, first_seq) > (?2, ?3) ORDER BY term, first_seq LIMIT ${ROWS_AT_A_TIME}`,
    session.id,
    at.term,
    at.first,
  )
  yield* takeOutOfRows(session, rows, at.seqs)
  const last = rows.at(-1)
  if (last) return { ...at, term: last.term, first: last.first }
  for (const seq of at.seqs)
    yield* run('DELETE FROM index_changes WHERE session_id = ?1 AND seq = ?2', session.id, seq)
  return yield* beginWalk(session)
}

/** Whether the session's index still holds words of erased messages. */
export function* holdsErased(session: SessionRow): Steps<boolean> {
  return (yield* beginWalk(session)) !== null
}

function* beginWalk(session: SessionRow): Steps<UnindexCursor | null> {
  const left = yield* all<{ seq: number }>(
    `SELECT c.seq FROM index_changes c JOIN messages m ON m.session_id = c.session_id AND m.seq = c.seq
     WHERE c.session_id = ?1 AND m.format = ${ERASED} ORDER BY c.seq LIMIT ${MESSAGES_A_WALK}`,
    session.id,
  )
  return left.length === 0 ? null : { seqs: left.map(({ seq }) => seq), term: '', first: 0 }
}
