/**
 * A row that goes from one store to another when a whole database is copied. Both stores keep the same rows,
 * and the rows hold names instead of the numbers that a database gives. Unlike an exported file, a copy comes
 * in pages, so a session of any length streams. It also holds everything about a session: when it is next
 * due, what waits for an answer, what was decided.
 */
export interface CopyRow {
  readonly table: CopyTable
  readonly values: Readonly<Record<string, string | number | null>>
}

/**
 * A session's rows come in this order. The first nine tables and the last hold what the session says, the
 * others hold when it is looked at next.
 */
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
  /** All pages have this epoch, so that they are parts of one whole. */
  readonly epoch: number
  readonly part: 'segments' | 'memos' | 'messages'
  readonly after: number
  readonly limit: number
}

export interface CopyPage {
  readonly rows: readonly CopyRow[]
  /** `null`: this was the last page. */
  readonly next: CopyPlace | null
}

/** What can be said about a session without reading it. */
export interface CopyState {
  readonly epoch: number
  readonly createdAt: Date
  readonly lastSeq: number
  /** Changes as soon as anything changes that a copy carries over. */
  readonly mark: string
  /** Changes as soon as the session says something else. */
  readonly contentMark: string
  /** If this session is a copy: what the store has noted about the copy. `null`: it is no copy. */
  readonly copied: CopyRecord | null
}

/**
 * Stored with a session that was copied. It tells changes of the original from changes that another writer
 * made in the copy.
 */
export interface CopyRecord {
  /** The mark of the original, and its epoch, when it was read. */
  readonly original: string
  readonly epoch: number
  /** The content mark of the copy when it was written. */
  readonly copy: string
  /** The hash of all rows that say something, as `CopyHash` makes it. */
  readonly hash: string
  /** `true`: the copy was read again and had the same hash. */
  readonly verified: boolean
}

export interface CopyImport {
  /**
   * All pages from the first one on, also if an earlier copy was interrupted. What is there already is not
   * written again.
   */
  readonly pages: AsyncIterable<CopyPage>
  /**
   * The state of the original when the pages began, and the name of its store. The rest of a copy of another
   * original is not continued.
   */
  readonly original: Pick<CopyState, 'mark' | 'epoch'> & { readonly store: string }
  /**
   * The copy that is brought up to date: its content mark, and the message above which only new rows are
   * written. If `after` is 0, all of it is written anew. Left out: no session of this name may exist.
   */
  readonly replaces?: { readonly contentMark: string; readonly after: number }
  readonly now: number
}

export interface CopyReceipt {
  readonly hash: string
  /**
   * `true`: the copy was read again in the transaction that wrote it, and had this hash. That is so for a
   * session of one page.
   */
  readonly verified: boolean
  /** How many messages the session has, and how many of them were written now. */
  readonly messages: number
  readonly written: number
}

/**
 * Rows of these tables are not compared. They are only about the next look at a session, so they change on
 * both sides as soon as either side looks.
 */
const UNCOMPARED: ReadonlySet<CopyTable> = new Set([
  'waiting',
  'aliases',
  'allowances',
  'operations',
  'schedule',
])
/**
 * The first version of a document depends on what was erased before. The sender is known by the key beside
 * it.
 */
const UNCOMPARED_COLUMNS: ReadonlySet<string> = new Set(['first_version', 'sender'])

/** Gives one hash for the same content, in any store, however it was cut into pages. */
export class CopyHash {
  // Loaded only when it is needed: most programs never need it.
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

/** A namespace that holds anything, and the number of its sessions. */
export interface NamespaceCount {
  readonly namespace: string
  readonly sessions: number
}
