import type { Language } from '../language/index.ts'
import type { SessionKind } from '../log/index.ts'
import type { SessionKey } from './session-key.ts'

/** Memory documents as a store keeps them: Markdown with versions, and the facts that stand in them. */

/** In the order in which a context shows them. */
export const LAYERS = ['persona', 'global', 'user', 'scope', 'chat', 'daily'] as const
export type LayerName = (typeof LAYERS)[number]

/**
 * The whole key of a document. `key` is `''` for persona and global, which exist once in a namespace. It is
 * the id for user and scope, and the session's id for chat. For daily it is a day and the session's id, as
 * `dailyKey` writes them.
 */
export interface DocumentKey {
  readonly namespace: string
  readonly layer: LayerName
  readonly key: string
}

/**
 * The key for one session's entries of a day. With it, a reader of one chat's entries cannot reach those of
 * another.
 */
export function dailyKey(day: string, sessionId: string): string {
  return `${day}/${sessionId}`
}

/** `null`: the key is no daily key. */
export function parseDailyKey(key: string): { readonly day: string; readonly sessionId: string } | null {
  const match = /^(\d{4}-\d{2}-\d{2})\/([\s\S]+)$/.exec(key)
  return match ? { day: match[1]!, sessionId: match[2]! } : null
}

/** The session that a document belongs to. `null`: it belongs to no session. */
export function documentSession({ layer, key }: Pick<DocumentKey, 'layer' | 'key'>): string | null {
  if (layer === 'chat') return key
  return layer === 'daily' ? (parseDailyKey(key)?.sessionId ?? null) : null
}

const CONDENSED = /^- \d{4}-\d{2}-\d{2} – \d{4}-\d{2}-\d{2}: \[[^\]\n]{0,10}\d[^\]\n]{0,20}\] /

/**
 * A line such as `- 2026-01-15 – 2026-02-10: [12 lines] …`. It stands for lines that a document had no room
 * for.
 */
export function isCondensedLine(line: string): boolean {
  return CONDENSED.test(line)
}

interface Traits {
  readonly kind: SessionKind
  readonly user: string | null
  readonly scope: string | null
}

/**
 * The sessions that the memory of a scope learns from: all sessions, or only those that are no private chats.
 */
export type ScopeLearnsFrom = 'shared' | 'all'

/**
 * Whose memory a session feeds. A private chat feeds the memory of its person. The memory of a scope is fed
 * by sessions that are no private chats, and also by private chats if `from` is `all`. A scope that was
 * declared personal is fed by its owner's sessions only, whatever `from` says.
 *
 * @param owner The owner of the session's scope. `null`: the scope is not personal.
 */
export function learningDocuments(
  session: Traits,
  { from = 'shared', owner }: { readonly from?: ScopeLearnsFrom | undefined; readonly owner: string | null },
): readonly { readonly layer: 'user' | 'scope'; readonly key: string }[] {
  const { kind, user, scope } = session
  const isFed = owner === null ? kind !== 'private' || from === 'all' : personAlone(session) === owner
  return [
    ...(kind === 'private' && user !== null ? [{ layer: 'user' as const, key: user }] : []),
    ...(scope !== null && isFed ? [{ layer: 'scope' as const, key: scope }] : []),
  ]
}

/** The person who alone owns the session. `null` for a group: it belongs to all who speak there. */
export function personAlone({ kind, user }: Pick<Traits, 'kind' | 'user'>): string | null {
  return kind === 'group' ? null : user
}

/**
 * The author of a version: a person (at the API, in a file), a tool call, an extraction (a fold counts as one
 * too), or a rollback.
 */
export interface Author {
  readonly kind: 'person' | 'tool' | 'extraction' | 'rollback'
  /** The name of the person, tool or summariser, if it is known. */
  readonly name: string | null
}

/** Messages of a session, from one through another. */
export interface Source {
  readonly sessionId: string
  readonly fromSeq: number
  readonly toSeq: number
}

export interface DocumentRecord {
  readonly layer: LayerName
  readonly key: string
  readonly content: string
  /** Only for a scope that was declared personal: the id of the user who owns it. */
  readonly owner?: string
  /** Grows by one with each change. It begins at 1, or at more if an erasure went before. */
  readonly version: number
  /** As `estimateTokens` counts. */
  readonly tokens: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface DocumentVersion {
  readonly version: number
  readonly content: string
  readonly author: Author
  readonly sources: readonly Source[]
  readonly at: Date
  /** The version whose change this one took back. `null`: it was no undo. */
  readonly undoes: number | null
}

/**
 * One line of a document that says what was learned, from whom, and when. It has the same audience as its
 * document.
 */
export interface Fact {
  /** As it stands in the document. */
  readonly line: string
  /** The id of the person whom it is about. `null`: it is about no one in particular. */
  readonly subject: string | null
  /** Where it was said. */
  readonly origin: Source
  /** When it was said. */
  readonly saidAt: Date
  /** The day that the fact speaks of, `YYYY-MM-DD`. Relative dates are resolved at `saidAt`. */
  readonly on: string | null
  /** `fold`: a segment tells it too. `extraction`: read from messages. `tool`: the model wrote it. */
  readonly from: 'fold' | 'extraction' | 'tool'
  /** The version that brought it. */
  readonly version: number
  /** When something else took its place. `null`: it still holds. */
  readonly supersededAt: Date | null
}

export type NewFact = Omit<Fact, 'version' | 'supersededAt'>

export interface DocumentEdit {
  readonly content: string
  readonly tokens: number
  /** The facts that the edit brings. */
  readonly facts?: readonly NewFact[]
  /** Lines of facts that no longer hold. */
  readonly superseded?: readonly string[]
  readonly undoes?: number
}

export interface DocumentWrite {
  readonly key: DocumentKey
  /**
   * The session that the write comes from, if the writer has seen something of it. The write is refused in
   * the same way as any other write with such a key. Only `changeDocuments` checks it.
   */
  readonly from?: SessionKey
  /**
   * Makes the new content out of the current one, inside the transaction, so that no writer overwrites
   * another. It must be pure and quick, and it may be called again. `null`: nothing is to be changed. If it
   * throws, the call fails with that error.
   */
  readonly change: (current: DocumentRecord | null) => DocumentEdit | null
  /**
   * Only for a scope: its owner from now on, for good. If another person owns it, the call fails with a
   * `ScopeOwnedError`, and nothing has changed.
   */
  readonly owner?: string
  readonly author: Author
  readonly sources: readonly Source[]
  readonly now: number
}

/** What a session may be shown of a document that it may see. */
export interface LayerVersion {
  readonly layer: LayerName
  readonly key: string
  readonly version: number
  /**
   * Versions below this one are gone: a reader that remembers one must not show it. Left out: none is gone.
   */
  readonly since?: number
}

/** A line that a fold left. If several folds left the same line, each one has an entry. */
export interface FoldedLine {
  readonly line: string
  readonly fromSeq: number
  readonly toSeq: number
}

export interface LayerText extends LayerVersion {
  readonly content: string
  /** Only for a scope that was declared personal: its owner. */
  readonly owner?: string
  /** The lines that folds of this very session left, each with the messages that it comes from. */
  readonly folded: readonly FoldedLine[]
}

/** What a session's contexts show of memory through one epoch, whatever is written meanwhile. */
export interface FrozenLayers {
  /** The days of the daily log that are shown, oldest first. */
  readonly days: readonly string[]
  /** The language of the texts that the engine itself writes. */
  readonly language: Language
  /** Nothing that was said has told the language yet. Once something does, an epoch begins for it. */
  readonly isLanguageOpen?: true
  /** Only documents that were there. */
  readonly versions: readonly LayerVersion[]
}

/** A document's last state in the files of the workspace. */
export interface MirrorState {
  readonly layer: LayerName
  readonly key: string
  /** The document as it is now. */
  readonly version: number
  readonly content: string
  /** The version that was last brought into line with the file. 0: no version was. */
  readonly mirroredVersion: number
  /** A digest of the document's text in the file at that time. `null`: there was no text. */
  readonly mirroredHash: string | null
}
