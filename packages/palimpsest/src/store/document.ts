import type { Language } from '../language/index.ts'
import type { SessionKind } from '../log/index.ts'
import type { SessionKey } from './session-key.ts'

/** Memory documents as a store keeps them: Markdown with versions, and the facts that stand in them. */

/** In the order in which a context shows them. */
export const LAYERS = ['persona', 'global', 'user', 'scope', 'chat', 'daily'] as const
export type LayerName = (typeof LAYERS)[number]

/**
 * A document's whole key. Persona and global: one for a namespace, `''`. User and scope: the id. Chat: the
 * session's id. Daily: a day and the session's id, as `dailyKey` writes them.
 */
export interface DocumentKey {
  readonly namespace: string
  readonly layer: LayerName
  readonly key: string
}

/** A day's entries of one session: nobody who may see one chat's can reach another's. */
export function dailyKey(day: string, sessionId: string): string {
  return `${day}/${sessionId}`
}

/** `null` where it is none. */
export function parseDailyKey(key: string): { readonly day: string; readonly sessionId: string } | null {
  const match = /^(\d{4}-\d{2}-\d{2})\/([\s\S]+)$/.exec(key)
  return match ? { day: match[1]!, sessionId: match[2]! } : null
}

/** To which session a document belongs; `null`: to none. */
export function documentSession({ layer, key }: Pick<DocumentKey, 'layer' | 'key'>): string | null {
  if (layer === 'chat') return key
  return layer === 'daily' ? (parseDailyKey(key)?.sessionId ?? null) : null
}

const CONDENSED = /^- \d{4}-\d{2}-\d{2} – \d{4}-\d{2}-\d{2}: \[[^\]\n]{0,10}\d[^\]\n]{0,20}\] /

/** `- 2026-01-15 – 2026-02-10: [12 lines] …`: it stands for lines that a document had no room for. */
export function isCondensedLine(line: string): boolean {
  return CONDENSED.test(line)
}

interface Traits {
  readonly kind: SessionKind
  readonly user: string | null
  readonly scope: string | null
}

/** From which sessions the memory of a scope is learned: those that are no private chats, or all of them. */
export type ScopeLearnsFrom = 'shared' | 'all'

/**
 * Whose memory a session feeds. A private chat feeds its person's; a scope's is fed by what is no private chat, and by
 * private chats where that is asked for. A scope that was declared personal is fed by its owner's sessions, whatever is
 * asked for, and by no other.
 *
 * @param owner Of the session's scope; `null`: it is not personal.
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

/** Whose session it is, and nobody else's: a group belongs to all who speak there. */
export function personAlone({ kind, user }: Pick<Traits, 'kind' | 'user'>): string | null {
  return kind === 'group' ? null : user
}

/** Who made a version: a person (at the API, in a file), a tool call, an extraction (a fold's too), or a rollback. */
export interface Author {
  readonly kind: 'person' | 'tool' | 'extraction' | 'rollback'
  /** Which person, tool or summariser, where it is known. */
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
  /** Of a scope that was declared personal: the user id whose it is. */
  readonly owner?: string
  /** Grows by one with each change, from 1 or, where an erasure went before, from more. */
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
  /** The version whose change it took back; `null`: it was no undo. */
  readonly undoes: number | null
}

/** One line of a document that says what was learned, from whom, and when. Its audience is that of its document. */
export interface Fact {
  /** As it stands in the document. */
  readonly line: string
  /** Whom it is about, by id; `null`: nobody in particular. */
  readonly subject: string | null
  /** Where it was said. */
  readonly origin: Source
  /** When it was said. */
  readonly saidAt: Date
  /** The day that it speaks of, `YYYY-MM-DD`, with relative dates resolved at `saidAt`. */
  readonly on: string | null
  /** `fold`: told by a segment too. `extraction`: read from messages. `tool`: the model wrote it. */
  readonly from: 'fold' | 'extraction' | 'tool'
  /** Of the version that brought it. */
  readonly version: number
  /** When something else took its place; `null`: it holds. */
  readonly supersededAt: Date | null
}

export type NewFact = Omit<Fact, 'version' | 'supersededAt'>

export interface DocumentEdit {
  readonly content: string
  readonly tokens: number
  /** Those that the edit brings. */
  readonly facts?: readonly NewFact[]
  /** Lines of facts that no longer hold. */
  readonly superseded?: readonly string[]
  readonly undoes?: number
}

export interface DocumentWrite {
  readonly key: DocumentKey
  /**
   * The session that it is written from, where the writer has seen something of it: refused as any other write with
   * such a key. `changeDocuments` alone asks for it.
   */
  readonly from?: SessionKey
  /**
   * Makes the new content out of the current one, inside the transaction, so that no writer overwrites
   * another: pure and quick, and it may be called again. `null`: nothing is to be changed. What it throws
   * fails the call.
   */
  readonly change: (current: DocumentRecord | null) => DocumentEdit | null
  /**
   * Of a scope: whose it is from now on, and for good. Where it is another person's, a `ScopeOwnedError`, and nothing has
   * changed.
   */
  readonly owner?: string
  readonly author: Author
  readonly sources: readonly Source[]
  readonly now: number
}

/** What may be shown to a session, of a document that it may see. */
export interface LayerVersion {
  readonly layer: LayerName
  readonly key: string
  readonly version: number
  /** Versions below are gone: whoever remembers one must not show it. Left out: none are. */
  readonly since?: number
}

/** A line that several folds left is there once for each of them. */
export interface FoldedLine {
  readonly line: string
  readonly fromSeq: number
  readonly toSeq: number
}

export interface LayerText extends LayerVersion {
  readonly content: string
  /** Of a scope that was declared personal: whose it is. */
  readonly owner?: string
  /** Lines that folds of this very session left, each with the messages that it is from. */
  readonly folded: readonly FoldedLine[]
}

/** What a session's contexts show of memory through one epoch, whatever is written meanwhile. */
export interface FrozenLayers {
  /** The days of the daily log that are shown, oldest first. */
  readonly days: readonly string[]
  /** Of the texts that are ours. */
  readonly language: Language
  /** Nothing that was said told the language: once something does, an epoch begins for it. */
  readonly isLanguageOpen?: true
  /** Those that were there. */
  readonly versions: readonly LayerVersion[]
}

/** A document's last state in the workspace's files. */
export interface MirrorState {
  readonly layer: LayerName
  readonly key: string
  /** The document as it is now. */
  readonly version: number
  readonly content: string
  /** The version that was last brought into line with its file; 0: none was. */
  readonly mirroredVersion: number
  /** Its text in the file at that time, as a digest; `null`: there was none. */
  readonly mirroredHash: string | null
}
