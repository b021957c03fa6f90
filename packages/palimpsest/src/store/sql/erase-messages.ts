import {
  type Content,
  contentLinks,
  isAnswered,
  isReply,
  ownContent,
  quotationOf,
  ROLES,
} from '../../log/index.ts'
import type { FoldState, Head } from '../../policy/index.ts'
import { type AnsweredRow, answersTo, readAnswered } from './answering.ts'
import type { Slice } from './erasure-slice.ts'
import { recordEvent } from './events.ts'
import { lineKeys } from './facts.ts'
import { readFoldState, readShown, turnsThrough, writeFoldState } from './fold-state.ts'
import { readHead, settleHead, type VisibleCounts } from './head.ts'
import { hideMessages } from './hidden-ranges.ts'
import { erasedKey } from './keys.ts'
import { fenceLease } from './leases.ts'
import { allIn } from './many.ts'
import { forgetPacked } from './packs.ts'
import { decodeContent, ERASED, type Extras, LINKED, type SessionRow } from './rows.ts'
import { noteErased } from './seen.ts'
import { all, first, run, type Steps } from './steps.ts'
import { type ForeignMessage, findForeign, stripForeign } from './strip-origins.ts'
import { leaveUnindexed, unindexMessages } from './unindex.ts'
import { AND_VISIBLE, countVisible } from './visible.ts'
import { settleWaiting, withdrawReplies } from './waiting.ts'
import { forgetMemos, widenFacts, withholdOver } from './withheld.ts'

/**
 * An erased message keeps its place in the log: seq, role, instants, its place among the turns, and a digest
 * of its external id. It is hidden as by a rollback. Everything that told of it is deleted or withheld in the
 * same transaction.
 */

/**
 * This many at a time keep a transaction short. Of long messages fewer are taken, since every word is taken
 * out of the index.
 */
export const MESSAGES_AT_A_TIME = 50
const OCTETS_AT_A_TIME = 4_000
/** A longer message has too many words for one transaction: see `unindexErased`. */
const MAX_OCTETS_UNINDEXED_AT_ONCE = 16_000

export interface ErasedPart {
  /** The number of erased messages. */
  readonly messages: number
  /** Every named message at or below this one is done. */
  readonly through: number
}

const ASSISTANT = ROLES.indexOf('assistant')

interface ErasedRow {
  readonly seq: number
  readonly role: number
  readonly characters: number
  readonly tokens: number
  readonly external_key: string | null
  readonly extras: string | null
  readonly is_visible: number
  /** The content of an assistant's message that calls tools. `null` for any other message. */
  readonly calls: string | null
  /** The size of all its versions together, in bytes. */
  readonly octets: number
}

/**
 * Erases the oldest of these messages, as many as are not too long together. A message that is missing or
 * already erased is skipped. The caller holds the session's lock. Folds, extractions, forks and indexing in
 * flight become void: an epoch begins that no rewrite accounts for.
 */
export function* eraseMessages(
  session: SessionRow,
  seqs: readonly number[],
  slice: Slice,
): Steps<ErasedPart> {
  const wanted = yield* readRows(session, seqs, slice)
  const rows = firstWithin(wanted)
  if (rows.length === 0) return { messages: 0, through: Math.max(0, ...seqs) }
  const before = yield* readHead(session)
  const state = yield* readFoldState(session, before, slice.warn)
  const visible = rows.filter(({ is_visible }) => is_visible === 1)
  yield* eraseRows(session, rows, slice)
  const answering = yield* forgetQuotations(session, rows, slice)
  if (visible.length > 0) yield* widenFacts(session, visible[0]!.seq)
  yield* condemnFacts(session, [...seqsOf(rows), ...answering])
  const counted = yield* decidedRows(session, { rows: visible, before, state })
  const hidden = yield* hideMessages(session, seqsOf(visible))
  if (visible.length > 0) yield* forgetDerived(hidden, [...seqsOf(visible), ...answering], slice)
  const last = yield* readHead(hidden)
  const head = last && before && (yield* settleHead(hidden, last, withoutRows(before.totals, visible)))
  const { tokens: segmentTokens } = yield* readShown(session)
  const left = yield* stateWithout(hidden, { rows: visible, before, head, state, counted })
  yield* writeFoldState(session, { ...left, segmentTokens })
  yield* noteErased(session)
  yield* forgetOutcome(session, slice)
  yield* fenceLease(session.namespace, `extraction/${session.name}`)
  yield* recordEvent({
    sessionId: session.id,
    type: 'messages-erased',
    at: slice.now,
    fromSeq: rows[0]!.seq,
    toSeq: rows.at(-1)!.seq,
  })
  const isAll = rows.length === wanted.length
  return { messages: rows.length, through: isAll ? Math.max(...seqs) : rows.at(-1)!.seq }
}

/**
 * Takes the words of other people out of messages that stay. All that was made of these messages is treated
 * as if they had been erased.
 */
export function* eraseWithin(
  session: SessionRow,
  messages: readonly ForeignMessage[],
  slice: Slice,
): Steps<void> {
  const seqs = messages.map(({ seq }) => seq).sort((one, other) => one - other)
  const state = yield* readFoldState(session, yield* readHead(session), slice.warn)
  yield* stripForeign(session, messages, slice)
  const answering = yield* forgetQuotations(session, yield* readAnswered(session, seqs), slice)
  const telling = [...new Set([...seqs, ...answering])]
  yield* widenFacts(session, seqs[0]!)
  yield* condemnFacts(session, telling)
  yield* forgetDerived(session, telling, slice)
  const { tokens: segmentTokens } = yield* readShown(session)
  yield* writeFoldState(session, { ...state, stalled: {}, segmentTokens })
  yield* noteErased(session)
  yield* forgetOutcome(session, slice)
  yield* fenceLease(session.namespace, `extraction/${session.name}`)
  for (const seq of seqs)
    yield* recordEvent({
      sessionId: session.id,
      type: 'message-edited',
      at: slice.now,
      fromSeq: seq,
      toSeq: seq,
    })
}

/**
 * Messages that answer these messages quote them, so the copies in the answers are removed. What was made of
 * the answers quotes them, too. An answer may have held nothing but a copy. Then the messages that answer it
 * quote that copy, and are treated the same. Returns all these answers.
 */
function* forgetQuotations(
  session: SessionRow,
  answered: readonly AnsweredRow[],
  slice: Slice,
): Steps<readonly number[]> {
  const answering = yield* answersTo(session, answered)
  const copies = yield* findForeign(session, answering, isAnswered)
  if (copies.length === 0) return answering
  yield* stripForeign(session, copies, slice)
  const bare = copies.filter(({ left }) => quotationOf({ content: ownContent(left) }) === '')
  if (bare.length === 0) return answering
  const rows = yield* readAnswered(
    session,
    bare.map(({ seq }) => seq),
  )
  return [...new Set([...answering, ...(yield* forgetQuotations(session, rows, slice))])]
}

/** Takes at least one row. */
function firstWithin(rows: readonly ErasedRow[]): readonly ErasedRow[] {
  let left = OCTETS_AT_A_TIME
  const end = rows.findIndex(({ octets }) => {
    left -= octets
    return left < 0
  })
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}

/** For a database that keeps all texts in their rows. */
function octetsOf(table: string): string {
  return `octet_length(${table}.content)`
}

function* readRows(
  session: SessionRow,
  seqs: readonly number[],
  { dialect: { octetsOfText: octets = octetsOf } }: Slice,
): Steps<readonly ErasedRow[]> {
  const rows = yield* allIn<ErasedRow>(
    `SELECT seq, role, characters, tokens, external_key, extras, format,
       CASE WHEN seq > 0 ${AND_VISIBLE} THEN 1 ELSE 0 END AS is_visible,
       CASE WHEN flags & ${LINKED} <> 0 AND role = ${ASSISTANT} THEN content END AS calls,
       ${octets('messages')} + coalesce((SELECT sum(${octets('v')}) FROM message_versions v
         WHERE v.session_id = messages.session_id AND v.seq = messages.seq), 0) AS octets
     FROM messages WHERE session_id = ?1 AND format <> ${ERASED} AND seq IN (*)`,
    [session.id],
    seqs,
  )
  return rows.toSorted((one, other) => one.seq - other.seq)
}

function* eraseRows(session: SessionRow, rows: readonly ErasedRow[], slice: Slice): Steps<void> {
  const seqs = seqsOf(rows)
  const isShort = ({ octets }: ErasedRow) => octets <= MAX_OCTETS_UNINDEXED_AT_ONCE
  yield* unindexMessages(session, yield* readContents(session, seqsOf(rows.filter(isShort))))
  yield* leaveUnindexed(session, seqsOf(rows.filter(row => !isShort(row))))
  const versions = yield* allIn(
    'DELETE FROM message_versions WHERE session_id = ?1 AND seq IN (*) RETURNING seq',
    [session.id],
    seqs,
  )
  for (const row of rows)
    yield* run(
      `UPDATE messages SET content = '', format = ${ERASED}, sender_id = NULL, extras = NULL, external_key = ?3,
         version = version + 1, characters = 0, tokens = 0, flags = flags & ~${LINKED}
       WHERE session_id = ?1 AND seq = ?2`,
      session.id,
      row.seq,
      digestedKey(row),
    )
  const pins = yield* allIn(
    'DELETE FROM pins WHERE session_id = ?1 AND seq IN (*) RETURNING id',
    [session.id],
    seqs,
  )
  yield* settleWaiting(session, seqs)
  yield* withdrawReplies(session, seqs[0]!)
  slice.count('messages', rows.length)
  slice.count('index', rows.length)
  slice.count('versions', versions.length)
  slice.count('pins', pins.length)
}

function seqsOf(rows: readonly ErasedRow[]): readonly number[] {
  return rows.map(({ seq }) => seq)
}

/** All versions of these messages. */
function* readContents(
  session: SessionRow,
  seqs: readonly number[],
): Steps<readonly { readonly seq: number; readonly contents: readonly Content[] }[]> {
  const rows: { seq: number; content: string; format: number }[] = []
  for (const table of ['messages', 'message_versions'])
    rows.push(
      ...(yield* allIn<(typeof rows)[number]>(
        `SELECT seq, content, format FROM ${table} WHERE session_id = ?1 AND seq IN (*)`,
        [session.id],
        seqs,
      )),
    )
  const ofSeq = Map.groupBy(rows, ({ seq }) => seq)
  return seqs.map(seq => ({ seq, contents: (ofSeq.get(seq) ?? []).map(decodeContent) }))
}

function digestedKey({ external_key, extras }: ErasedRow): string | null {
  if (external_key === null) return null
  const { externalId = external_key }: Extras = extras === null ? {} : JSON.parse(extras)
  return erasedKey(externalId)
}

/**
 * Facts that were learned from any of the messages, also those that a rollback took out. Their lines have to
 * go.
 */
function* condemnFacts(session: SessionRow, seqs: readonly number[]): Steps<void> {
  const candidates = yield* all<{ document_id: number; id: number; from_seq: number; to_seq: number }>(
    `SELECT document_id, id, from_seq, to_seq FROM facts
     WHERE session_id = ?1 AND to_seq >= ?2 AND from_seq <= ?3`,
    session.id,
    Math.min(...seqs),
    Math.max(...seqs),
  )
  const learned = candidates.filter(({ from_seq, to_seq }) =>
    seqs.some(seq => from_seq <= seq && seq <= to_seq),
  )
  for (const { document_id, id } of learned) yield* run(CONDEMN_STANDING, document_id, id)
  const marks: string[] = []
  for (const { document_id, id } of learned) marks.push(...(yield* forgetSaidAgain(document_id, id)))
  yield* forgetPacked(marks)
  for (const { document_id, id } of learned) yield* run(CONDEMN_WITHDRAWN, document_id, id)
}

const CONDEMN_STANDING = 'UPDATE facts SET gone = 2 WHERE document_id = ?1 AND id = ?2 AND gone = 0'
const CONDEMN_WITHDRAWN = 'UPDATE facts SET gone = 2 WHERE document_id = ?1 AND id = ?2 AND gone = 1'

/**
 * Deletes a fact that a rollback took out, if another fact says the same line. So the line stays for the
 * other fact. Returns the marks that stood for its packed line.
 */
function* forgetSaidAgain(documentId: number, id: number): Steps<readonly string[]> {
  const fact = yield* first<{ line: string }>(
    'SELECT line FROM facts WHERE document_id = ?1 AND id = ?2 AND gone = 1',
    documentId,
    id,
  )
  if (!fact) return []
  const [short, long] = lineKeys(JSON.parse(fact.line) as string)
  const gone = yield* all<{ mark: string }>(
    `DELETE FROM facts WHERE document_id = ?1 AND id = ?2 AND gone = 1 AND EXISTS (
       SELECT 1 FROM facts o WHERE o.document_id + 0 = ?1 AND o.line_key IN (?3, ?4) AND o.gone = 0)
     RETURNING line AS mark`,
    documentId,
    id,
    short!,
    long!,
  )
  return gone.map(({ mark }) => mark)
}

interface Erased {
  readonly rows: readonly ErasedRow[]
  readonly before: Head | null
  readonly state: FoldState
}

/**
 * The erased rows that the last decision had counted: the folded ones, and perhaps more. These rows are still
 * visible.
 */
function* decidedRows(session: SessionRow, { rows, before, state }: Erased): Steps<readonly ErasedRow[]> {
  const decided = rows.filter(({ seq }) => seq <= state.compactedThrough)
  let [through, place] = [before?.seq ?? 0, before?.totals.messages ?? 0]
  for (const row of rows.slice(decided.length).toReversed()) {
    place -= yield* countVisible(session, { after: row.seq, through })
    through = row.seq
    if (place <= state.decided.messages) decided.push(row)
  }
  return decided
}

function withoutRows<Counts extends VisibleCounts>(
  counts: Counts,
  rows: readonly ErasedRow[],
): VisibleCounts {
  const replies = rows.filter(({ role, calls }) => {
    const content = calls === null ? '' : (JSON.parse(calls) as Content)
    return isReply(ROLES[role]!, contentLinks(content))
  }).length
  return { messages: counts.messages - rows.length, replies: counts.replies - replies }
}

/**
 * The rows above keep their totals. So the folded amount is set such that the raw amount comes out right, as
 * with an edit.
 */
function* stateWithout(
  session: SessionRow,
  { rows, before, head, state, counted }: Erased & { head: Head | null; counted: readonly ErasedRow[] },
): Steps<FoldState> {
  const decided = withoutRows(state.decided, counted)
  const rest = {
    decided: {
      ...state.decided,
      messages: Math.min(Math.max(0, decided.messages), head?.totals.messages ?? 0),
      replies: Math.min(Math.max(0, decided.replies), head?.totals.replies ?? 0),
    },
    stalled: {},
  }
  if (head === null || before === null)
    return { ...state, ...rest, folded: { messages: 0, turns: 0, characters: 0, tokens: 0 } }
  const raw = rows.filter(({ seq }) => seq > state.compactedThrough)
  const folded = (field: 'characters' | 'tokens') => {
    const left = before.totals[field] - state.folded[field] - raw.reduce((sum, row) => sum + row[field], 0)
    return head.totals[field] - left
  }
  const rawMessages = before.totals.messages - state.folded.messages - raw.length
  return {
    ...state,
    ...rest,
    folded: {
      messages: head.totals.messages - rawMessages,
      turns: yield* turnsThrough(session, state.compactedThrough, head),
      characters: folded('characters'),
      tokens: folded('tokens'),
    },
  }
}

/**
 * Hidden messages were left out of these when they were hidden. Each version of the memo knows what earlier
 * versions knew.
 */
function* forgetDerived(session: SessionRow, seqs: readonly number[], slice: Slice): Steps<void> {
  yield* withholdOver(session, seqs, slice)
  slice.count('memos', yield* forgetMemos(session, Math.min(...seqs)))
}

/** Outcomes may quote what was said. If a decision was pending, the session is judged again. */
function* forgetOutcome(session: SessionRow, { count, now }: Slice): Steps<void> {
  if (session.last_outcome === null && session.pending === null) return
  count('outcomes', 1)
  yield* run(
    'UPDATE sessions SET last_outcome = NULL, pending = NULL, due_at = ?2 WHERE id = ?1',
    session.id,
    session.pending === null ? session.due_at : now,
  )
}
