import type { SessionKind, WindowMessage } from 'palimpsest/internals/log/index'

/**
 * What a session of an older system held beside its messages. Counts and ranges are indices into the messages
 * that were found: they start at 0 and exclude the end. Where a file counts differently, its reader converts
 * the numbers.
 */
export interface Past {
  /** How many of the oldest messages the older system no longer sent word for word. */
  readonly folded: number
  /** When the older system last folded; `null`: the file does not say. */
  readonly foldedAt: number | null
  /** As they were in the file: they may overlap and leave gaps. */
  readonly summaries: readonly PastSummary[]
  /** The messages that replaced the folded ones; `null`: no messages did. */
  readonly window: readonly WindowMessage[] | null
  readonly memo: { readonly value: Readonly<Record<string, unknown>>; readonly through: number } | null
  /** How many messages there were when the older system last resized. */
  readonly resizedAt: number | null
  readonly settings: Readonly<Record<string, unknown>>
  /** The chat memory (`day: null`) and the daily logs. */
  readonly documents: readonly PastDocument[]
  readonly createdAt: number | null
  /** `null`: the file does not say. */
  readonly kind: SessionKind | null
  /** Sentences for people: what was read differently from how the file has it. */
  readonly notes: readonly string[]
}

export interface PastSummary {
  readonly from: number
  /** Excluded. At or below `from`: the messages are no longer in the file. */
  readonly to: number
  readonly text: string
  readonly at: number | null
}

export interface PastDocument {
  readonly day: string | null
  readonly content: string
  /** The file that holds it. */
  readonly file: string
}

export const NO_PAST: Past = {
  folded: 0,
  foldedAt: null,
  summaries: [],
  window: null,
  memo: null,
  resizedAt: null,
  settings: {},
  documents: [],
  createdAt: null,
  kind: null,
  notes: [],
}
