import { randomInt } from 'node:crypto'
import { closeSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../errors.ts'
import { roomFor } from './disk-room.ts'
import { integrityProblems } from './integrity.ts'
import { CHANGES_AT } from './log-file.ts'
import { checkVersions } from './migrate.ts'
import { addressOf, isReliable, viewOf } from './view.ts'

export interface BackupRequest {
  /** The name of the store, for errors. */
  readonly name: string
  readonly path: string
  /** An empty file. */
  readonly temporary: string
}

export interface BackupStage {
  readonly stage: 'copying' | 'checking'
  readonly doneBytes: number
  readonly bytes: number
}

export interface BackupContent {
  readonly bytes: number
  readonly sessions: number
  readonly messages: number
  /** `null`: the schema is from before databases had an id. */
  readonly id: string | null
  readonly generation: number | null
}

/** What must be equal in a copy and in its source. */
interface Kind {
  readonly schema: number
  readonly id: string | null
  readonly generation: number | null
  readonly generationKey: string | null
}

/** How many pages are copied at a time. The progress is reported in between. */
const PAGES_AT_A_TIME = 2_000
/** If a file without a log changes more often than this while it is copied, it cannot be copied now. */
const MAX_VIEWS = 5
const WORDS_OF_DAMAGE = 200

/**
 * Copies a database as it is at one moment, whatever other processes write meanwhile, and reads the copy
 * through. In the source and beside it, it migrates nothing and makes nothing. It blocks its thread for
 * seconds.
 */
export async function makeBackup(
  request: BackupRequest,
  onStage: (stage: BackupStage) => void,
): Promise<BackupContent> {
  for (let views = MAX_VIEWS; ; views--) {
    const view = viewOf(request.path)
    const kind = await copyOnce(request, addressOf(view.path ?? request.path, view.parameters), onStage)
    if (isReliable(view, request.path)) return checkCopy(request, kind, onStage)
    if (views === 0)
      throw new StoreError(
        'store_busy',
        request.name,
        'the file was changed again and again while it was copied. Try again.',
      )
  }
}

async function copyOnce(
  { name, temporary }: BackupRequest,
  address: URL,
  onStage: (stage: BackupStage) => void,
): Promise<Kind> {
  const source = new DatabaseSync(address, { readOnly: true, timeout: 10_000 })
  try {
    // One transaction for the whole copy: without it, each write of another process would begin the copy
    // anew.
    source.exec('BEGIN')
    const kind = readKind(source, name)
    const pageBytes = numberOf(source, 'page_size')
    const bytes = numberOf(source, 'page_count') * pageBytes
    requireRoom(name, temporary, bytes)
    await backup(source, temporary, {
      rate: PAGES_AT_A_TIME,
      progress: ({ totalPages, remainingPages }) =>
        onStage({ stage: 'copying', doneBytes: (totalPages - remainingPages) * pageBytes, bytes }),
    })
    return kind
  } finally {
    source.close()
  }
}

function requireRoom(name: string, temporary: string, bytes: number): void {
  const { folder, freeBytes, neededBytes } = roomFor(temporary, bytes)
  if (freeBytes >= neededBytes) return
  const megabytes = (count: number) => `${Math.ceil(count / 1e6)} MB`
  throw new StoreError(
    'store_full',
    name,
    `there is no room for a backup: ${folder} has ${megabytes(freeBytes)} free and ${megabytes(neededBytes)} are needed. ` +
      'Nothing was written. Make room, or name another folder.',
  )
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
}

function readKind(database: DatabaseSync, name: string): Kind {
  const { version: schema } = checkVersions(database, name)
  if (schema === 0)
    throw new StoreError(
      'store_version',
      name,
      'it has no schema of Palimpsest yet: there is nothing to back up.',
    )
  const has = (table: string) =>
    database.prepare('SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ?').get('table', table) !==
    undefined
  const unknown = { id: null, generation: null, generationKey: null }
  if (!has('identity')) return { schema, ...unknown }
  const row = database.prepare('SELECT id, generation, generation_key AS generationKey FROM identity').get()
  return { schema, ...unknown, ...(row as Partial<Kind> | undefined) }
}

function checkCopy(
  { name, temporary }: BackupRequest,
  kind: Kind,
  onStage: (stage: BackupStage) => void,
): BackupContent {
  renumber(temporary)
  const { size: bytes } = statSync(temporary)
  onStage({ stage: 'checking', doneBytes: 0, bytes })
  // `immutable`: nothing is made beside the file.
  const copy = new DatabaseSync(addressOf(temporary, 'mode=ro&immutable=1'), { readOnly: true })
  try {
    const problem = findProblem(copy, kind, name)
    if (problem !== null) throw damagedError(name, problem)
    const count = (table: string) =>
      (copy.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
    const { id, generation } = kind
    return { bytes, sessions: count('sessions WHERE ready = 1'), messages: count('messages'), id, generation }
  } finally {
    copy.close()
  }
}

function findProblem(copy: DatabaseSync, kind: Kind, name: string): string | null {
  const [damage] = integrityProblems(copy, 1)
  if (damage !== undefined) return damage.slice(0, WORDS_OF_DAMAGE)
  const foreign = copy.prepare('PRAGMA foreign_key_check').get() as { table: string } | undefined
  if (foreign !== undefined) return `a row of ${foreign.table} belongs to one that is not there`
  const { schema, id, generation, generationKey } = readKind(copy, name)
  const isSame = schema === kind.schema && id === kind.id && generation === kind.generation
  return isSame && generationKey === kind.generationKey
    ? null
    : 'the copy is another database than its source'
}

function damagedError(name: string, problem: string): StoreError {
  return new StoreError(
    'store_corrupt',
    name,
    `the copy did not pass its check, so the database is damaged (${problem}). No backup was made; earlier ones are as they ` +
      'were. Put the last good one back with "palimpsest restore", or recover the file with: sqlite3 FILE ".recover" | sqlite3 NEW',
  )
}

/**
 * Every database has a count of its changes (`log-check.ts`). In a copy, this count begins again at 1. So the
 * copy gets a number that no log knows. If a copy is put in the place of its source, it is then refused
 * beside a log of the source.
 */
function renumber(path: string): void {
  const number = Buffer.alloc(4)
  number.writeUInt32BE(randomInt(2 ** 29, 2 ** 30))
  const file = openSync(path, 'r+')
  try {
    // The number is written twice: the second place says that the size in the header counts.
    for (const at of [CHANGES_AT, VALID_FOR_AT]) writeSync(file, number, 0, 4, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const VALID_FOR_AT = 92
