import type { Message, Pin, Segment } from '../log/index.ts'
import type { FrozenLayers, LayerText, LayerVersion } from './document.ts'
import type { LoggedMessage } from './log-store.ts'
import type { SessionKey } from './session-key.ts'
import type { SessionRecord } from './session-store.ts'

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

/** What contexts are made of. */
export interface ContextStore {
  readContext(key: SessionKey, request: ContextRequest): Promise<ContextRead | null>
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
}
