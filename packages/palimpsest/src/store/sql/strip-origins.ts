import { type Content, type ContentPart, type Origin, originOf } from '../../log/index.ts'
import type { Slice } from './erasure-slice.ts'
import { noteUnindexed } from './indexing.ts'
import { allIn } from './many.ts'
import { decodeContent, ERASED, encodeContent, FOREIGN, type SessionRow } from './rows.ts'
import type { Steps } from './steps.ts'
import { unindexMessages } from './unindex.ts'

/**
 * Removes the words of another person from a message that stays. Its earlier versions are deleted, because
 * they may hold those words, too. Its sizes stay as they were, so that no totals move.
 */

interface ForeignRow {
  readonly seq: number
  readonly content: string
  readonly format: number
}

/** A message with foreign words to remove. `left` is what stays, `contents` are all its versions. */
export interface ForeignMessage {
  readonly seq: number
  readonly left: readonly ContentPart[]
  readonly contents: readonly Content[]
}

export function* findForeign(
  session: Pick<SessionRow, 'id'>,
  seqs: readonly number[],
  isMeant: (origin: Origin) => boolean,
): Steps<readonly ForeignMessage[]> {
  const rows = yield* allIn<ForeignRow>(
    `SELECT seq, content, format FROM messages
     WHERE session_id = ?1 AND flags & ${FOREIGN} <> 0 AND format <> ${ERASED} AND seq IN (*)`,
    [session.id],
    seqs,
  )
  if (rows.length === 0) return []
  const versions = yield* allIn<ForeignRow>(
    'SELECT seq, content, format FROM message_versions WHERE session_id = ?1 AND seq IN (*)',
    [session.id],
    rows.map(({ seq }) => seq),
  )
  const earlier = Map.groupBy(versions, ({ seq }) => seq)
  const isGone = (part: ContentPart) => {
    const origin = originOf(part)
    return origin !== null && isMeant(origin)
  }
  return rows.flatMap(row => {
    const contents = [row, ...(earlier.get(row.seq) ?? [])].map(decodeContent)
    const isIn = contents.some(content => typeof content !== 'string' && content.some(isGone))
    if (!isIn) return []
    const content = contents[0]!
    const parts: readonly ContentPart[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content
    return [{ seq: row.seq, left: parts.filter(part => !isGone(part)), contents }]
  })
}

/** The caller holds the session's lock, and begins an epoch. */
export function* stripForeign(
  session: SessionRow,
  messages: readonly ForeignMessage[],
  slice: Slice,
): Steps<void> {
  yield* unindexMessages(session, messages)
  const versions = yield* allIn(
    'DELETE FROM message_versions WHERE session_id = ?1 AND seq IN (*) RETURNING seq',
    [session.id],
    messages.map(({ seq }) => seq),
  )
  for (const { seq, left } of messages) {
    const { content, format } = encodeContent(left.length === 0 ? '' : left)
    yield {
      sql: `UPDATE messages SET content = ?3, format = ?4, version = version + 1 WHERE session_id = ?1 AND seq = ?2`,
      parameters: [session.id, seq, content, format],
      isUnread: true,
      text: { content: 2, format: 3 },
    }
    yield* noteUnindexed(session, seq)
  }
  slice.count('messages', messages.length)
  slice.count('index', messages.length)
  slice.count('versions', versions.length)
}
