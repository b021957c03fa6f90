import type { SessionKind, WindowMessage } from 'palimpsest/internals/log/index'

/**
 * What a session of an older system held beside its messages. Counts and ranges are places among the messages that
 * were found, from 0, the end not included: what a file counts otherwise is converted where it is read.
 */
export interface Past {
  /** So many of the oldest messages the older system no longer sent word for word. */
  readonly folded: number
  /** When it last folded; `null`: the file does not say. */
  readonly foldedAt: number | null
  /** As they stood in the file: they may overlap, and leave gaps. */
  readonly summaries: readonly PastSummary[]
  /** What stood for the folded messages, where that was messages; `null`: there was none. */
  readonly window: readonly WindowMessage[] | null
  readonly memo: { readonly value: Readonly<Record<string, unknown>>; readonly through: number } | null
  /** How many messages there were when the older system last resized. */
  readonly resizedAt: number | null
  readonly settings: Readonly<Record<string, unknown>>
  /** Its chat memory (`day: null`) and its daily logs. */
  readonly documents: readonly PastDocument[]
  readonly createdAt: number | null
  /** `null`: the file does not say. */
  readonly kind: SessionKind | null
  /** What was taken otherwise than it stands in the file, in words for people. */
  readonly notes: readonly string[]
}

export interface PastSummary {
  readonly from: number
  /** Not included. At or below `from`: the messages are no longer in the file. */
  readonly to: number
  readonly text: string
  readonly at: number | null
}

export interface PastDocument {
  readonly day: string | null
  readonly content: string
  /** The file that it was read from. */
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
