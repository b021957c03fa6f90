import type { Language } from '../language/index.ts'
import type { Content, Memo, Message, NewMessage, NewSegment, Pin, Segment, Size } from '../log/index.ts'
import type { Decision, FoldPlan, FoldState, Head, Policy, RawMessage, Snapshot } from '../policy/index.ts'
import type { ApiKey } from './api-key.ts'
import type { CheckResult, CheckUpRequest } from './check-up.ts'
import type {
  CopyImport,
  CopyPage,
  CopyPlace,
  CopyReceipt,
  CopyRow,
  CopyState,
  NamespaceCount,
} from './copying.ts'
import type {
  DocumentKey,
  DocumentRecord,
  DocumentVersion,
  DocumentWrite,
  Fact,
  FrozenLayers,
  LayerName,
  LayerText,
  LayerVersion,
  MirrorState,
  ScopeLearnsFrom,
} from './document.ts'
import type {
  Erasable,
  ErasablePlace,
  ErasureRecord,
  ErasureStage,
  ErasureTarget,
  RebuiltSegment,
  ScrubState,
  WithheldSegment,
} from './erasure.ts'
import type { Allowance, Answers, Awaits, WaitingEntry } from './inbox.ts'
import type { Operation } from './operation.ts'
import type { RequestName, RequestState } from './repeatable-request.ts'
import type { IndexRequest, IndexWork, IndexWrite, SearchPage, SearchRequest } from './search.ts'
import type { SeenSession } from './seen.ts'
import type { FileMessage, SessionFile } from './session-file.ts'
import type { AssignableTrait, GivenTraits, SessionTraits } from './session-traits.ts'
import type { CallReservation, Spending, SpendLimitReached, SpendRequest } from './spending.ts'

/** A session's whole key. Nothing is ever read or written without the namespace. */
export interface SessionKey {
  readonly namespace: string
  readonly id: string
  /**
   * What the caller takes the session for. Every call with such a key is a `SessionMismatchError` where the session is
   * something else, checked in the transaction of the call. Left out: the caller does not say.
   */
  readonly traits?: GivenTraits
  /**
   * For writes: this very session, as it was seen. Where it is gone, or something of what was seen was erased since, an
   * `ErasedMeanwhileError`, and nothing has changed: also where another one bears its name by now. Left out: whatever
   * bears the name.
   */
  readonly seen?: SeenSession
}

/** One text for a key that no other key has: for maps. */
export function keyName({ namespace, id }: SessionKey): string {
  return JSON.stringify([namespace, id])
}

type Calibrations = Readonly<Record<string, unknown>>

export interface SessionRecord extends SessionTraits {
  readonly id: string
  /** No other session ever has it, whatever its name. */
  readonly number: number
  readonly createdAt: Date
  readonly origin: { readonly sessionId: string; readonly seq: number } | null
  readonly settings: Readonly<Record<string, unknown>>
  /** In which those of its messages were said that name none; `null`: not known. */
  readonly zone: string | null
  readonly epoch: number
  /** The epoch that it began with. One of this name that was erased had lower ones. */
  readonly firstEpoch: number
  readonly state: FoldState
  /** Contexts begin after this message; 0: with the first. */
  readonly beginsAfter: number
  /** The newest visible message; `null` in an empty session. */
  readonly head: Head | null
  /** The instant of that message, which is not when it reached the log. */
  readonly lastMessageAt: Date | null
  readonly segments: number
  /** Of those that are shown. The state's figure has those of the pins, too. */
  readonly segmentTokens: number
  readonly memo: Memo | null
  readonly pending: Decision | null
  readonly dueAt: Date | null
  /** Until when somebody holds the lease on it; `null`: nobody does. */
  readonly leaseUntil: Date | null
  readonly failures: number
  /** How models' own token counts relate to ours: as learned, and as this epoch began with. */
  readonly calibrations: { readonly learned: Calibrations; readonly inForce: Calibrations }
  readonly lastOutcome: Readonly<Record<string, unknown>> | null
  /** Of this epoch; `null`: no context has been made in it. */
  readonly layers: FrozenLayers | null
  /** That of the newest epoch in which a context was made; `null`: none was, or nothing has told it yet. */
  readonly language: Language | null
  /** The newest message that user or scope memory was extracted from. */
  readonly extractedThrough: number
  /** Messages that were edited since, and are to be read again; left out: there are none. */
  readonly unlearned?: readonly number[]
}

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

/** When user and scope memory are extracted. */
export interface ExtractionRules {
  /** `turn`: after each complete turn. `batch`: after so many messages, or when the session falls silent. */
  readonly when: 'turn' | 'batch' | 'off'
  readonly batchMessages: number
  /** How long a silence is; for less than a quarter of a batch it has to be longer. */
  readonly idleMs: number
  /** Left out: no longer. */
  readonly longIdleMs?: number
  /** Left out: `shared`. */
  readonly scopeLearnsFrom?: ScopeLearnsFrom
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

/** Gives a session what it is without. */
export interface Assignment {
  readonly user: string | null
  readonly scope: string | null
  /** Left out: nothing is extracted. */
  readonly extraction?: ExtractionRules
  readonly now: number
}

export interface AssignmentReceipt {
  /** Empty: it had them already, and nothing has changed. */
  readonly assigned: readonly AssignableTrait[]
  /** As an append's. */
  readonly extractAt: number | null
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

export interface ContextRequest {
  /** Of the raw messages the newest are read until they have so many tokens; at least one. */
  readonly tokens: number
  /** If those are all that are raw, of the folded ones the newest likewise. 0: none. */
  readonly archivedTokens: number
  /** What the caller has: if the epoch is still the same, only what came after it is read. */
  readonly since?: { readonly epoch: number; readonly seq: number }
  /** Of the messages none above this one, which lies above the cursor, is read or counted; `since` is none then. */
  readonly through?: number
  /** Of the daily log, where the epoch has none frozen. */
  readonly days?: readonly string[]
}

/** What a context is made of, read at one instant. */
export interface ContextRead {
  readonly session: SessionRecord
  /** `null`: the epoch is that of `since`, so they are the same. */
  readonly base: {
    /** Those that are not rolled up, oldest first, and none of before the newest beginning. */
    readonly segments: readonly (Pick<
      Segment,
      'fromSeq' | 'toSeq' | 'level' | 'text' | 'tokensAfter' | 'people'
    > & {
      /** Of one from the first schema, which has no text: what the text is made of. */
      readonly untold?: Pick<Segment, 'summary' | 'events' | 'details'>
    })[]
  } | null
  /** In the order in which they were pinned. */
  readonly pins: readonly ContextPin[]
  /** The newest ones, oldest first, without a gap: none of before the newest beginning. */
  readonly messages: readonly LoggedMessage[]
  /** There is no visible message below them, or only such as lie before the newest beginning. */
  readonly isWhole: boolean
  /** Above this message all is raw: the cursor, or the newest beginning where that is later. */
  readonly rawAfter: number
  /** What lies above it. */
  readonly raw: { readonly messages: number; readonly tokens: number }
  /**
   * As they are now, of all documents that this session may see and no others; the daily log of the days
   * that are frozen and of later ones that are asked for, or of all those where none are frozen.
   */
  readonly layers: readonly LayerVersion[]
  /**
   * Messages that segments tell of as they were before an edit, the one that was edited last being the last; none from
   * before a new beginning.
   */
  readonly corrected: readonly Message[]
}

export interface ContextPin extends Pin {
  /** `null`: a note. */
  readonly message: Message | null
}

export interface NewPin {
  readonly seq: number | null
  readonly note: string | null
  readonly tokens: number
  /** All pins of the session together. */
  readonly mostTokens: number
  readonly now: number
}

/** What a plan is made of, read at one instant: raw messages, oldest first, without content. */
export interface PlanSource {
  readonly session: SessionRecord
  readonly chapter: Chapter
  /** Of the chapter alone. */
  readonly raw: readonly RawMessage[]
}

/** What a fold may take its messages from: the log between two beginnings, where the cursor is. */
export interface Chapter {
  /** 0: it begins with the first message. */
  readonly afterSeq: number
  /** `null`: it goes on; otherwise a later one has begun, and all that is raw of this one is to be folded. */
  readonly throughSeq: number | null
}

/** A place in the log after which contexts begin anew. */
export interface Beginning {
  /** The newest message when it was made: it lies before it. */
  readonly afterSeq: number
  readonly at: Date
}

export interface BegunAnew {
  readonly beginning: Beginning
  /** What there is to do then. */
  readonly judged: Judged
}

/** A part of the raw messages, from the oldest on. What is left out does not bound it. */
export interface PlanPage {
  /** Messages above this `seq`. */
  readonly after?: number
  /** Messages up to and including this `seq`. */
  readonly through?: number
  readonly limit?: number
}

export interface Lease {
  /** Grows with every acquisition: a holder with an older one can commit nothing. */
  readonly token: number
  readonly epoch: number
  readonly until: number
  /** Of the session itself. */
  readonly settings: Readonly<Record<string, unknown>>
  /** What waited to be carried out when it was given. */
  readonly pending: Decision | null
  /** By the given policy; `null`: none was given. */
  readonly judged: Judged | null
}

/** What there is to do with a session. */
export interface Judged {
  /** `null`: there is no message. */
  readonly snapshot: Snapshot | null
  /** Of the built-in rules, or what was asked for from outside of them and still waits: the severest. */
  readonly decision: Decision | null
  /** When it is to be judged again, if nothing happens. */
  readonly dueAt: number | null
}

export interface FoldCommit {
  readonly key: SessionKey
  /** Chosen by the caller, once per fold: a repeat finds its earlier result and changes nothing. */
  readonly operationId: string
  readonly leaseToken: number
  readonly expectedEpoch: number
  readonly plan: FoldPlan
  /** The newest message when the range was frozen. */
  readonly head: Head
  /**
   * In order of their level. Each stands for the shown segments that it absorbs, by their ids or, for
   * those of this same commit, by their place in this list as a negative number (-1 is the first). One with a
   * window is of level 1, stands alone, for all that are shown and for the range, if there is one.
   */
  readonly segments: readonly (NewSegment & { readonly absorbs: readonly number[] })[]
  readonly memo: Memo | null
  /** What the fold leaves in chat memory and daily log. */
  readonly documents?: readonly DocumentWrite[]
  readonly outcome: Readonly<Record<string, unknown>>
  /** By which what is left to do is judged, unless it has judges of the caller's own; left out: it is not. */
  readonly policy?: Policy
  readonly now: number
}

/** What was extracted from a range of messages: stored with its cursor, or not at all. */
export interface ExtractionCommit {
  readonly key: SessionKey
  /** Of the lease `extraction/{session}`. */
  readonly leaseToken: number
  /** The cursor as it was. */
  readonly after: number
  readonly through: number
  /** How many messages were read between them, and the sum of their versions: if they are others now, it is void. */
  readonly read: { readonly messages: number; readonly versions: number }
  /** Messages that were edited since they were read first, and read again; the cursor stays then. */
  readonly relearned?: readonly { readonly seq: number; readonly version: number }[]
  readonly documents: readonly DocumentWrite[]
  /**
   * Messages, below the cursor too, that their speaker has taken back: what extractions learned from them goes from these
   * documents, behind the writes, and what it had replaced holds again.
   */
  readonly takenBack?: readonly number[]
  readonly rules: ExtractionRules
  readonly now: number
}

export interface EditReceipt {
  readonly version: number
  /** When segments over it are made anew; left out: none tells of what it said before. */
  readonly rebuildAt?: number
  /** When user or scope memory reads it again; left out: neither has read it. */
  readonly extractAt?: number
}

/** What a session has to make anew since messages were edited. */
export interface OutdatedWork {
  /** The first that tells of a message as it was, of those before others that stand for them; `null`: none does any more. */
  readonly segment: WithheldSegment | null
  readonly dueAt: number
  /** How often it has failed in a row. */
  readonly failures: number
}

export interface FoldReceipt {
  readonly segmentIds: readonly number[]
  readonly epoch: number
  /** The operation had been committed before. */
  readonly repeated: boolean
  /**
   * By the commit's policy; `null` where there is none, or one with judges of the caller's own, which no transaction
   * asks; where it was made before; and where there is no message any more.
   */
  readonly judged: Judged | null
}

/** Stored by their place in this list: new ones go to its end. */
export const EVENT_TYPES = [
  'session-created',
  'message-appended',
  'message-edited',
  'session-rolled-back',
  'session-forked',
  'session-imported',
  'fold-committed',
  'fold-failed',
  'memory-changed',
  'messages-erased',
  'session-assigned',
  'session-begun-anew',
  'beginning-taken-back',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Says that something happened and where, never what was said. */
export interface StoreEvent {
  /** Opaque, and in order: resume by handing in the last one that was seen. */
  readonly position: string
  readonly namespace: string
  /** `null`: it concerns no session, as with a change of a person's memory. */
  readonly sessionId: string | null
  readonly type: EventType
  readonly at: Date
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly data: Readonly<Record<string, unknown>> | null
}

/** A fold that was committed, or failed. */
export interface FoldEvent {
  /** Grows from one to the next. */
  readonly id: number
  readonly outcome: 'applied' | 'failed'
  readonly at: Date
  readonly fromSeq: number | null
  readonly toSeq: number | null
  /** As the event has it. */
  readonly data: Readonly<Record<string, unknown>>
}

/** How large a log was with a message in it. */
export interface GrowthPoint {
  readonly seq: number
  /** The message's instant. */
  readonly at: Date
  /** Of all messages through this one, as they were when they came. */
  readonly tokens: number
}

/**
 * What every store promises, and `testing/store-contract.ts` checks. A call that fails has changed
 * nothing; one that was acknowledged survives the process and, with the default durability, the power.
 */
export interface Store {
  /** For errors and logs: never a password. */
  readonly name: string
  /** Where the list of what was erased is kept unless the caller names a file, once it is open. Left out or `null`: nowhere. */
  readonly erasedList?: string | null

  /** Connects and migrates. A repeat does nothing. */
  open(): Promise<void>
  /** Waits for what is under way; afterwards every call is a `ClosedError`. */
  close(): Promise<void>

  /**
   * Adds messages in order, all or none, with gapless `seq`s from 1 in each session, in the order of
   * the calls. Creates the session. A message whose external id is known adds nothing and is answered
   * with the first one's `seq`; with other content it is a `MessageConflictError`, which fails this
   * request alone. One that was erased is known, too, whatever it says now. Inside the same transaction the policy's built-in rules are judged; their decision
   * becomes the session's pending one. Calls that arrive together share one commit.
   */
  append(request: AppendRequest): Promise<AppendReceipt>

  /**
   * Gives a session the user or the scope that it is without, each once: from then on it is as though it had been
   * created so, with all that was said in it before. Begins an epoch, since other memory is shown now; folds in flight
   * go on, and extractions in flight are void. What it has already changes nothing; another one is a
   * `SessionMismatchError`.
   */
  assignTraits(key: SessionKey, assignment: Assignment): Promise<AssignmentReceipt>

  /**
   * What waits for an answer or for its delivery, in the order in which it came, of all sessions of a namespace:
   * nothing of what was hidden or erased. Of the messages that an append `answers`, the first stays here with its
   * `reply` until it is settled; the others go. An append that answers and is a repeat as a whole changes nothing
   * here either. An erasure withdraws the replies that may quote what it erases: those that come after a message of
   * theirs, and all in sessions that are shown memory of it. With `sessionId`: of that session alone. Pages are of one
   * reading: what was written at the same time may appear in any order, so the next reading begins anew.
   */
  readWaiting(
    namespace: string,
    page: { sessionId?: string; after?: number; limit: number },
  ): Promise<readonly WaitingEntry[]>
  /**
   * A message that is in the log waits from now on, as though it had been appended so. `false`: it waits already, or
   * cannot be seen.
   */
  awaitAnswer(key: SessionKey, change: { seq: number; awaits: Awaits; now: number }): Promise<boolean>
  /** What became of an attempt to answer, what is left out stays; nothing where the message does not wait any more. */
  noteWaiting(key: SessionKey, note: { seq: number; attempts?: number; sent?: unknown }): Promise<void>
  /** They wait no longer: the answer is delivered, or there will be none. Those that do not wait are no error. */
  settleWaiting(key: SessionKey, seqs: readonly number[]): Promise<void>

  /** The name of the session that is reached under this one, too, as `addAlias` has it; `null`: there is none. */
  readAlias(key: SessionKey): Promise<string | null>
  /**
   * The session is reached under this name, too, until it is erased. Again, it changes nothing. `false`: there is no
   * such session, another one bears the name, or has it as its alias.
   */
  addAlias(key: SessionKey, alias: string): Promise<boolean>
  /** How often something was done in the session lately; 0 where there is no such session. */
  countAllowance(key: SessionKey, allowance: Omit<Allowance, 'limit'>): Promise<number>
  /**
   * Counts that it is done now. `false`: it was done as often as it may be, or there is no such session, and nothing
   * has changed. Of calls at once, over all processes, no more succeed than there are left.
   */
  takeAllowance(key: SessionKey, allowance: Allowance): Promise<boolean>

  /**
   * What there is to be seen of a session now, for the key of later writes. Where there is none, a session that comes to
   * bear the name is taken for it, until one of the name is erased.
   */
  readSeen(key: SessionKey): Promise<SeenSession>
  /** Refuses as a write with this key would be. What it allows may be erased right after: a write asks once more. */
  checkSeen(key: SessionKey): Promise<void>
  /** `null` where there is none. A cursor that makes no sense is taken as none, with a warning. */
  readSession(key: SessionKey): Promise<SessionRecord | null>
  /**
   * In ascending order of their ids as bytes, those above `after`. Ids that agree in their first 200
   * characters have some order of their own, which stays. With `contains`: those whose id contains it, whatever the
   * case of letters of ASCII.
   */
  listSessions(
    namespace: string,
    page: { after?: string; limit: number; contains?: string },
  ): Promise<readonly SessionRecord[]>
  /**
   * Those in which something happened last, the newest first, as far as the newest few thousand events of the store
   * tell: it costs the same however many sessions and events there are.
   */
  listRecentSessions(
    namespace: string,
    page: { limit: number; contains?: string },
  ): Promise<readonly SessionRecord[]>
  /** Visible messages only: none that a rollback hid or that was erased. */
  readMessages(key: SessionKey, range: MessageRange): Promise<readonly Message[]>
  /** Whether a message of this external id was ever stored here: also where it was taken back or erased. */
  knowsExternalId(key: SessionKey, externalId: string): Promise<boolean>
  /** Oldest first, the current one last. */
  readVersions(key: SessionKey, seq: number): Promise<readonly MessageVersion[]>
  /** In order of `fromSeq`, then of level. */
  readSegments(
    key: SessionKey,
    which: 'shown' | 'all',
    range?: { after?: number },
  ): Promise<readonly Segment[]>
  /** One of them with those that it stands for, oldest first; `null` where there is none. */
  readSegment(
    key: SessionKey,
    id: number,
  ): Promise<{ readonly segment: Segment; readonly lower: readonly Segment[] } | null>
  /** Folds that were committed or failed, the newest first, those whose id is below `before`. Of a fork: its own. */
  readFolds(key: SessionKey, page: { before?: number; limit: number }): Promise<readonly FoldEvent[]>
  /**
   * The running total of tokens at so many of the visible messages (2 or more), evenly spread, the first and the newest
   * included, in ascending order; where there are fewer messages, at each. It costs what it answers with.
   */
  readGrowth(key: SessionKey, points: number): Promise<readonly GrowthPoint[]>
  readContext(key: SessionKey, request: ContextRequest): Promise<ContextRead | null>
  /**
   * Raw messages only, the oldest of those that the page asks for: it costs what it reads, however many
   * there are. Pages that were read in one epoch, through one `seq`, are parts of one whole.
   */
  readPlan(key: SessionKey, page?: PlanPage): Promise<PlanSource | null>

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

  /**
   * From now on contexts begin after the newest message, or after `afterSeq` where others came since (at the cursor, if
   * it lies inside the folded part), and no fold reaches over that place; what is raw before it is
   * to be folded. Counters of the policy begin anew. Begins an epoch: a fold in flight is refused. `null`: nothing was
   * said since the newest beginning, so nothing has changed. A rollback to before it takes it back; a fork, a copy and a
   * file have it.
   */
  beginAnew(
    key: SessionKey,
    change: { afterSeq?: number; policy: Policy; now: number },
  ): Promise<BegunAnew | null>
  /**
   * Takes the newest beginning back, and what was folded because of it, if nothing after it is folded yet. Begins an
   * epoch. `null`: there is none.
   */
  takeBackBeginning(key: SessionKey, change: { policy: Policy; now: number }): Promise<BegunAnew | null>
  /** Oldest first. */
  readBeginnings(key: SessionKey): Promise<readonly Beginning[]>

  /**
   * Rolls back and appends in one transaction, in the order of the calls of `append`. Creates the session. If the
   * newest messages are not those that are expected, whatever the order of the fields in their parts, it is a
   * `HistoryConflictError`. An operation that was made before is answered with the messages of that time; under the
   * same id another one is a `HistoryConflictError`, too. Operations belong to their session: a fork has none of
   * them, an exported file neither; where everything is taken back, earlier ones are forgotten.
   */
  replaceTail(request: TailRequest): Promise<TailReceipt>

  /**
   * A new session with the visible messages through `atSeq`, under the same `seq`s. It keeps the folds
   * unless `atSeq` lies inside the folded part, or below what a window may tell of: then it starts unfolded. It
   * appears whole or not at all;
   * a rewriting of the original meanwhile is an `EpochConflictError`.
   */
  fork(key: SessionKey, change: { newId: string; atSeq: number; now: number }): Promise<SessionRecord>

  /** Everything about a session, hidden messages and versions included; of erased ones, that they were there. */
  exportSession(key: SessionKey): Promise<SessionFile>
  /** The reverse: `exportSession` then gives the same file. It appears whole or not at all. */
  importSession(
    key: SessionKey,
    file: SessionFile,
    options: { measure: (message: FileMessage) => Size; groupTurnMessages: number; now: number },
  ): Promise<void>

  /** Namespaces that hold anything, in ascending order of their bytes, those above `after`. */
  listNamespaces(page: { after?: string; limit: number }): Promise<readonly NamespaceCount[]>
  /** `null` where there is none. It costs the same however long the session is. */
  readCopyState(key: SessionKey): Promise<CopyState | null>
  /**
   * A page of all that a session is, for another store; `null`: the first. Pages are parts of one whole, as it was
   * when the last one was read: what is added meanwhile is in it; if it is rewritten meanwhile, it is an
   * `EpochConflictError`.
   */
  readCopyPage(key: SessionKey, place: CopyPlace | null): Promise<CopyPage>
  /**
   * The reverse: the session has then the same pages, figures and times included; where something of its name was
   * erased here, with higher epochs and versions. It appears whole or not at all. One that was broken off is gone on
   * with if the epoch of the original is still the same; of two at once the first fails with a `LeaseLostError`. A
   * session of this name that is not the one to be replaced is a `SessionExistsError`. Searching it is slower until
   * it is indexed.
   */
  importCopy(key: SessionKey, copy: CopyImport): Promise<CopyReceipt>
  /** Notes that a copy was read again and has this hash. */
  noteVerified(key: SessionKey, hash: string): Promise<void>
  /** All that a document is; `null` where there is none. */
  readDocumentCopy(key: DocumentKey): Promise<readonly CopyRow[] | null>
  /**
   * The reverse, for a document that belongs to no session, in place of the one with this hash (`null`: there is
   * none); if it is another one, it is a `DocumentConflictError`. The sessions that it learned from come first.
   */
  importDocumentCopy(
    key: DocumentKey,
    copy: { rows: readonly CopyRow[]; replaces: string | null; now: number },
  ): Promise<void>

  /** In the order in which they were pinned, those of hidden messages included. */
  readPins(key: SessionKey): Promise<readonly Pin[]>
  /**
   * Keeps a visible message or a note in every context from now on. A message that is pinned already
   * stays so. Where all together would be too large, an `InvalidArgumentError`.
   */
  pin(key: SessionKey, pin: NewPin): Promise<Pin>
  /** `false`: there was no such pin. */
  unpin(key: SessionKey, id: number): Promise<boolean>

  /** Sets some of a session's own settings as `writeSettings` does. */
  updateSettings(
    key: SessionKey,
    changes: Readonly<Record<string, unknown>>,
    options?: { readonly expected?: Readonly<Record<string, unknown>> },
  ): Promise<void>
  /** A session's own settings; none where there is no session. */
  readOwnSettings(key: SessionKey): Promise<Readonly<Record<string, unknown>>>
  /** What was set at run time for a whole namespace, by name; nothing else is in it. */
  readSettings(namespace: string): Promise<Readonly<Record<string, unknown>>>
  /**
   * Sets some of them, all or none, and leaves the others as they are; `null` takes one away. Values are
   * kept as JSON. Of two calls at once for the same name one is the last, and its value stays. With `expected`
   * they have to be these, or it is a `SettingsConflictError`.
   */
  writeSettings(
    namespace: string,
    changes: Readonly<Record<string, unknown>>,
    options?: { readonly expected?: Readonly<Record<string, unknown>> },
  ): Promise<void>
  readIdentity(): Promise<Identity>
  /** Grows with every change of settings or keys, in any namespace and by any process. */
  readRevision(): Promise<number>

  /** A `KeyExistsError` where the namespace has one of this name. */
  addKey(key: ApiKey): Promise<void>
  /** `null`: there is none, or not any more. */
  readKey(id: string): Promise<ApiKey | null>
  /** Of all namespaces, in the order of namespace and name. */
  listKeys(): Promise<readonly ApiKey[]>
  /** `false`: there was none. */
  removeKey(id: string): Promise<boolean>

  /** Of two calls at once one begins it. One that was begun or answered and whose time is over is begun anew. */
  beginRequest(
    namespace: string,
    request: RequestName & { now: number; until: number },
  ): Promise<RequestState>
  /**
   * Keeps what is needed to answer again. Nothing, as with the next, where the time is over for which it was begun,
   * and somebody else has begun it since.
   */
  finishRequest(
    namespace: string,
    request: { name: string; begunUntil: number; answer: unknown; until: number },
  ): Promise<void>
  /** It failed, and may be carried out when it is repeated. */
  dropRequest(namespace: string, request: { name: string; begunUntil: number }): Promise<void>

  /** The fixed part of a call (instructions, tools, output reserve), as last measured. */
  recordOverhead(key: SessionKey, tokens: number): Promise<void>

  /** As learned from providers' figures; they hold from the next epoch on. */
  recordCalibrations(key: SessionKey, calibrations: Readonly<Record<string, unknown>>): Promise<void>

  /**
   * One holder at a time over all processes; `null` while somebody else holds it. With a policy the session is judged
   * in the same transaction, as by `judge`; `once`: by a policy that holds for this time only, which leaves what is
   * pending and due as it is.
   */
  acquireLease(
    key: SessionKey,
    request: { owner: string; ttlMs: number; now: number; policy?: Policy; once?: boolean },
  ): Promise<Lease | null>
  /** `LeaseLostError` where somebody else took it since. */
  renewLease(key: SessionKey, request: { token: number; ttlMs: number; now: number }): Promise<void>
  /** Does nothing where the token is not the current one. */
  releaseLease(key: SessionKey, token: number): Promise<void>

  /**
   * Stores a fold in one transaction: segments, cursor, memo, counters, outcome and event; only if the
   * lease token is the current one, the epoch is the expected one (or only messages above the range were
   * edited since), and the range begins right above the cursor. Otherwise a typed error, and nothing has changed. Begins
   * an epoch, and lets go of the lease.
   */
  commitFold(commit: FoldCommit): Promise<FoldReceipt>
  /**
   * Notes a failed fold: what failed, and no automatic try before `backoffUntil` nor without a new message.
   * State and log stay.
   */
  failFold(
    key: SessionKey,
    failure: {
      leaseToken: number
      backoffUntil: number
      outcome: Readonly<Record<string, unknown>>
      /** The newest message when the fold was decided; left out: not known. */
      throughSeq?: number
      now: number
    },
  ): Promise<void>

  /** What the built-in rules say now, at the same cost for any log. Changes nothing. */
  readSnapshot(key: SessionKey, request: { policy: Policy; now: number }): Promise<Snapshot | null>
  /**
   * Judges the session anew by the built-in rules: sets the pending decision, or clears the one that
   * they had set, and sets when it is next due. A forced decision or one of the caller's own policy stays
   * until a fold has carried it out. `null` where there is no session.
   */
  judge(key: SessionKey, request: { policy: Policy; now: number }): Promise<Judged | null>
  /** A trigger from outside the rules: the caller's own policy, or a forced fold. The severest stays. */
  setPending(key: SessionKey, decision: Decision): Promise<void>
  /**
   * Makes jobs of sessions of any namespace that are due at or before `now`, at most so many, which are due no more then;
   * gives how many. Without a queue it changes nothing.
   */
  enqueueDue(request: { now: number; limit: number }): Promise<number>
  /**
   * Makes jobs of sessions of any namespace that are pending, for those whose job was lost: nobody gets two. Page by
   * page: gives the `after` of the next one, `null` after the last. Without a queue it changes nothing.
   */
  enqueuePending(page: { after: SessionKey | null; limit: number }): Promise<SessionKey | null>
  /**
   * For whoever carries out a job: judges as `judge` does, and where nothing is to be done ends the job in the same
   * transaction, so that no trigger falls between the two. `false`: there is more to do, and the job is not ended.
   */
  endFoldJob(
    key: SessionKey,
    request: { policy: Policy; now: number; claim: { id: string; retryCount: number } },
  ): Promise<boolean>
  /** In the order of `listSessions`, those above `after`. */
  listPending(namespace: string, page: { after?: string; limit: number }): Promise<readonly SessionKey[]>
  /** Those due at or before `now`, the longest overdue first. */
  listDue(namespace: string, page: { now: number; limit: number }): Promise<readonly SessionKey[]>
  /** When the next session is due; `null`: none is. */
  nextDueAt(namespace: string): Promise<number | null>

  /** `null` where there is none. */
  readDocument(key: DocumentKey): Promise<DocumentRecord | null>
  /** Without their contents, in order of layer and key, those above `after`. */
  listDocuments(
    namespace: string,
    page: { layer?: LayerName; after?: { layer: LayerName; key: string }; limit: number },
  ): Promise<readonly Omit<DocumentRecord, 'content'>[]>
  /**
   * Changes documents, all or none; those of a chat need its session, or a `SessionNotFoundError`. A new
   * version each, unless the content stays the same. Writers of one document wait for each other, so none
   * is lost. Answers with the documents as they are then; `null`: there is none.
   */
  changeDocuments(writes: readonly DocumentWrite[]): Promise<readonly (DocumentRecord | null)[]>
  /** Newest first, those below `before`. */
  readDocumentVersions(
    key: DocumentKey,
    page: { before?: number; limit: number },
  ): Promise<readonly DocumentVersion[]>
  /** In the order in which they came. `current`: those whose line still stands in the document. */
  readFacts(key: DocumentKey, which: 'current' | 'all'): Promise<readonly Fact[]>

  /**
   * Fixes what contexts of this epoch show of memory: what there is now, unless somebody did so before. With
   * `refresh` an epoch begins for it; folds in flight go on. An `EpochConflictError` where the epoch is
   * another one.
   */
  freezeLayers(
    key: SessionKey,
    request: {
      expectedEpoch: number
      days: readonly string[]
      language: FrozenLayers['language']
      isLanguageOpen?: boolean
      refresh: boolean
    },
  ): Promise<{ epoch: number; layers: FrozenLayers }>
  /** Of documents that this session may see, at these versions; any other is not in the answer. */
  readLayerTexts(key: SessionKey, wanted: readonly LayerVersion[]): Promise<readonly LayerText[]>
  /**
   * The lines that the condensed lines of a document stand for, the newest first, where this session may see it; none where
   * it may not. Of lines that were withdrawn or erased, or whose condensed line a person took out, none is in the answer.
   */
  readCondensedLines(
    key: SessionKey,
    document: Pick<LayerVersion, 'layer' | 'key'> & { readonly limit: number },
  ): Promise<readonly string[]>

  /** Stores what was extracted; an error where the cursor, the lease or the messages are others now. */
  commitExtraction(commit: ExtractionCommit): Promise<void>
  /** When the extraction of a session is due, by the rules as they are now; `null`: there is nothing to extract. */
  judgeExtraction(key: SessionKey, request: { rules: ExtractionRules; now: number }): Promise<number | null>
  /** Nothing is extracted before `retryAt`; `null`: before the next message. */
  failExtraction(key: SessionKey, failure: { retryAt: number | null }): Promise<void>
  /** Sessions whose extraction is due at or before `now`, the longest overdue first. */
  listExtractionDue(namespace: string, page: { now: number; limit: number }): Promise<readonly SessionKey[]>
  /** When the next extraction is due; `null`: none is. */
  nextExtractionAt(namespace: string): Promise<number | null>

  /**
   * A lease on anything that has a name, as `acquireLease` is one on a session. `null` while somebody else
   * holds it; its own holder may take it anew. `longestMs`: how long another holder may have taken it for; left out: as
   * long as this one. What is said to last longer was written by a wrong clock, and is over.
   */
  takeLease(
    namespace: string,
    request: { name: string; owner: string; ttlMs: number; longestMs?: number; now: number },
  ): Promise<{ readonly token: number } | null>
  /** Does nothing where the token is not the current one. */
  dropLease(namespace: string, request: { name: string; token: number }): Promise<void>

  /** The limit that lets this session ask a model no more, as far as is counted now; `null`: none does. Counts nothing. */
  findSpendLimit(key: SessionKey, request: SpendRequest): Promise<SpendLimitReached | null>
  /** What is counted for each model in the hour of `now`, the largest numbers of calls first. */
  readSpending(namespace: string, request: { now: number }): Promise<readonly Spending[]>
  /**
   * Counts a call that is about to be made, with the tokens that it is likely to take, in the hour of `now`, for the
   * namespace and, where a session has a limit, for the session; or nothing, where a limit is reached. No limit of calls
   * is ever exceeded, however many ask at once; one of tokens by no more than what is under way. It needs no session.
   */
  reserveCall(
    key: SessionKey,
    request: SpendRequest & { readonly tokens: number },
  ): Promise<{ readonly reserved: CallReservation } | { readonly reached: SpendLimitReached }>
  /** What a call took, in place of what was reserved for it; once for each. */
  settleCall(
    namespace: string,
    reserved: CallReservation,
    took: { readonly calls: number; readonly tokens: number },
  ): Promise<void>

  /** Documents whose file is behind, in no particular order. */
  listUnmirrored(namespace: string, page: { limit: number }): Promise<readonly MirrorState[]>
  /** Of these documents, in the order asked for; `null`: there is none. */
  readMirrorStates(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<readonly (MirrorState | null)[]>
  /** All daily documents of a day, in order of the session's id. */
  readDay(namespace: string, day: string): Promise<readonly MirrorState[]>
  /** Notes that a document's file says what this version says. */
  noteMirrored(
    namespace: string,
    states: readonly { layer: LayerName; key: string; version: number; hash: string }[],
  ): Promise<void>
  /** The folder that the files are in: with another one, every document counts as not mirrored. */
  setMirrorFolder(namespace: string, folder: string): Promise<void>
  /** `null`: the namespace has never been mirrored. */
  readMirrorFolder(namespace: string): Promise<string | null>

  /** What is wanted of the index of one session or of many, in the order of `listSessions`. */
  readSearch(namespace: string, request: SearchRequest): Promise<SearchPage>
  /** Visible messages by their seqs, in ascending order; `answered`: with what each of them answers. */
  readMessagesAt(
    key: SessionKey,
    seqs: readonly number[],
    options?: { readonly answered?: boolean },
  ): Promise<readonly Message[]>
  /** The oldest messages that are not in the index yet, and those that were edited since. `null`: there are none. */
  readIndexWork(key: SessionKey, request: IndexRequest): Promise<IndexWork | null>
  /** Puts terms into the index. `false`: the session was rewritten or indexed by somebody else since; read again. */
  writeIndex(key: SessionKey, write: IndexWrite): Promise<boolean>
  /** Sessions with messages that are not indexed, in the order of `listSessions`: of so many sessions that were looked at. */
  listUnindexed(
    namespace: string,
    page: { after?: string; limit: number },
  ): Promise<{ readonly keys: readonly SessionKey[]; readonly next: string | null }>

  /**
   * Notes that something is to be erased; it is in force once it has been carried on out of the stage `erasing`.
   * A session or a message that is not there is a `SessionNotFoundError` or a `MessageNotFoundError`; a person of
   * whom nothing is known is none. Messages may be hidden, or erased already. What bears the same name later is not
   * meant.
   */
  beginErasure(
    namespace: string,
    request: {
      target: ErasureTarget
      now: number
      /** Under which it stands in the list of what was erased; left out: it has no such id yet. */
      listId?: string
    },
  ): Promise<ErasureRecord>
  /**
   * After a restore: the same for an erasure of a list that the backup does not have, as far as what it was about is there.
   * Where nothing of it is there (`found: null`, or a session or messages that are not), it is recorded as done: so it
   * is never carried out on what bears the name later.
   */
  repeatErasure(request: {
    found: { readonly namespace: string; readonly target: ErasureTarget } | null
    listId: string
    requestedAt: Date
  }): Promise<ErasureRecord>
  /** Gives an erasure that has none its id in the list; one that has an id keeps it. */
  nameErasure(namespace: string, request: { id: number; listId: string }): Promise<ErasureRecord>
  /** Those that erasures of any namespace have, done ones too. */
  readErasureListIds(): Promise<readonly string[]>
  /** The sessions that have the same messages by forks, the one that was asked for first. One that is not there is told as asked. */
  readFamily(
    namespace: string,
    messages: { readonly sessionId: string; readonly seqs: readonly number[] },
  ): Promise<readonly { readonly sessionId: string; readonly seqs: readonly number[] }[]>
  /** Everything that an erasure can be about, of all namespaces, page by page; the same may come several times. */
  listErasable(
    from: ErasablePlace,
  ): Promise<{ readonly found: readonly Erasable[]; readonly next: ErasablePlace | null }>
  /**
   * Erases one slice, in a short transaction, and goes on to the next stage when there is no more. Only for the
   * stage `erasing`; in any other it changes nothing. Any process may go on, and several at once. Folds, extractions,
   * forks and indexing in flight of a session that it touches are void. Messages leave their `seq`; what tells of them
   * is withheld until it is made anew. What goes whole is not to be seen from its first slice on, and its name is free;
   * whatever bears it then has higher epochs, versions and tokens.
   */
  continueErasure(namespace: string, request: { id: number; now: number }): Promise<ErasureRecord>
  /**
   * From that stage to the next one, with what was done in it; in any other it changes nothing. From `scrubbing` on the
   * record no longer says whom it was about.
   */
  advanceErasure(
    namespace: string,
    request: {
      id: number
      from: Exclude<ErasureStage, 'erasing' | 'done'>
      counts?: ErasureRecord['counts']
    },
  ): Promise<ErasureRecord>
  /** `null` where there is none. */
  readErasure(namespace: string, id: number): Promise<ErasureRecord | null>
  /** Those that are not done, oldest first. */
  listOpenErasures(namespace: string): Promise<readonly ErasureRecord[]>
  /**
   * Segments that are to be made anew, within a session those before others that stand for them: `nothing`, those that say nothing yet;
   * `extract`, those that wait for a proper summary.
   */
  listWithheld(
    namespace: string,
    page: { left: 'nothing' | 'extract'; limit: number },
  ): Promise<readonly WithheldSegment[]>
  /**
   * What a withheld segment says from now on. `false`: the session is another one by now, or the segment is not withheld;
   * read again. Begins an epoch, and folds in flight are void. A provisional segment stays so.
   */
  commitRebuilt(key: SessionKey, rebuilt: RebuiltSegment): Promise<boolean>
  /** What is to be made anew since messages were edited; `null`: nothing is. */
  readOutdated(key: SessionKey): Promise<OutdatedWork | null>
  /** Where no segment tells of a message as it was any more: no correction is told any longer. Begins an epoch. */
  endCorrections(key: SessionKey, request: { leaseToken: number }): Promise<void>
  /** Making a segment anew has failed: not before `retryAt` is it tried again. */
  failRebuild(key: SessionKey, failure: { leaseToken: number; retryAt: number }): Promise<void>
  /** Sessions with segments to be made anew at or before `now`, the longest overdue first. */
  listRebuildDue(namespace: string, page: { now: number; limit: number }): Promise<readonly SessionKey[]>
  /** When the next is; `null`: none is. */
  nextRebuildAt(namespace: string): Promise<number | null>
  /** Documents that are gone and whose files may not be. */
  listErasedDocuments(namespace: string): Promise<readonly { layer: LayerName; key: string }[]>
  /** Their files are gone, too. */
  forgetErasedDocuments(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<void>
  /** Their files have to be removed: they are written anew where the documents are there. */
  noteErasedDocuments(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<void>
  /**
   * After a restore, where the files are known to have followed the erasures that were carried out again: these documents
   * and the lines that others lost are not in them, and what they say is newer than the database.
   */
  trustFiles(namespace: string, documents: readonly { layer: LayerName; key: string }[]): Promise<void>
  /**
   * Overwrites what the database has let go, in its files and its write-ahead log. `false`: a transaction still reads
   * what was there before, or an operator has to do it; try again later. Appends wait meanwhile, and do not fail.
   */
  scrub(onScrub?: OnScrub): Promise<boolean>
  /** Of an erasure in the stage `scrubbing`, as it is now. Where a database cannot tell, only `scrub` says it. */
  readScrub(namespace: string, id: number): Promise<ScrubState>

  /** Looks whether all is well, and changes nothing. A store that cannot tell has no such method. */
  checkUp?(request: CheckUpRequest): Promise<readonly CheckResult[]>

  /**
   * In the order of their commits, each once, those after `position`; `null`: from the oldest that is kept on. A
   * `PositionLostError` where the database was restored since the position was given, or events after it were trimmed.
   */
  readEvents(page: { after: string | null; limit: number }): Promise<readonly StoreEvent[]>
  /** After this position there is nothing but what happens from now on. */
  readLastPosition(): Promise<string>
  /** After this position there is every event that is kept. */
  readFirstPosition(): Promise<string>
  /**
   * That a reader of a name, one of at most 100 in its namespace, is there, and has read the events through `after`
   * (`null`: none yet). What comes after it is not trimmed, until it was not seen for four times the retention. An error as
   * `readEvents` has it.
   */
  noteConsumer(namespace: string, note: { name: string; after: string | null; now: number }): Promise<void>
  /**
   * For a reader that does not come any more: nothing is kept for it from now on, and its name is free. `false`: none of
   * this name is known. One that comes again is known again.
   */
  forgetConsumer(namespace: string, name: string): Promise<boolean>
  /**
   * Trims some of the events that are older than the retention, in a short transaction, and notes that time has passed:
   * it has to be called at least once a day. The history of folds stays, and so do events that a known reader has not read.
   */
  trimEvents(request: TrimRequest): Promise<TrimmedEvents>
}

/** Of a known reader of events. */
export const CONSUMER_NAME = /^[\w.:-]{1,100}$/
export const CONSUMER_RULE = '1 to 100 letters, digits and _ . : -'

export interface TrimRequest {
  readonly now: number
  readonly retentionMs: number
  /** How many of the newest stay, however old they are. The default: 5,000. */
  readonly keepNewest?: number
}

export interface TrimmedEvents {
  readonly deleted: number
  /** Call again. */
  readonly isMore: boolean
}

/** Which database it is. Copies of one have the same id. */
export interface Identity {
  readonly id: string
  /** Higher in a database that was restored than in the one that its backup was made of. */
  readonly generation: number
  /** Of two restores of the same backup each has its own. */
  readonly generationKey: string
}

/** Hears that a database begins to be rewritten: how large it is, and how long that usually takes. */
export type OnScrub = (work: { readonly bytes: number; readonly usualMs: number }) => void

/** Hears of what is odd but survived. */
export type Warn = (message: string, details: Readonly<Record<string, unknown>>) => void

export function warnOnStderr(message: string, details: Readonly<Record<string, unknown>>): void {
  process.emitWarning(`${message} ${JSON.stringify(details)}`, 'PalimpsestWarning')
}
