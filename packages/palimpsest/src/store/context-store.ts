import type { Message, Pin, Segment } from '../log/index.ts'
import type { FrozenLayers, LayerText, LayerVersion } from './document.ts'
import type { LoggedMessage } from './log-store.ts'
import type { SessionKey } from './session-key.ts'
import type { SessionRecord } from './session-store.ts'

export interface ContextRequest {
  /**
   * A budget for raw messages: the newest ones are read until they hold this many tokens, and at least one is
   * read.
   */
  readonly tokens: number
  /**
   * The same budget for folded messages. It counts only if all raw messages were read. 0: no folded message
   * is read.
   */
  readonly archivedTokens: number
  /** What the caller has already. If the epoch is still the same, only newer messages are read. */
  readonly since?: { readonly epoch: number; readonly seq: number }
  /**
   * No message above this one is read or counted. It lies above the cursor, and `since` is left out with it.
   */
  readonly through?: number
  /**
   * The days of the daily log that are wanted. If the epoch has frozen days, only later ones of these are
   * read.
   */
  readonly days?: readonly string[]
}

/** All parts of a context, read at one instant. */
export interface ContextRead {
  readonly session: SessionRecord
  /** `null`: the epoch is the same as in `since`, so the caller has these segments already. */
  readonly base: {
    /** The segments that are not rolled up, oldest first. None lies before the newest beginning. */
    readonly segments: readonly (Pick<
      Segment,
      'fromSeq' | 'toSeq' | 'level' | 'text' | 'tokensAfter' | 'people'
    > & {
      /** Only for a segment of the first schema, which has no text: the parts that make the text. */
      readonly untold?: Pick<Segment, 'summary' | 'events' | 'details'>
    })[]
  } | null
  /** In the order in which they were pinned. */
  readonly pins: readonly ContextPin[]
  /** The newest messages, oldest first, without a gap. None lies before the newest beginning. */
  readonly messages: readonly LoggedMessage[]
  /** `true`: no visible message lies below these, or only messages before the newest beginning. */
  readonly isWhole: boolean
  /** All messages above this one are raw. It is the cursor, or the newest beginning if that is later. */
  readonly rawAfter: number
  /** The size of all messages above `rawAfter`. */
  readonly raw: { readonly messages: number; readonly tokens: number }
  /**
   * The documents as they are now: every document that this session may see, and no other. Of the daily log
   * these are the frozen days and the later days that the request names. If no days are frozen, they are all
   * the days that the request names.
   */
  readonly layers: readonly LayerVersion[]
  /**
   * Edited messages that segments still tell in their earlier form. The message that was edited last comes
   * last. None lies before a new beginning.
   */
  readonly corrected: readonly Message[]
}

export interface ContextPin extends Pin {
  /** `null`: the pin is a note. */
  readonly message: Message | null
}

/** Reads what contexts are made of. */
export interface ContextStore {
  readContext(key: SessionKey, request: ContextRequest): Promise<ContextRead | null>
  /**
   * Fixes what the contexts of this epoch show of memory. It takes what is there now, unless another call has
   * fixed it already. With `refresh`, a new epoch begins for the change, and folds in flight go on. If the
   * epoch is not `expectedEpoch`, the call fails with an `EpochConflictError`.
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
  /** The texts of documents that this session may see, at these versions. Any other document is left out. */
  readLayerTexts(key: SessionKey, wanted: readonly LayerVersion[]): Promise<readonly LayerText[]>
  /**
   * The lines that the condensed lines of a document stand for, the newest first. The answer is empty if this
   * session may not see the document. A line is left out if it was withdrawn or erased, or if a person
   * removed its condensed line.
   */
  readCondensedLines(
    key: SessionKey,
    document: Pick<LayerVersion, 'layer' | 'key'> & { readonly limit: number },
  ): Promise<readonly string[]>
}
