import { existsSync, linkSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../errors.ts'
import { fileAt } from '../store/sqlite/connection.ts'
import { isBusy } from '../store/sqlite/errors.ts'
import { checkVersions } from '../store/sqlite/migrate.ts'
import { addressOf, viewOf } from '../store/sqlite/view.ts'
import { BESIDE, temporaryOf } from './restore-files.ts'

/** An erasure as its record has it; the same in all copies of a database. */
interface KnownRecord {
  readonly namespace: string
  readonly id: number
  readonly requestedAt: number
  readonly listId: string | null
}

/** What a database says of itself, whichever version wrote it. */
export interface DatabaseFacts {
  /** `null`: it is of a version that gave none. */
  readonly id: string | null
  readonly generation: number
  readonly erasures: readonly KnownRecord[]
}

/** Of the files that are to be replaced. */
interface OldFiles {
  /** The log is not the file's: what the two would say together never was. SQLite must not see them beside each other. */
  readonly hasForeignLog: boolean
}

/** Of the database that is to be replaced, as it is. `null`: there is none, or it cannot be read. One of another program is refused. */
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

/** The file without its log. */
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

/** Held until the other one is in its place. */
export interface OldDatabase {
  /**
   * `apart`: a file and a log that is not its own, both untouched. `damaged`: SQLite cannot open it, so it could not be seen
   * either whether another process has it open.
   */
  readonly state: 'whole' | 'apart' | 'damaged' | 'missing'
  /** A whole one that was not replaced has a log again. */
  release(): void
}

const NOT_HELD = () => {}

/**
 * Has the old database for itself, as one file: what is in its log comes into the file, and the log goes. SQLite refuses
 * that while another connection is open, in any process.
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
 * Has the file for itself, and the log lies where it lay: by a second name of the file, beside which SQLite finds none.
 * SQLite's locks are those of the file, whichever name it was opened by. Nothing is written to it.
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
      // Not of one that was replaced: SQLite would make the log beside the new one.
      if (fileAt(path) === file) database.exec('PRAGMA journal_mode = WAL')
    } finally {
      database.close()
    }
  }
}
