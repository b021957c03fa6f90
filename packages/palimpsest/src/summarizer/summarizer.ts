import type { Answered, Content, Origin, Person, Role, Sender } from '../log/index.ts'

/** What a summariser needs to know of a message. */
export interface SourceMessage {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  readonly content: Content
  readonly at: Date
  readonly zone: string | null
  /**
   * For a line of an earlier summary whose speaker is not known as a person: the name in that line, kept as
   * it is.
   */
  readonly speaker?: string
  /** The message that it answers, where that is not the message right before it. */
  readonly answered?: Answered
  /** All of the content is another person's, passed on by the sender. */
  readonly origin?: Origin
  /**
   * All of the content is another person's, by signs in the text. The value: the words that say whose it is;
   * `null`: no words do.
   */
  readonly lead?: string | null
  /** The id that the platform gave the message. */
  readonly externalId?: string | null
  /** `seq` or external id of the message that it answers. */
  readonly replyTo?: number | string | null
  /**
   * The line was made from several days, and days in it were resolved then. So `at` says nothing about a
   * "Friday" in it.
   */
  readonly daysAreTold?: boolean
}

/**
 * Asked before each call of a model. It rejects where no call may be made; then the model is not asked.
 * Otherwise it resolves to a function that takes what the call cost. If that function is never called, the
 * expected cost stands.
 */
export type CallGate = (call: ExpectedCall) => Promise<(took: CallCost) => Promise<void>>

export interface ExpectedCall {
  /** `provider:model`. */
  readonly model: string
  /** What the call is likely to take, without the answer. */
  readonly tokens: number
}

export interface CallCost {
  /** Left out: one. */
  readonly calls?: number
  readonly tokens: number
}

export interface SummarizeRequest {
  /** The frozen range, oldest first. */
  readonly messages: readonly SourceMessage[]
  /** The summary of what came before, so that knowledge accumulates and nothing is said twice. */
  readonly earlier: string | null
  /**
   * The people who are known beside those who speak in `messages`, with all names that they had. Where two
   * people look alike, or a name has changed, a person is written with the id. Left out: no one.
   */
  readonly people?: readonly Person[]
  /** Budget for the text, as `estimateTokens` counts. */
  readonly budgetTokens: number
  /** Budget for the details, rendered as one list line each. Left out: all details, ranked. */
  readonly detailTokens?: number
  /** IANA zone for the day of a message that names no zone of its own. */
  readonly zone: string
  readonly signal?: AbortSignal
  /** `messages` (the default): what was said. `summaries`: lines of earlier summaries, to be condensed. */
  readonly of?: 'messages' | 'summaries'
  /** What the caller asks to keep above all, in the caller's own words. */
  readonly focus?: string
  /** The memo to bring up to date from the same messages, in the same call. */
  readonly memo?: MemoRequest
  /**
   * What the session's own model was last sent, up to the end of the range. A provider that caches prefixes
   * has read it already. Given only to a summariser with `reusesPrefix`.
   */
  readonly prefix?: Prefix
  /**
   * The script that the summary has to be in, as a Unicode name. Given after an earlier try in another
   * script.
   */
  readonly script?: string
  /** Asks also for what belongs into the chat's own memory for good. Never given with `summaries`. */
  readonly extracts?: ExtractsRequest
  /** Given only to a summariser with `asksBeforeCalls`. */
  readonly beforeCall?: CallGate | undefined
}

export interface ExtractsRequest {
  readonly most: number
  /** The language of the memory: for a conversation whose own language is not clear. */
  readonly language: 'en' | 'zh'
}

export interface Prefix {
  readonly instructions: string
  /** In the form that the AI SDK takes. */
  readonly messages: readonly unknown[]
}

export interface MemoRequest {
  readonly value: Readonly<Record<string, unknown>>
  readonly instructions: readonly string[]
  /** What the memo has to look like: a JSON schema or a Standard Schema (zod). Left out: any object. */
  readonly schema?: unknown
}

/** A request to bring the memo up to date without a summary: nothing was folded. */
export interface MemoUpdateRequest
  extends Pick<SummarizeRequest, 'messages' | 'earlier' | 'people' | 'zone' | 'signal' | 'beforeCall'> {
  readonly memo: MemoRequest
}

/** What the calls of a model took, as its provider counted. */
export interface Usage {
  readonly model: string
  readonly calls: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  /** In the currency of the given prices; `null`: no prices were given. */
  readonly cost: number | null
}

export interface DatedEvent {
  /** `YYYY-MM-DD`: the first day that is meant, resolved at the message's own time and in its zone. */
  readonly on: string
  /** The speaker and the sentence. */
  readonly text: string
  readonly seq: number
}

/** A line for the chat's memory. */
export interface Extract {
  /** One line that can be read alone and names its speaker. */
  readonly text: string
  /** `YYYY-MM-DD`: the day of its message, in the zone of that message. */
  readonly on: string
  readonly seq: number
}

export interface Summary {
  readonly text: string
  readonly events: readonly DatedEvent[]
  /** Exact names, numbers, dates, links and ids that the text leaves out, verbatim, the most telling first. */
  readonly details: readonly string[]
  /**
   * The whole memo. Left out or `null`: no memo; a summariser with `updateMemo` is then asked for it again.
   */
  readonly memo?: Readonly<Record<string, unknown>> | null
  /** In the order of the conversation. Left out where the request asks for none. */
  readonly extracts?: readonly Extract[]
  readonly usage?: Usage
}

/** Asks what the memory of a person (`user`) or of a place (`scope`) should take from messages. */
export interface FactRequest {
  readonly layer: 'user' | 'scope'
  /** The person whose memory it is, in the layer `user`. */
  readonly subject: { readonly id: string; readonly name: string | null } | null
  /** Oldest first. */
  readonly messages: readonly SourceMessage[]
  /**
   * The `seq` of each message that may be a source. The other messages are only there to understand these.
   */
  readonly sources: ReadonlySet<number>
  /** Lines that the memory holds already. */
  readonly known: readonly string[]
  /** As in `SummarizeRequest`. */
  readonly people?: readonly Person[]
  /**
   * Everyone is written with the id: the facts are read in other sessions too, where other people may have
   * the same names.
   */
  readonly marksAll?: boolean
  readonly zone: string
  readonly signal?: AbortSignal
  readonly beforeCall?: CallGate | undefined
}

/** A person's memory: `profile` and `preferences`. A place's memory: `history`, `plans` and `documents`. */
export type FactSection = 'profile' | 'preferences' | 'history' | 'plans' | 'documents'

export interface ExtractedFact {
  /** One line. */
  readonly text: string
  readonly section: FactSection
  /** The `seq` of one of the sources. */
  readonly seq: number
  /**
   * The `seq` of the first message, where several messages state the fact together. Left out: the message
   * `seq` states it alone.
   */
  readonly firstSeq?: number
  /** The day that the fact speaks of, `YYYY-MM-DD`; `null`: no day, or several. */
  readonly on: string | null
  /** Indexes in `known`, from 0, of the lines that the fact replaces. No line is replaced by two facts. */
  readonly replaces: readonly number[]
}

export interface ExtractedFacts {
  readonly facts: readonly ExtractedFact[]
  /**
   * The `seq` of each message that was no source and that its speaker has taken back. Nothing learned from it
   * holds.
   */
  readonly takenBack?: readonly number[]
  readonly usage?: Usage
}

export interface Summarizer {
  /** Stored with each segment, as is `version`, so that it is known which summariser wrote the segment. */
  readonly name: string
  readonly version: string
  /** It uses the session's own prefix, where there is one. */
  readonly reusesPrefix?: boolean
  /**
   * How many messages around the sources `extractFacts` is shown as well. They show that a joke is taken
   * back, or that a word is put right. Left out: none.
   */
  readonly factsReadAround?: number
  /** It asks `beforeCall` before each call of a model. Left out: a request counts as one call. */
  readonly asksBeforeCalls?: boolean
  /** The most tokens that one call takes in. Left out: any amount. */
  readonly sourceTokens?: number
  /** Rejects with the signal's reason when aborted. */
  summarize(request: SummarizeRequest): Promise<Summary>
  /** Left out: the memo is not kept up to date. */
  updateMemo?(
    request: MemoUpdateRequest,
  ): Promise<{ readonly memo: Readonly<Record<string, unknown>>; readonly usage?: Usage }>
  /** Left out: nothing is learned about people and places. Rejects with the signal's reason when aborted. */
  extractFacts?(request: FactRequest): Promise<ExtractedFacts>
}
