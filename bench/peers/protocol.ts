import type { Place } from './contestant.ts'

/** What a child is started with. */
export interface ChildTask {
  readonly contestant: string
  /** `serve` opens the store and waits for commands; `start` makes a context and is done. */
  readonly mode: 'serve' | 'start'
  readonly place: Place
  /** Where it may warm up, so that what is measured does not grow by it. */
  readonly scratch: Place
  /** How many messages are in the store. */
  readonly size: number
}

/** At least one call, and no more than so many, nor longer than so long. */
export interface Bounds {
  readonly most: number
  readonly ms: number
}

export interface Commands {
  warmUp: { takes: { ms: number }; gives: null }
  fill: { takes: { size: number }; gives: { ms: number } }
  appends: { takes: Bounds; gives: Appends }
  settle: { takes: null; gives: null }
  contexts: { takes: Bounds; gives: Contexts }
  durability: { takes: null; gives: string }
  memory: { takes: null; gives: Resident }
  close: { takes: null; gives: null }
}

export interface Appends {
  readonly appends: number
  readonly ms: number
  /** What the process handed to the system to write meanwhile; null where the system does not tell. */
  readonly written: number | null
}

export interface Contexts {
  readonly times: readonly number[]
  readonly messages: number
  readonly hasSummary: boolean
}

/** In bytes; null where the system does not tell. */
export interface Resident {
  readonly now: number
  readonly peak: number | null
}

export type CommandName = keyof Commands
export type Request = {
  [Name in CommandName]: { id: number; name: Name; takes: Commands[Name]['takes'] }
}[CommandName]

export type Reply =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'filled'; readonly stored: number }
  | { readonly kind: 'started'; readonly resident: Resident }
