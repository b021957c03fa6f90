import type { Answered, Content, Origin, Person, Role, Sender } from '../log/index.ts'

/** What a summariser needs to know of a message. */
export interface SourceMessage {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  readonly content: Content
  readonly at: Date
  readonly zone: string | null
  /** Of a line of an earlier summary whose speaker is not known as a person: the name that stands there, to be kept as it is. */
  readonly speaker?: string
  /** What it answers, where that is not the message right before it. */
  readonly answered?: Answered
  /** All of it is somebody else's, passed on by the sender. */
  readonly origin?: Origin
  /** The same by signs in the text; with the words that say whose it is, if any do. */
  readonly lead?: string | null
  /** The platform's own id. */
  readonly externalId?: string | null
  /** `seq` or external id of the message that it answers. */
  readonly replyTo?: number | string | null
  /** Days in it were told when it was made, from several days: `at` says nothing of "Friday" in it. */
  readonly daysAreTold?: boolean
}

/**
 * Asked before each call of a model: rejects where none may be made, and nothing else is asked then. Otherwise it answers
 * with a function that hears what was taken; where that is never said, what was expected stands.
 */
export type CallGate = (call: ExpectedCall) => Promise<(took: CallCost) => Promise<void>>

export interface ExpectedCall {
  /** `provider:model`. */
  readonly model: string
  /** What it is likely to take, without the answer. */
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
   * Who is known beside those who speak in `messages`, with all names that they had: where two look alike, or a name has
   * changed, a person is written with the id. Left out: no one.
   */
  readonly people?: readonly Person[]
  /** For the text, as `estimateTokens` counts. */
  readonly budgetTokens: number
  /** For the details, rendered as one line of a list each. Left out: all of them, ranked. */
  readonly detailTokens?: number
  /** IANA zone in which a message's day is read where the message names none. */
  readonly zone: string
  readonly signal?: AbortSignal
  /** `messages` (the default): what was said. `summaries`: lines of earlier summaries, to be condensed. */
  readonly of?: 'messages' | 'summaries'
  /** What the caller asked to be kept above all, in their own words. */
  readonly focus?: string
  /** To be brought up to date from the same messages, in the same call. */
  readonly memo?: MemoRequest
  /**
   * What the session's own model was last sent, up to the end of the range: a provider that caches prefixes
   * has read it already. Given only to a summariser that asks for it.
   */
  readonly prefix?: Prefix
  /** The script that the summary has to be in, as a Unicode name: an earlier try was in another one. */
  readonly script?: string
  /** What belongs into the chat's own memory for good is asked for as well. Never of summaries. */
  readonly extracts?: ExtractsRequest
  /** Given only to a summariser that asks it. */
  readonly beforeCall?: CallGate | undefined
}

export interface ExtractsRequest {
  readonly most: number
  /** That of the memory: for a conversation of which it is not clear what language it is held in. */
  readonly language: 'en' | 'zh'
}

export interface Prefix {
  readonly instructions: string
  /** As the AI SDK takes them. */
  readonly messages: readonly unknown[]
}

export interface MemoRequest {
  readonly value: Readonly<Record<string, unknown>>
  readonly instructions: readonly string[]
  /** What the memo has to look like: a JSON schema or a Standard Schema (zod). Left out: any object. */
  readonly schema?: unknown
}

/** A memo brought up to date without a summary: nothing was folded. */
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
  /** In the currency of the prices that were given; `null`: none were. */
  readonly cost: number | null
}

export interface DatedEvent {
  /** `YYYY-MM-DD`: the first day that is meant, resolved at the message's own time and in its zone. */
  readonly on: string
  /** Who said it, and the sentence. */
  readonly text: string
  readonly seq: number
}

/** A line for the chat's memory. */
export interface Extract {
  /** One line that can be read alone, and says who said it. */
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
  /** The whole memo; left out or `null`: none, which one that has `updateMemo` is asked for again. */
  readonly memo?: Readonly<Record<string, unknown>> | null
  /** In the order of the conversation. Left out where none were asked for. */
  readonly extracts?: readonly Extract[]
  readonly usage?: Usage
}

/** Asks what a person's memory (`user`), or that of a place (`scope`), should take from messages. */
export interface FactRequest {
  readonly layer: 'user' | 'scope'
  /** Whose memory it is, in the layer `user`. */
  readonly subject: { readonly id: string; readonly name: string | null } | null
  /** Oldest first. */
  readonly messages: readonly SourceMessage[]
  /** Which of them may be a source, by number: the others are only there to understand these. */
  readonly sources: ReadonlySet<number>
  /** Lines that the memory has already. */
  readonly known: readonly string[]
  /** As in `SummarizeRequest`. */
  readonly people?: readonly Person[]
  /** What is found is read in other sessions too, where others may have the same names: everyone is written with the id. */
  readonly marksAll?: boolean
  readonly zone: string
  readonly signal?: AbortSignal
  readonly beforeCall?: CallGate | undefined
}

/** Of a person: `profile` and `preferences`. Of a place: `history`, `plans` and `documents`. */
export type FactSection = 'profile' | 'preferences' | 'history' | 'plans' | 'documents'

export interface ExtractedFact {
  /** One line. */
  readonly text: string
  readonly section: FactSection
  /** One of the sources. */
  readonly seq: number
  /** The first of the messages that say it together; left out: `seq` says it alone. */
  readonly firstSeq?: number
  /** The day that it speaks of, `YYYY-MM-DD`; `null`: none, or several. */
  readonly on: string | null
  /** Places in `known`, from 0, of the lines that it takes the place of. No line is replaced by two facts. */
  readonly replaces: readonly number[]
}

export interface ExtractedFacts {
  readonly facts: readonly ExtractedFact[]
  /** Of the messages that were no sources, those that their speaker has taken back: nothing learned from them holds. */
  readonly takenBack?: readonly number[]
  readonly usage?: Usage
}

export interface Summarizer {
  /** Stored with each segment, as is `version`, so that it is known what wrote it. */
  readonly name: string
  readonly version: string
  /** It makes use of the session's own prefix, where there is one. */
  readonly reusesPrefix?: boolean
  /**
   * So many messages around those that may be sources are shown to `extractFacts`, too, for a joke that is taken back and
   * a word that is put right. Left out: none.
   */
  readonly factsReadAround?: number
  /** It asks `beforeCall` before each call of a model. Left out: a request counts as one call. */
  readonly asksBeforeCalls?: boolean
  /** What one call takes in at most. Left out: any amount. */
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
