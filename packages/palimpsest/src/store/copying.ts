/**
 * What goes from one store to another when a whole database is copied: the rows that both keep alike, by names instead
 * of the numbers that a database gives. Unlike an exported file it comes in pages, so that a session of any length
 * streams, and has all that a session is: when it is next due, what waits for an answer, what was decided.
 */
export interface CopyRow {
  readonly table: CopyTable
  readonly values: Readonly<Record<string, string | number | null>>
}

/** In this order a session's rows come. The first nine and the last are what it says, the others when it is next looked at. */
export const COPY_TABLES = [
  'segments',
  'memos',
  'messages',
  'message_versions',
  'hidden_ranges',
  'beginnings',
  'pins',
  'documents',
  'document_versions',
  'facts',
  'waiting',
  'aliases',
  'allowances',
  'operations',
  'schedule',
  'session',
] as const
export type CopyTable = (typeof COPY_TABLES)[number]

/** Where the next page begins. */
export interface CopyPlace {
  /** All pages are of this epoch, so that they are parts of one whole. */
  readonly epoch: number
  readonly part: 'segments' | 'memos' | 'messages'
  readonly after: number
  readonly limit: number
}

export interface CopyPage {
  readonly rows: readonly CopyRow[]
  /** `null`: this was the last one. */
  readonly next: CopyPlace | null
}

/** What can be told of a session without reading it. */
export interface CopyState {
  readonly epoch: number
  readonly createdAt: Date
  readonly lastSeq: number
  /** Another one as soon as anything has changed that a copy carries over. */
  readonly mark: string
  /** Another one as soon as it says something else. */
  readonly contentMark: string
  /** What the store keeps of the copy that this session is; `null`: it is none. */
  readonly copied: CopyRecord | null
}

/** Kept with a session that was copied, so that what changed since can be told from what somebody else wrote. */
export interface CopyRecord {
  /** The original when it was read: its mark, and its epoch. */
  readonly original: string
  readonly epoch: number
  /** The copy when it was written: its content mark. */
  readonly copy: string
  /** Of all rows that say something, as `CopyHash` has it. */
  readonly hash: string
  /** It has been read again, and had the same hash. */
  readonly verified: boolean
}

export interface CopyImport {
  /** From the first one on, also where an earlier copy was broken off: what is there already is not written again. */
  readonly pages: AsyncIterable<CopyPage>
  /**
   * Of the original, when the pages began, and the name of its store: what is left of a copy of another one is not gone
   * on with.
   */
  readonly original: Pick<CopyState, 'mark' | 'epoch'> & { readonly store: string }
  /**
   * The copy that is brought up to date: its content mark, and above which message only what is new is written.
   * `after` 0: all of it is written anew. Left out: there must be no session of this name.
   */
  readonly replaces?: { readonly contentMark: string; readonly after: number }
  readonly now: number
}

export interface CopyReceipt {
  readonly hash: string
  /** It was read again in the transaction that wrote it, and had this hash: a session of one page. */
  readonly verified: boolean
  /** How many it has, and how many were written now. */
  readonly messages: number
  readonly written: number
}

/** What says something. What is only about the next look at a session changes on both sides as soon as somebody looks. */
const UNCOMPARED: ReadonlySet<CopyTable> = new Set([
  'waiting',
  'aliases',
  'allowances',
  'operations',
  'schedule',
])
/** Where a document's versions begin depends on what was erased before; whoever spoke is known by the key beside it. */
const UNCOMPARED_COLUMNS: ReadonlySet<string> = new Set(['first_version', 'sender'])

/** One hash for the same content, in whichever store it is and however it was cut into pages. */
export class CopyHash {
  // Loaded only where it is needed: most programs never do.
  readonly #hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  messages = 0

  add(rows: readonly CopyRow[]): void {
    for (const { table, values } of rows) {
      if (table === 'messages') this.messages += 1
      if (UNCOMPARED.has(table)) continue
      this.#hash.update(`${JSON.stringify([table, values], withoutUncompared)}\n`)
    }
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}

function withoutUncompared(name: string, value: unknown): unknown {
  return UNCOMPARED_COLUMNS.has(name) ? undefined : value
}

export function hashOfRows(rows: readonly CopyRow[]): string {
  const hash = new CopyHash()
  hash.add(rows)
  return hash.digest()
}

/** A namespace that holds anything, and how many sessions that is. */
export interface NamespaceCount {
  readonly namespace: string
  readonly sessions: number
}
