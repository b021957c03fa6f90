import type { MemoryToolName } from '../log/index.ts'

type Said<Arguments extends readonly unknown[]> = (...said: Arguments) => string

/**
 * All that the engine itself writes into what a model reads, and the answers of a bot without a model. One
 * file has all of it in one language. A missing text does not compile.
 *
 * Names that a program looks for are the same in all languages: the tags of blocks and the names of tools.
 */
export interface Texts {
  /** The heading of a message without a sender. */
  readonly roles: Readonly<Record<'user' | 'assistant' | 'system' | 'tool', string>>
  readonly messages: {
    readonly empty: string
    /**
     * Stands beside words of the model that were not delivered. Without it, the model would take them for
     * read.
     */
    readonly undelivered: string
    readonly undeliveredRest: string
    readonly fileOf: Said<[seq: number, name: string]>
    readonly interrupted: string
    /**
     * The heading of words that the sender did not say. `from`: who said them and where, or what a link is
     * called.
     */
    readonly origins: Readonly<Record<'forward' | 'quote' | 'reply' | 'link', Said<[from: string | null]>>>
    readonly conversationBegins: string
    readonly noNewMessage: string
    /** `seq`: the message that they are left out of. `null`: it is not named. */
    readonly charactersLeftOut: Said<[count: number, seq: number | null]>
    readonly attachments: Readonly<Record<'image' | 'file' | 'audio' | 'video', string>>
    readonly seconds: Said<[number]>
    readonly calls: Said<[tool: string, input: string]>
    readonly call: Said<[tool: string]>
    readonly lateResult: Said<[tool: string, id: string]>
    readonly providerCall: Said<[tool: string, input: string]>
    readonly emptyResult: string
    readonly noResult: string
    readonly noResultYet: string
    readonly denied: Said<[reason: string | null]>
    readonly approvalCame: string
    readonly approvalLost: Said<[toolName: string | null]>
    readonly failed: Said<[text: string]>
    /** Stands in place of an old result. `seq`: the message that it is in. `null`: it is not named. */
    readonly resultLeftOut: Said<[characters: number, seq: number | null]>
    readonly itemsLeftOut: Said<[count: number]>
  }
  readonly sessionMemory: {
    readonly opening: string
    readonly segment: Said<[fromSeq: number, toSeq: number]>
    readonly dates: string
    readonly details: string
    readonly pinned: Said<[seq: number, speaker: string]>
    readonly note: string
    readonly interim: Said<[fromSeq: number, toSeq: number]>
    readonly interimRest: Said<[count: number]>
    /** For raw messages that begin within a turn. */
    readonly beginsInTurn: string
    readonly pinsLeftOut: string
    readonly segmentsLeftOut: Said<[fromSeq: number, toSeq: number]>
    readonly leftOut: string
  }
  /**
   * Tells whom a name means. The name stands alone in text that was written before the name could be
   * mistaken.
   */
  readonly people: {
    /** Stands under a segment. */
    readonly here: Said<[meanings: readonly string[]]>
    /** For names that came up since. */
    readonly above: Said<[meanings: readonly string[]]>
    /** `whom`: one person, or each of several. */
    readonly means: Said<[name: string, whom: readonly string[]]>
    /** `since`: a day, if there are several people. */
    readonly person: (known: { shown: string; now: string | null; since: string | null }) => string
    /** In a list of people, with the names that they had before. */
    readonly earlier: Said<[names: readonly string[]]>
  }
  readonly plainText: {
    readonly instructions: string
    readonly instructionsLeftOut: string
    readonly summary: string
    readonly summaryIs: string
    readonly summaryLeftOut: string
    readonly messages: string
    /** `isAll`: nothing of what was said is there. */
    readonly messagesLeftOut: Said<[count: number, isAll: boolean]>
  }
  readonly recall: string
  /** The heading of memory that has no room to be shown whole. */
  readonly recalledMemory: string
  /** The first line of a block tells what it is. The persona has none: it speaks for itself. */
  readonly layers: Readonly<Record<'global' | 'user' | 'scope' | 'chat' | 'daily', string>>
  readonly changes: {
    readonly opening: string
    readonly added: string
    readonly removed: string
    readonly more: string
  }
  readonly corrections: {
    readonly opening: string
    /** An empty text: the message says nothing any more. */
    readonly line: (corrected: { seq: number; name: string; day: string; text: string }) => string
    readonly more: Said<[seqs: readonly number[]]>
  }
  readonly guidance: {
    readonly opening: string
    readonly tools: Readonly<Record<MemoryToolName, string>>
    readonly closing: string
  }
  readonly documents: {
    readonly linesLeftOut: Said<[count: number]>
    /** Stands before the text that this many lines were condensed to. */
    readonly condensed: Said<[lines: number]>
    readonly chat: {
      readonly title: string
      readonly headings: Readonly<Record<'basics' | 'about' | 'history', string>>
      readonly labels: Readonly<Record<'kind' | 'with' | 'firstContact', string>>
      readonly kinds: Readonly<Record<'private' | 'group' | 'agent', string>>
    }
    readonly user: {
      readonly title: string
      readonly headings: Readonly<Record<'profile' | 'preferences', string>>
    }
    readonly scope: {
      readonly title: string
      readonly headings: Readonly<Record<'history' | 'plans' | 'documents', string>>
    }
  }
  readonly tools: {
    readonly descriptions: Readonly<Record<MemoryToolName, string>>
    readonly parameters: Readonly<
      Record<
        | 'content'
        | 'section'
        | 'chatSection'
        | 'query'
        | 'findLimit'
        | 'before'
        | 'after'
        | 'sender'
        | 'segment'
        | 'fromSeq'
        | 'toSeq'
        | 'expandLimit',
        string
      >
    >
    readonly known: string
    readonly noted: Said<[lines: number]>
    readonly overBudget: Said<[tokens: number, budget: number]>
    readonly noSuchTool: Said<[name: string, there: readonly string[]]>
    readonly takesObject: Said<[tool: string, fields: string]>
    readonly takesNo: Said<[tool: string, field: string, fields: string]>
    readonly optional: Said<[field: string]>
    readonly needs: Said<[tool: string, fields: readonly string[]]>
    readonly notText: Said<[field: string]>
    readonly notWhole: Said<[field: string, least: number]>
    readonly badSection: Said<[problem: string]>
    readonly badQuery: Said<[problem: string]>
    readonly tooLong: Said<[characters: number, most: number]>
    readonly tooManyLines: Said<[lines: number, most: number]>
    /** A name in a search for messages fits several people. */
    readonly severalNamed: Said<[name: string, people: readonly string[]]>
    readonly needsRange: string
    readonly badRange: string
    readonly noSegment: Said<[id: number, there: readonly number[]]>
  }
  readonly mcp: {
    readonly about: string
    readonly reading: string
    readonly writing: string
    readonly sessionIs: string
    readonly information: string
    readonly session: string
    readonly getContext: string
    readonly contextParameters: Readonly<Record<'budget' | 'query' | 'instructions' | 'model', string>>
    readonly appendMessages: string
    readonly appendParameters: Readonly<
      Record<
        | 'role'
        | 'text'
        | 'content'
        | 'sender'
        | 'at'
        | 'zone'
        | 'externalId'
        | 'replyTo'
        | 'kind'
        | 'user'
        | 'scope'
        | 'messages',
        string
      >
    >
  }
  readonly group: {
    readonly instructions: string
    readonly reasons: Readonly<Record<'private' | 'mention' | 'reply' | 'name' | 'proactive', string>>
    readonly answer: (whom: { people: readonly string[]; reason: string; messages: number }) => string
  }
  /** What a bot says to people. */
  readonly replies: {
    readonly newBeginning: string
    readonly greeting: string
    readonly found: string
    readonly nothing: string
    readonly kept: string
    readonly keptAgain: string
    readonly you: string
    readonly nameless: string
    readonly line: Said<[speaker: string, day: string, quoted: string]>
    readonly quote: Said<[text: string]>
  }
}
