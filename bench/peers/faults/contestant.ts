import type { Provider } from './provider.ts'
import type { FaultName } from './rows.ts'

export interface Grounds {
  readonly folder: string
  readonly provider: Provider
  /** Some are set up in another way to be searched. */
  readonly fault: FaultName
}

export interface Contestant extends About {
  /** The answer of a summariser that works, for messages with these marks. */
  summaryOf(marks: readonly string[]): string
  /** Opens the one conversation that lies in the folder, or begins it. */
  open(grounds: Grounds): Promise<Chat>
}

/** What is known of a contestant before it is loaded. */
export interface About {
  readonly name: ContestantName
  /** For the head of the table. */
  readonly title: string
  /** The packages whose versions are named. */
  readonly packages: readonly string[]
  /** How it is set up here, for the page. */
  readonly setting: string
  /** Where in its source the findings come from, as read there. */
  readonly sources: readonly string[]
  /** Faults that it cannot have, and why. */
  readonly without: Readonly<Partial<Record<FaultName, string>>>
  /** `part`: a request holds a part of the conversation and stands for no more. */
  readonly shows: 'everything' | 'part'
  /** `new`: summaries are added to each other. `all`: each takes the place of the one before, and has to hold it. */
  readonly summarises: 'new' | 'all'
  /** Its search needs an embedder. */
  readonly embeds?: boolean
}

export interface Chat {
  /** One turn: what is said is stored, the model asked, its answer stored. */
  say(text: string): Promise<void>
  /** All of the conversation that can be read back, by the place where it is. */
  kept(): Promise<Readonly<Record<string, string>>>
  /** Stores without a model, where `say` keeps no more than what a model makes of it. */
  store?(text: string): Promise<void>
  /** Texts, best first. */
  search?(query: string, limit: number): Promise<readonly string[]>
  /** Waits for what goes on in the background. */
  settled(): Promise<void>
  close(): Promise<void>
}

export const CONTESTANTS = [
  'palimpsest',
  'langchain',
  'mastra',
  'openai-agents',
  'mem0',
  'json-file',
] as const
export type ContestantName = (typeof CONTESTANTS)[number]

/**
 * `kept`: nothing is lost or wrong. `stops`: a turn fails or waits, and nothing that was acknowledged is lost.
 * `wrong`: something is lost, hidden or false. `none`: there is no such feature. `unknown`: it was not measured.
 */
export type Verdict = 'kept' | 'stops' | 'wrong' | 'none' | 'unknown'

/** What one row of the table says of one contestant. */
export interface Finding {
  readonly row: string
  readonly verdict: Verdict
  /** For the table. */
  readonly short: string
  /** The figures behind it. */
  readonly detail: string
}
