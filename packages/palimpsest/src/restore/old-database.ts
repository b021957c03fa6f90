import { existsSync, linkSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../errors.ts'
import { fileAt } from '../store/sqlite/connection.ts'
import { isBusy } from '../store/sqlite/errors.ts'
import { checkVersions } from '../store/sqlite/migrate.ts'
import { addressOf, viewOf } from '../store/sqlite/view.ts'
import { BESIDE, temporaryOf } from './restore-files.ts'

/** The record of an erasure. It is the same in all copies of a database. */
interface KnownRecord {
  readonly namespace: string
  readonly id: number
  readonly requestedAt: number
  readonly listId: string | null
}

/** What a database says of itself, whichever version wrote it. */
export interface DatabaseFacts {
  /** `null`: its version gave no ids. */
  readonly id: string | null
  readonly generation: number
  readonly erasures: readonly KnownRecord[]
}

/** The files that are to be replaced. */
interface OldFiles {
  /**
   * The log belongs to another file. Read together, the two would show a state that never was, so SQLite must
   * not see them beside each other.
   */
  readonly hasForeignLog: boolean
}

/**
 * The facts of the database that is to be replaced. `null`: there is none, or it cannot be read. A database
 * of another program is refused.
 */
export function readOldFacts(path: string, { hasForeignLog }: OldFiles): DatabaseFacts | null {
  if (!existsSync(path) || statSync(path).size === 0) return null
  let database: DatabaseSync | null = null
  try {
    const { parameters } = hasForeignLog ? ALONE : viewOf(path)
    database = new DatabaseSync(addressOf(path, parameters), { readOnly: true, timeout: 0 })
    checkVersions(database, `SQLite ${path}`)
    return hasForeignLog ? null : readFacts(database)
  } catch (error) {
    if (error instanceof StoreError) throw error
    return null
  } finally {
    database?.close()
  }
}

/** Opens the file without its log. */
const ALONE = { parameters: 'mode=ro&immutable=1' }

export function readFacts(database: DatabaseSync): DatabaseFacts {
  const columns = (table: string) =>
    database
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name))
  const identity = columns('identity').includes('generation')
    ? database.prepare('SELECT id, generation FROM identity').get()
    : undefined
  const known = columns('erasures')
  const listId = known.includes('list_id') ? 'list_id' : 'NULL'
  const rows =
    known.length === 0
      ? []
      : database.prepare(`SELECT namespace, id, requested_at, ${listId} AS list_id FROM erasures`).all()
  return {
    id: identity ? String(identity['id']) : null,
    generation: Number(identity?.['generation'] ?? 0),
    erasures: rows.map(row => ({
      namespace: String(row['namespace']),
      id: Number(row['id']),
      requestedAt: Number(row['requested_at']),
      listId: row['list_id'] === null ? null : String(row['list_id']),
    })),
  }
}

/** A hold on the old database, until the new one is in its place. */
export interface OldDatabase {
  /**
   * `apart`: a file and the log of another file, both untouched. `damaged`: SQLite cannot open the file, so
   * it is not known whether another process has it open.
   */
  readonly state: 'whole' | 'apart' | 'damaged' | 'missing'
  /** Ends the hold. A whole database that was not replaced gets a log again. */
  release(): void
}

const NOT_HELD = () => {}

/**
 * Gets exclusive use of the old database, as one file: the log is written into the file and removed. SQLite
 * refuses that while another connection is open, in any process.
 */
export function holdOldDatabase(path: string, { hasForeignLog }: OldFiles): OldDatabase {
  if (!existsSync(path)) return { state: 'missing', release: NOT_HELD }
  if (hasForeignLog) return holdApart(path)
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    database.prepare('PRAGMA journal_mode = DELETE').get()
    database.exec('BEGIN EXCLUSIVE')
    return { state: 'whole', release: releaseOf(database, path) }
  } catch (error) {
    database?.close()
    if (!isBusy(error)) return { state: 'damaged', release: NOT_HELD }
    throw busyError(path, error)
  }
}

/**
 * Gets exclusive use of the file and leaves the log where it is. It opens the file by a second name, beside
 * which SQLite finds no log. The locks of SQLite belong to the file, whichever name it was opened by. Nothing
 * is written to the file.
 */
function holdApart(path: string): OldDatabase {
  const name = `${temporaryOf(path)}-held`
  let database: DatabaseSync | null = null
  const release = () => {
    database?.close()
    for (const end of ['', ...BESIDE]) rmSync(`${name}${end}`, { force: true })
  }
  try {
    linkSync(path, name)
    database = new DatabaseSync(name, { timeout: 0 })
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return { state: 'apart', release }
  } catch (error) {
    release()
    if (!isBusy(error)) return { state: 'damaged', release: NOT_HELD }
    throw busyError(path, error)
  }
}

function busyError(path: string, cause: unknown): StoreError {
  return new StoreError(
    'store_busy',
    `SQLite ${path}`,
    'another process has the database open. Stop servers, bots and whatever else uses it, then run this again. Nothing ' +
      'was changed.',
    cause,
  )
}

function releaseOf(database: DatabaseSync, path: string): OldDatabase['release'] {
  const file = fileAt(path)
  return () => {
    try {
      database.exec('ROLLBACK')
      // Not if the file was replaced: SQLite would make the log beside the new file.
      if (fileAt(path) === file) database.exec('PRAGMA journal_mode = WAL')
    } finally {
      database.close()
    }
  }
}
