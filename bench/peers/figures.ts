import type { Durability } from './contestant.ts'

/** What a run gives, as `--json` prints it and as `figures.json` keeps it. */
export interface Figures {
  readonly date: string
  readonly machine: {
    readonly node: string
    readonly cpu: string
    readonly cores: number
    readonly system: string
    /** Of the last minute, before the run: others may have been at work. */
    readonly load: number
    readonly loadAfter: number
  }
  readonly quick: boolean
  readonly contestants: readonly Entrant[]
  readonly sizes: readonly SizeFigures[]
  /** What starting a process costs before anybody's work begins. */
  readonly nodeMs: number | null
  readonly factors: readonly Factor[]
}

export interface Entrant {
  readonly name: string
  readonly label: string
  readonly role: string
  readonly durability: Durability
  /** As the opened store says it. */
  readonly durabilityRead: string
  readonly versions: Readonly<Record<string, string>>
  readonly notes: string
}

export interface SizeFigures {
  readonly messages: number
  readonly rows: readonly Row[]
}

export interface Row {
  readonly name: string
  readonly fillMs: number | null
  /** One for each round. */
  readonly appendsPerSecond: readonly number[]
  readonly contextMedians: readonly number[]
  readonly appendRate: number | null
  readonly contextP50: number | null
  readonly contextP99: number | null
  readonly contexts: number
  readonly contextMessages: number | null
  readonly hasSummary: boolean | null
  readonly bytesPerAppend: number | null
  readonly bytesPerMessage: number | null
  readonly firstContextMs: number | null
  /** Of a new process after its first context, and at most while it was measured. */
  readonly residentBytes: number | null
  readonly peakBytes: number | null
  /** Why something is missing. */
  readonly problem: string | null
}

/** How many times more appends a second, and how many times shorter a context, ours has. */
export interface Factor {
  readonly name: string
  readonly ours: string
  readonly messages: number
  readonly appends: number | null
  readonly context: number | null
}
