import type { Content, Message, NewMessage, Size } from '../log/index.ts'
import type { Decision, Policy, Snapshot } from '../policy/index.ts'
import type { ExtractionRules } from './extraction-store.ts'
import type { Answers, Awaits } from './inbox.ts'
import type { Operation } from './operation.ts'
import type { SessionKey } from './session-key.ts'
import type { SessionRecord } from './session-store.ts'
import type { AssignableTrait, GivenTraits } from './session-traits.ts'

export interface MeasuredMessage extends NewMessage {
  readonly size: Size
}

export interface AppendRequest {
  readonly key: SessionKey
  /**
   * The traits of a new session. If the session exists, its traits must be the same, or the call fails with a
   * `SessionMismatchError`.
   */
  readonly traits: GivenTraits
  readonly messages: readonly MeasuredMessage[]
  readonly policy: Policy
  /**
   * Given where `policy` holds for this request only: the policy that holds otherwise. This one says when the
   * session is due next. Its own decision is neither asked for nor kept.
   */
  readonly configured?: Policy
  readonly groupTurnMessages: number
  /** Left out: nothing is extracted. */
  readonly extraction?: ExtractionRules
  /**
   * The messages that the new ones reply to. If a rollback has hidden one of them since, the call fails with
   * a `TakenBackError`, and nothing has changed.
   */
  readonly follows?: readonly number[]
  /** Each message of the request that is new waits for an answer. */
  readonly awaits?: Awaits
  readonly answers?: Answers
  /** The time zone of the messages that name none. Left out: it is not known. */
  readonly zone?: string
  readonly now: number
}

export interface AppendReceipt {
  /** One entry for each message of the request, in its order. */
  readonly messages: readonly {
    readonly seq: number
    readonly duplicate: boolean
    /**
     * `true`: a repeat of a message that a rollback or an erasure has hidden. It stays hidden. Left out: the
     * message can be seen.
     */
    readonly hidden?: true
  }[]
  /** The session of these messages, and one of its epochs that is not later than this append. */
  readonly session: Pick<SessionRecord, 'number' | 'epoch'>
  /** The state after this append. `null`: the session is empty. */
  readonly snapshot: Snapshot | null
  readonly decision: Decision | null
  readonly dueAt: number | null
  /** When user or scope memory is to be extracted. `null`: there is nothing to extract. */
  readonly extractAt: number | null
  /**
   * The traits that the request gave and the session lacks: an append assigns nothing. Left out: there is no
   * such trait.
   */
  readonly unassigned?: readonly AssignableTrait[]
}

/** A message by its content, and not by its place. */
export type ExpectedMessage = Pick<NewMessage, 'role' | 'content'>

/** Takes the newest messages back and adds others in their place. */
export interface TailRequest extends AppendRequest {
  /**
   * The content of the newest visible messages, oldest first: these are hidden. `everything`: all visible
   * messages are hidden.
   */
  readonly expected: readonly ExpectedMessage[] | 'everything'
  /** `null`: a request that comes twice is carried out twice. */
  readonly operation: Operation | null
}

/** If the operation was made before, the figures are `null`. */
export interface TailReceipt extends AppendReceipt {
  /** `true`: the operation had been made before, and nothing has changed now. */
  readonly repeated: boolean
}

export interface MessageRange {
  /** Messages above this `seq`. */
  readonly after?: number
  /** Messages below this `seq`. */
  readonly before?: number
  readonly limit: number
  /** The end to begin at. The answer is in ascending order in both cases. */
  readonly from: 'oldest' | 'newest'
  /** `true`: each message comes with the message that it answers. Left out: it does not. */
  readonly answered?: boolean
}

/** Selects messages by their numbers. */
export interface MessagesAt {
  readonly seqs: readonly number[]
  /** `true`: each message comes with the message that it answers. Left out: it does not. */
  readonly answered?: boolean
}

export interface MessageVersion {
  readonly version: number
  readonly content: Content
  /** `null`: this is the current version. */
  readonly replacedAt: Date | null
}

/** A message with its place among the turns and its measured size. */
export interface LoggedMessage extends Message {
  readonly turn: number
  readonly tokens: number
}

export interface EditReceipt {
  readonly version: number
  /** When the segments over the message are made anew. Left out: no segment tells what it said before. */
  readonly rebuildAt?: number
  /** When user or scope memory reads the message again. Left out: neither has read it. */
  readonly extractAt?: number
}

/** The messages of sessions. The log is append-only; its `seq`s have no gaps and are never used again. */
export interface LogStore {
  /**
   * Adds all messages or none, in their order. In each session the `seq`s begin at 1 and have no gaps, in the
   * order of the calls. A missing session is created. A message with a known external id adds nothing, and
   * the answer has the `seq` of the first message with this id. If its content differs, this request alone
   * fails with a `MessageConflictError`. The external id of an erased message stays known, whatever a new
   * message with this id says. The same transaction judges the policy's built-in rules, and their decision
   * becomes the session's pending one. Calls that arrive together share one commit.
   */
  append(request: AppendRequest): Promise<AppendReceipt>
  /**
   * Rolls back and appends in one transaction, in the order of the calls of `append`. A missing session is
   * created. The newest messages must be the expected ones; the order of the fields in their parts does not
   * matter. Otherwise the call fails with a `HistoryConflictError`. A repeat of an operation is answered with
   * the messages of the first time. Another operation under the same id fails with a `HistoryConflictError`
   * too. Operations belong to their session: a fork has none of them, and an exported file has none either.
   * Where everything is taken back, earlier operations are forgotten.
   */
  replaceTail(request: TailRequest): Promise<TailReceipt>
  /**
   * Replaces a message's content; the earlier content stays as a version. An edit may neither add nor remove
   * tool calls or results. It begins an epoch, and marks the segments over the message dirty. These are made
   * anew after `rebuildDelayMs` (the default is 0), together with what is edited meanwhile. What memory
   * learned from the earlier content is withdrawn. The same content again changes nothing. The answer has the
   * version that is current now.
   */
  edit(
    key: SessionKey,
    change: { seq: number; content: Content; size: Size; now: number; rebuildDelayMs?: number },
  ): Promise<EditReceipt>
  /**
   * Hides every message above `toSeq`. Nothing is deleted, and no `seq` is used again. Segments that reach
   * past `toSeq` are removed. Windows whose reader had read past it are removed too. The segments that were
   * rolled up into these are shown again, and cursor and memo go back with them. The rollback begins an
   * epoch. If no message lies above `toSeq`, it changes nothing.
   */
  rollback(key: SessionKey, change: { toSeq: number; now: number }): Promise<SessionRecord>
  /**
   * Visible messages only, in ascending order. Messages that were erased, or that a rollback hid, are not in
   * the answer.
   */
  readMessages(key: SessionKey, which: MessageRange | MessagesAt): Promise<readonly Message[]>
  /**
   * Whether a message with this external id was ever stored here. Messages that were taken back or erased
   * count too.
   */
  knowsExternalId(key: SessionKey, externalId: string): Promise<boolean>
  /** The oldest version comes first, the current one last. */
  readVersions(key: SessionKey, seq: number): Promise<readonly MessageVersion[]>
}
