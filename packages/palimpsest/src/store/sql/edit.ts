import { InvalidArgumentError, MessageNotFoundError } from '../../errors.ts'
import { type Content, contentLinks, hasOrigins, type Size } from '../../log/index.ts'
import type { EditReceipt, Warn } from '../store.ts'
import { foldedAnswersTo } from './answering.ts'
import { markOutdated, noteCorrection } from './corrections.ts'
import type { Dialect } from './driver.ts'
import { recordEvent } from './events.ts'
import { isExtracted } from './extraction.ts'
import { readFoldState, writeFoldState } from './fold-state.ts'
import { readHead } from './head.ts'
import { noteUnindexed } from './indexing.ts'
import { isVisible } from './messages.ts'
import { noteRewrite } from './rewrites.ts'
import { decodeContent, encodeContent, FOREIGN, type SessionRow } from './rows.ts'
import { first, run, type Steps } from './steps.ts'
import { withdrawEdited } from './withdraw-facts.ts'

interface EditedRow {
  readonly at: number
  readonly content: string
  readonly format: number
  readonly version: number
  readonly characters: number
  readonly tokens: number
}

export function* edit(
  session: SessionRow,
  change: { seq: number; content: Content; size: Size; now: number; rebuildDelayMs?: number },
  { dialect, warn }: { dialect: Dialect; warn: Warn },
): Steps<EditReceipt> {
  const { seq, content, size, now, rebuildDelayMs = 0 } = change
  if (!(yield* isVisible(session, seq))) throw new MessageNotFoundError(session.name, seq)
  const row = (yield* first<EditedRow>(
    `SELECT at, content, format, version, characters, tokens FROM messages WHERE session_id = ?1 AND seq = ?2`,
    session.id,
    seq,
  ))!
  const encoded = encodeContent(content)
  if (encoded.content === row.content && encoded.format === row.format) return { version: row.version }
  checkSameLinks(decodeContent(row), content)
  const state = yield* readFoldState(session, yield* readHead(session), warn)
  yield* replaceContent(session, seq, { ...encoded, size, now, flags: hasOrigins(content) ? FOREIGN : 0 })
  const isTold = yield* markOutdated(session, seq)
  // The segments of messages that answer this one may quote its old text.
  for (const answering of yield* foldedAnswersTo(session, seq)) yield* markOutdated(session, answering)
  yield* withdrawEdited(session, { seq, at: row.at, now }, dialect)
  const due = yield* noteCorrection(session, {
    seq,
    isTold,
    // The sessions from which a scope learns may change. So the message is read again if any setting could
    // have learned from it.
    isUnlearned: seq <= session.extracted_through && isExtracted(session, { scopeLearnsFrom: 'all' }),
    rebuildAt: now + rebuildDelayMs,
  })
  yield* writeFoldState(
    session,
    seq <= state.compactedThrough
      ? state
      : {
          ...state,
          // The rows above keep their totals. The folded amount moves instead, so that the difference is
          // right.
          folded: {
            ...state.folded,
            characters: state.folded.characters - (size.characters - row.characters),
            tokens: state.folded.tokens - (size.tokens - row.tokens),
          },
        },
  )
  yield* noteRewrite(session, seq)
  yield* noteUnindexed(session, seq)
  yield* recordEvent({ sessionId: session.id, type: 'message-edited', at: now, fromSeq: seq, toSeq: seq })
  return { version: row.version + 1, ...due }
}

/**
 * Turns, and the pairs of calls and results, depend on the links. Other messages may have been written since.
 */
function checkSameLinks(before: Content, after: Content): void {
  const [old, edited] = [contentLinks(before), contentLinks(after)].map(({ opens, closes }) =>
    JSON.stringify([opens, closes]),
  )
  if (old !== edited)
    throw new InvalidArgumentError(
      'content',
      edited,
      `the same tool calls, results and approvals as before (${old})`,
    )
}

function* replaceContent(
  session: SessionRow,
  seq: number,
  edited: { content: string; format: number; size: Size; now: number; flags: number },
): Steps<void> {
  yield* run(
    `INSERT INTO message_versions (session_id, seq, version, content, format, replaced_at)
     SELECT session_id, seq, version, content, format, ?3 FROM messages WHERE session_id = ?1 AND seq = ?2`,
    session.id,
    seq,
    edited.now,
  )
  yield {
    sql: `UPDATE messages SET content = ?3, format = ?4, characters = ?5, tokens = ?6, version = version + 1,
       flags = flags | ?7
     WHERE session_id = ?1 AND seq = ?2`,
    parameters: [
      session.id,
      seq,
      edited.content,
      edited.format,
      edited.size.characters,
      edited.size.tokens,
      edited.flags,
    ],
    isUnread: true,
    text: { content: 2, format: 3 },
  }
}
