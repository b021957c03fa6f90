import type { messageAt } from '../corpus.ts'

export type Message = ReturnType<typeof messageAt>

/** What the model is given beside the messages: as many words as our own segments have. */
export const SUMMARY = 'They spoke about the trip, agreed on the dates, and left the hotel open. '.repeat(10)
export const LAST_MESSAGES = 40

/**
 * - `full`: an acknowledged message survives a power cut.
 * - `normal`: it survives the process; a power cut may take the last ones.
 * - `unsynced`: the file was written and nobody waited for the disk; a power cut may take the whole of it.
 * - `none`: it is in memory, and gone with the process.
 * - `server`: PostgreSQL has it, with `fsync` and `synchronous_commit` on.
 */
export type Durability = 'full' | 'normal' | 'unsynced' | 'none' | 'server'

/** Where a contestant keeps its things: a folder of its own, and on PostgreSQL a schema of its own. */
export interface Place {
  readonly folder: string
  readonly url: string | null
  readonly schema: string
}

export interface Context {
  readonly messages: number
  /** Whether something stands in for what is older. */
  readonly hasSummary: boolean
  /** Of the newest message, to see that it is there. */
  readonly newest: string
}

export interface Opened {
  /** Into a new store, as fast as the interface allows; `progress` hears how many are in. */
  fill(messages: readonly Message[], progress: (stored: number) => void): Promise<void>
  /** One message, alone; it is stored when this resolves. */
  append(message: Message): Promise<unknown>
  /** Work that is not in the way of a turn and that the others do not do. It is not timed. */
  settle?(): Promise<void>
  context(): Promise<Context>
  /** How the store that was opened says that it writes. */
  readDurability(): Promise<string>
  close(): Promise<void>
}

/** The module of a contestant; `variant` is for those that share one. */
export interface ContestantModule {
  open(place: Place, variant: string): Promise<Opened>
}

export interface Contestant {
  readonly name: string
  /** As tables say it. */
  readonly label: string
  readonly role: 'ours' | 'ours, all on' | 'peer' | 'bare'
  readonly durability: Durability
  /** Whose versions are shown. */
  readonly packages: readonly string[]
  readonly variant: string
  /** It keeps the newest messages alone, so that bytes for each message would say nothing. */
  readonly forgets?: true
  readonly notes: string
  readonly load: () => Promise<ContestantModule>
}
