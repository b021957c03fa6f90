import {
  type Content,
  type ContentPart,
  contentLinks,
  hasOrigins,
  type Message,
  type Person,
  ROLES,
  type Segment,
  type SegmentState,
  type Sender,
  type SessionKind,
  type Totals,
  type WindowMessage,
} from '../../log/index.ts'
import type { Decision, FoldState, Head, RawMessage } from '../../policy/index.ts'
import type { SessionTraits } from '../session-traits.ts'
import { EVENT_TYPES, type SessionKey, type StoreEvent } from '../store.ts'

/** Rows as both databases give them, and the records that the rest of the program uses. */

export interface SessionRow {
  readonly id: number
  readonly namespace: string
  readonly name: string
  readonly kind: SessionKind
  readonly user_id: string | null
  readonly scope_id: string | null
  readonly origin: string | null
  readonly settings: string | null
  readonly zone: string | null
  readonly created_at: number
  readonly epoch: number
  readonly compacted_through: number
  readonly folded_messages: number
  readonly folded_turns: number
  readonly folded_characters: number
  readonly folded_tokens: number
  readonly decided_messages: number
  readonly decided_replies: number
  readonly decided_at: number | null
  readonly last_fold_at: number | null
  readonly stalled: string | null
  readonly segment_tokens: number
  readonly overhead_tokens: number
  readonly backoff_until: number | null
  readonly failures: number
  readonly last_outcome: string | null
  readonly hidden_through: number
  readonly visible_before: number
  /** Contexts begin after this message; 0: with the first. */
  readonly begins_after: number
  readonly pending: string | null
  readonly due_at: number | null
  readonly lease_token: number
  readonly lease_owner: string | null
  readonly lease_until: number | null
  readonly calibrations: string | null
  readonly epoch_calibrations: string | null
  readonly rewrites: string | null
  readonly layers: string | null
  readonly layers_epoch: number
  readonly extracted_through: number
  readonly extract_at: number | null
  /** See `corrections.ts`. */
  readonly corrections: string | null
  readonly rebuild_at: number | null
  readonly indexed_through: number
  readonly first_epoch: number
  /** The epoch that began with the last erasure of messages here. */
  readonly erased_epoch: number | null
}

export type TraitColumns = Pick<SessionRow, 'kind' | 'user_id' | 'scope_id'>

export function traitsOf({ kind, user_id: user, scope_id: scope }: TraitColumns): SessionTraits {
  return { kind, user, scope }
}

export function settingsOf({ settings }: Pick<SessionRow, 'settings'>): Readonly<Record<string, unknown>> {
  return settings === null ? {} : JSON.parse(settings)
}

/** By name and never `*`: a later migration may add columns while this program runs. */
export const SESSION_COLUMNS = `id, namespace, name, kind, user_id, scope_id, origin, settings, zone, created_at, epoch,
  compacted_through, folded_messages, folded_turns, folded_characters, folded_tokens,
  decided_messages, decided_replies, decided_at, last_fold_at, stalled, segment_tokens,
  overhead_tokens, backoff_until, failures, last_outcome, hidden_through, visible_before,
  begins_after, pending, due_at, lease_token, lease_owner, lease_until, calibrations, epoch_calibrations,
  rewrites, layers, layers_epoch, extracted_through, extract_at, corrections, rebuild_at, indexed_through,
  first_epoch, erased_epoch`

export interface HeadRow {
  readonly seq: number
  readonly at: number
  readonly lag: number
  readonly flags: number
  readonly position: number
  readonly total_messages: number
  readonly total_turns: number
  readonly total_replies: number
  readonly total_characters: number
  readonly total_tokens: number
}

export const HEAD_COLUMNS =
  'seq, at, lag, flags, position, total_messages, total_turns, total_replies, total_characters, total_tokens'

const ASKED = 1
const ANSWERED = 2
const COMPLETE = 4
/** The message has tool calls, results or approvals: only then is its content needed to find a cut. */
export const LINKED = 8
/**
 * The message holds, or held before an edit, words that its sender did not say. Only then is its content read
 * to find whose words they are.
 */
export const FOREIGN = 16

export function flagsOf(totals: Totals, content: Content): number {
  const { opens, closes } = contentLinks(content)
  return (
    (totals.asked ? ASKED : 0) |
    (totals.answered ? ANSWERED : 0) |
    (totals.complete ? COMPLETE : 0) |
    (opens.length + closes.length > 0 ? LINKED : 0) |
    (hasOrigins(content) ? FOREIGN : 0)
  )
}

export function toHead(row: HeadRow): Head {
  return {
    seq: row.seq,
    appendedAt: row.at + row.lag,
    totals: {
      messages: row.total_messages,
      turn: row.total_turns,
      position: row.position,
      replies: row.total_replies,
      characters: row.total_characters,
      tokens: row.total_tokens,
      asked: (row.flags & ASKED) !== 0,
      answered: (row.flags & ANSWERED) !== 0,
      complete: (row.flags & COMPLETE) !== 0,
    },
  }
}

export function toFoldState(row: SessionRow): FoldState {
  return {
    compactedThrough: row.compacted_through,
    folded: {
      messages: row.folded_messages,
      turns: row.folded_turns,
      characters: row.folded_characters,
      tokens: row.folded_tokens,
    },
    decided: { messages: row.decided_messages, replies: row.decided_replies, at: row.decided_at },
    lastFoldAt: row.last_fold_at,
    stalled: row.stalled === null ? {} : JSON.parse(row.stalled),
    segmentTokens: row.segment_tokens,
    overheadTokens: row.overhead_tokens,
    backoffUntil: row.backoff_until,
  }
}

const TEXT = 0
const ESCAPED_TEXT = 1
const PARTS = 2
/** Only the place in the log is left of an erased message. */
export const ERASED = 3
/**
 * A database may keep a long text outside its row. It then adds a number to the format, so a higher format
 * marks a long text.
 */
export const MAX_FORMAT = 3

/** NUL and lone surrogates are kept, though neither database can hold them: as JSON escapes. */
export function encodeContent(content: Content): { content: string; format: number } {
  if (typeof content !== 'string') return { content: JSON.stringify(content), format: PARTS }
  if (content.isWellFormed() && !content.includes('\0')) return { content, format: TEXT }
  return { content: JSON.stringify(content), format: ESCAPED_TEXT }
}

export function decodeContent({ content, format }: { content: string; format: number }): Content {
  if (format === ERASED) return ''
  if (format !== TEXT) return JSON.parse(content) as string | readonly ContentPart[]
  // A lost page reads as NULs. Text that is stored as it is never has them.
  if (content.includes('\0')) throw new SyntaxError('stored text with NULs')
  return content
}

export interface MessageRow {
  readonly seq: number
  readonly role: number
  readonly sender: string | null
  readonly content: string
  readonly format: number
  readonly at: number
  readonly lag: number
  readonly external_key: string | null
  readonly extras: string | null
  readonly version: number
}

export const MESSAGE_COLUMNS =
  'm.seq, m.role, p.sender, m.content, m.format, m.at, m.lag, m.external_key, m.extras, m.version'
export const MESSAGE_TABLES = 'messages m LEFT JOIN senders p ON p.id = m.sender_id'

export interface Extras {
  readonly zone?: string
  readonly replyTo?: number | string
  readonly externalId?: string
}

export function toMessage(row: MessageRow, sessionId: string, compactedThrough: number): Message {
  const extras: Extras = row.extras === null ? {} : JSON.parse(row.extras)
  return {
    id: `${sessionId}/${row.seq}`,
    seq: row.seq,
    role: ROLES[row.role]!,
    content: decodeContent(row),
    sender: row.sender === null ? null : (JSON.parse(row.sender) as Sender),
    at: new Date(row.at),
    appendedAt: new Date(row.at + row.lag),
    zone: extras.zone ?? null,
    externalId: extras.externalId ?? row.external_key,
    replyTo: extras.replyTo ?? null,
    version: row.version,
    archived: row.seq <= compactedThrough,
  }
}

export interface RawRow {
  readonly seq: number
  readonly total_turns: number
  readonly characters: number
  readonly tokens: number
  /** Only set for linked messages. */
  readonly linked_content: string | null
}

export const LINKED_CONTENT = `CASE WHEN flags & ${LINKED} <> 0 THEN content END AS linked_content, format`
export const RAW_COLUMNS = `seq, total_turns, characters, tokens, ${LINKED_CONTENT}`

const NO_LINKS = { opens: [], closes: [] }

export function toRawMessage(row: RawRow): RawMessage {
  return {
    seq: row.seq,
    turn: row.total_turns,
    characters: row.characters,
    tokens: row.tokens,
    links: row.linked_content === null ? NO_LINKS : contentLinks(JSON.parse(row.linked_content) as Content),
  }
}

export interface SegmentRow {
  readonly id: number
  readonly from_seq: number
  readonly to_seq: number
  readonly message_count: number
  readonly summary: string
  readonly events: string
  readonly details: string
  readonly text: string
  readonly level: number
  readonly state: string
  readonly rolled_into: number | null
  readonly type: string
  readonly reason: string
  readonly summarizer: string
  readonly prompt_version: string
  readonly tokens_before: number
  readonly tokens_after: number
  readonly created_at: number
  /**
   * How the segment waits to be summarised again. 2: it has said nothing since an erasure. 1: it says what an
   * extract says. -1: it is provisional, and a message under it was edited since. Any other segment over an
   * edited message has the state `dirty` instead.
   */
  readonly withheld: number
  readonly window_messages: string | null
  readonly window_through: number | null
  readonly people: string | null
}

export const SEGMENT_COLUMNS = `id, from_seq, to_seq, message_count, summary, events, details, text, level, state, rolled_into,
  type, reason, summarizer, prompt_version, tokens_before, tokens_after, created_at, withheld,
  window_messages, window_through, people`

/** The people who speak in a segment, as a row stores them. */
export function peopleColumn(people: Segment['people']): string | null {
  return people && people.length > 0 ? JSON.stringify(people) : null
}

/** A rolled-up segment keeps the state that it had, so that a rollback can revive it. */
export function toSegment(row: SegmentRow): Segment {
  return {
    id: row.id,
    fromSeq: row.from_seq,
    toSeq: row.to_seq,
    messageCount: row.message_count,
    summary: JSON.parse(row.summary) as string,
    events: JSON.parse(row.events) as unknown[],
    details: JSON.parse(row.details) as unknown[],
    text: JSON.parse(row.text) as string,
    level: row.level,
    state: row.rolled_into === null ? (row.state as SegmentState) : 'rolled-up',
    rolledInto: row.rolled_into,
    type: row.type,
    reason: row.reason,
    summarizer: row.summarizer,
    promptVersion: row.prompt_version,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
    createdAt: new Date(row.created_at),
    ...(row.window_messages !== null && { window: JSON.parse(row.window_messages) as WindowMessage[] }),
    ...(row.window_through !== null && { windowThrough: row.window_through }),
    ...(row.people !== null && { people: JSON.parse(row.people) as Person[] }),
  }
}

export interface EventRow {
  readonly major: number
  readonly minor: number
  readonly namespace: string
  /** `null`: the event belongs to no session. */
  readonly name: string | null
  readonly type: number
  readonly at: number
  readonly from_seq: number | null
  readonly to_seq: number | null
  readonly data: string | null
}

export function toEvent(row: EventRow, position: string): StoreEvent {
  return {
    position,
    namespace: row.namespace,
    sessionId: row.name,
    type: EVENT_TYPES[row.type]!,
    at: new Date(row.at),
    fromSeq: row.from_seq,
    toSeq: row.to_seq,
    data: row.data === null ? null : JSON.parse(row.data),
  }
}

export function toKey(row: { readonly namespace: string; readonly name: string }): SessionKey {
  return { namespace: row.namespace, id: row.name }
}

export function toDecision(json: string | null): Decision | null {
  return json === null ? null : (JSON.parse(json) as Decision)
}
