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
  /** What a new session is. One that is there has to be the same, or it is a `SessionMismatchError`. */
  readonly traits: GivenTraits
  readonly messages: readonly MeasuredMessage[]
  readonly policy: Policy
  /**
   * Where `policy` holds for this request only: the one that holds otherwise. It says when the session is due next, and
   * its own decision is neither asked for nor kept.
   */
  readonly configured?: Policy
  readonly groupTurnMessages: number
  /** Left out: none is. */
  readonly extraction?: ExtractionRules
  /**
   * The messages that these are said to: where a rollback hid one of them since, a `TakenBackError`, and nothing has
   * changed.
   */
  readonly follows?: readonly number[]
  /** Each of the messages that is new waits for an answer. */
  readonly awaits?: Awaits
  readonly answers?: Answers
  /** In which those of the messages are said that name none. Left out: it is not known. */
  readonly zone?: string
  readonly now: number
}

export interface AppendReceipt {
  /** One for each message of the request, in its order. */
  readonly messages: readonly {
    readonly seq: number
    readonly duplicate: boolean
    /** A repeat of a message that a rollback or an erasure has hidden: it stays so. Left out: it can be seen. */
    readonly hidden?: true
  }[]
  /** The one that they are in, and an epoch of it that is not later than this append. */
  readonly session: Pick<SessionRecord, 'number' | 'epoch'>
  /** As after this append; `null` where the session is empty. */
  readonly snapshot: Snapshot | null
  readonly decision: Decision | null
  readonly dueAt: number | null
  /** When its user or scope memory is to be extracted; `null`: there is nothing to extract. */
  readonly extractAt: number | null
  /** What was given, and the session is without: an append assigns nothing. Left out: there is no such trait. */
  readonly unassigned?: readonly AssignableTrait[]
}

/** A message by what it says, and not by its place. */
export type ExpectedMessage = Pick<NewMessage, 'role' | 'content'>

/** Takes the newest messages back and adds others in their place. */
export interface TailRequest extends AppendRequest {
  /** What the newest visible messages say, oldest first: they are hidden. `everything`: all that are visible are. */
  readonly expected: readonly ExpectedMessage[] | 'everything'
  /** `null`: asked for twice, it is made twice. */
  readonly operation: Operation | null
}

/** Where it was made before, the figures are `null`. */
export interface TailReceipt extends AppendReceipt {
  /** The operation had been made before: nothing has changed now. */
  readonly repeated: boolean
}

export interface MessageRange {
  /** Messages above this `seq`. */
  readonly after?: number
  /** Messages below this `seq`. */
  readonly before?: number
  readonly limit: number
  /** Which end to begin at. The answer is in ascending order in either case. */
  readonly from: 'oldest' | 'newest'
  /** With what each message answers; left out: without. */
  readonly answered?: boolean
}

/** Some messages by their numbers. */
export interface MessagesAt {
  readonly seqs: readonly number[]
  /** With what each message answers; left out: without. */
  readonly answered?: boolean
}

export interface MessageVersion {
  readonly version: number
  readonly content: Content
  /** `null`: the current one. */
  readonly replacedAt: Date | null
}

/** A message with its place among the turns and its measured size. */
export interface LoggedMessage extends Message {
  readonly turn: number
  readonly tokens: number
}

export interface EditReceipt {
  readonly version: number
  /** When segments over it are made anew; left out: none tells of what it said before. */
  readonly rebuildAt?: number
  /** When user or scope memory reads it again; left out: neither has read it. */
  readonly extractAt?: number
}

/** The messages of sessions: an append-only log whose `seq`s have no gaps and are never used again. */
export interface LogStore {
  /**
   * Adds messages in order, all or none, with gapless `seq`s from 1 in each session, in the order of
   * the calls. Creates the session. A message whose external id is known adds nothing and is answered
   * with the first one's `seq`; with other content it is a `MessageConflictError`, which fails this
   * request alone. One that was erased is known, too, whatever it says now. Inside the same transaction the policy's built-in rules are judged; their decision
   * becomes the session's pending one. Calls that arrive together share one commit.
   */
  append(request: AppendRequest): Promise<AppendReceipt>
  /**
   * Rolls back and appends in one transaction, in the order of the calls of `append`. Creates the session. If the
   * newest messages are not those that are expected, whatever the order of the fields in their parts, it is a
   * `HistoryConflictError`. An operation that was made before is answered with the messages of that time; under the
   * same id another one is a `HistoryConflictError`, too. Operations belong to their session: a fork has none of
   * them, an exported file neither; where everything is taken back, earlier ones are forgotten.
   */
  replaceTail(request: TailRequest): Promise<TailReceipt>
  /**
   * Replaces a message's content; the earlier one stays as a version. Tool calls and results may not
   * come or go. Begins an epoch, and marks the segments over it dirty: they are to be made anew after `rebuildDelayMs`
   * (0), together with what is edited meanwhile. What memory learned from the earlier content is withdrawn. The same
   * content again changes nothing. Answers with the version that is current now.
   */
  edit(
    key: SessionKey,
    change: { seq: number; content: Content; size: Size; now: number; rebuildDelayMs?: number },
  ): Promise<EditReceipt>
  /**
   * Hides every message above `toSeq`; nothing is deleted and no `seq` is used again. Segments that
   * reach past it, and windows of somebody who had read on, go, those rolled up into them are shown again, cursor and memo go back with them.
   * Begins an epoch. Where there is nothing above, it changes nothing.
   */
  rollback(key: SessionKey, change: { toSeq: number; now: number }): Promise<SessionRecord>
  /** Visible messages only, in ascending order: none that a rollback hid or that was erased. */
  readMessages(key: SessionKey, which: MessageRange | MessagesAt): Promise<readonly Message[]>
  /** Whether a message of this external id was ever stored here: also where it was taken back or erased. */
  knowsExternalId(key: SessionKey, externalId: string): Promise<boolean>
  /** Oldest first, the current one last. */
  readVersions(key: SessionKey, seq: number): Promise<readonly MessageVersion[]>
}
