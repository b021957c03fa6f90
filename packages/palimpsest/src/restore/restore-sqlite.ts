import { existsSync, realpathSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ErasedHashes, type ErasedLine, isFilesLine } from '../erasure/erased-line.ts'
import { InvalidArgumentError, PalimpsestError } from '../errors.ts'
import type { Palimpsest } from '../palimpsest.ts'
import type { Store } from '../store/index.ts'
import { privateMode } from '../store/private-file.ts'
import { erasedListOf } from '../store/sqlite/erased-list-of.ts'
import { sqlite } from '../store/sqlite/index.ts'
import { findForeignLog } from '../store/sqlite/log-check.ts'
import { isSpecialName } from '../store/sqlite/view.ts'
import { closeLog, copyBackup } from './copy-backup.ts'
import { countKinds, countLines, type ErasureCounts, kindsText } from './count-kinds.ts'
import { type AgainProgress, eraseAgain, type FilesAfterRestore } from './erase-again.ts'
import { type DatabaseFacts, holdOldDatabase, readFacts, readOldFacts } from './old-database.ts'
import { filesDoneIn, type PlannedErasure, planErasures } from './plan-erasures.ts'
import {
  asideName,
  type OnStep,
  removeLeftovers,
  removeTemporary,
  syncFile,
  takePlace,
  temporaryOf,
} from './restore-files.ts'
import {
  addLines,
  carryAlong,
  databasesOf,
  ErasedListError,
  type FoundList,
  findList,
} from './restore-list.ts'

export interface RestoreOptions {
  readonly backup: string
  /** The database that is replaced, or created. */
  readonly path: string
  /** Left out: beside the database. */
  readonly erasedList?: string
  /** The program goes on using the list at its place, so the list is not copied beside the database. */
  readonly staysInPlace?: boolean
  /** Restores even if it is not fully known what was erased since the backup. */
  readonly withoutList?: boolean
  /**
   * The backup keeps its schema, so that the version that wrote it can open it again. Erasures since then
   * cannot be repeated without a migration. If there are any, the restore is refused, unless `withoutList` is
   * set.
   */
  readonly keepSchema?: boolean
  readonly dryRun?: boolean
  /** Opens an instance for a namespace, with its settings, on a store that the instance does not close. */
  readonly open: (
    store: Store,
    namespace: string,
    options: { readonly erasedList: string | false; readonly onError: (error: unknown) => void },
  ) => Promise<Palimpsest>
  readonly onProgress?: (progress: RestoreProgress) => void
  /** Throws if the restore has to end. Until the new database is in its place, nothing has changed. */
  readonly check?: () => void
  /** For tests. */
  readonly onStep?: OnStep
}

export type RestoreProgress =
  | { readonly stage: 'copying'; readonly share: number }
  | ({ readonly stage: 'erasing' } & AgainProgress)

export interface Restored {
  readonly path: string
  readonly backup: string
  readonly dryRun: boolean
  /** The schema of the backup, and the schema of the database now. */
  readonly schema: { readonly from: number; readonly to: number }
  /** `null`: the schema was kept, and it has no generation. */
  readonly generation: number | null
  /** Erasures after the backup. They were carried out again. */
  readonly erased: ErasureCounts
  /**
   * Erasures of the list after the backup that were not carried out again, because the schema was kept.
   * `null`: the schema was not kept.
   */
  readonly comeBack: ErasureCounts | null
  /** Erasures of the list whose targets are not in the backup. */
  readonly withoutTarget: number
  readonly files: readonly FilesAfterRestore[]
  /** Where the old database is now. `null`: there was none. */
  readonly aside: string | null
  /** The old database could not be opened, so it is not known whether another process had it open. */
  readonly wasDamaged: boolean
  /**
   * The log beside the old file belonged to another file. File and log are kept as they were; neither was
   * merged into the other.
   */
  readonly hadForeignLog: boolean
  /** `null`: no list was found, and none was needed or asked for. */
  readonly list: string | null
}

/**
 * Puts a backup in the place of a database. All work is done on a copy beside the database. At the end, one
 * step puts the copy in its place. So a restore that is interrupted has changed nothing or everything, and
 * can be run again.
 */
export async function restoreSqlite(options: RestoreOptions): Promise<Restored> {
  const { backup, dryRun = false, onProgress, onStep = () => {} } = options
  if (isSpecialName(options.path)) throw new InvalidArgumentError('--db', options.path, 'the name of a file')
  const path = realPath(options.path)
  checkPaths(backup, path)
  await removeLeftovers(path)
  const hasForeignLog = (await findForeignLog(path)) !== null
  const old = readOldFacts(path, { hasForeignLog })
  const list = await listFor(path, options)
  const held = dryRun ? null : holdOldDatabase(path, { hasForeignLog })
  const temporary = temporaryOf(path)
  try {
    const { schema } = await copyBackup(backup, temporary, {
      onProgress: share => onProgress?.({ stage: 'copying', share }),
    })
    onStep('copied')
    options.check?.()
    const facts = factsOf(temporary)
    const id = facts.id ?? old?.id ?? onlyDatabase(list)
    if (!options.withoutList) checkList({ path, list, id, old, facts })
    const since = options.keepSchema ? erasedSince({ list, id, old, facts }) : null
    if (since && !options.withoutList) checkNothingErased(since, list)
    const worked = since
      ? { ...NOTHING_PLANNED, ...beginGeneration(temporary, generationAfter({ id, old })) }
      : await prepare(temporary, { ...options, path }, { id, old, list })
    onStep('prepared')
    const { planned, files, generation, schema: to } = worked
    const result = {
      ...{ path, backup, dryRun, schema: { from: schema, to }, generation, files },
      ...countKinds(planned),
      comeBack: since && countLines(since),
      aside: held && held.state !== 'missing' ? asideName(path, new Date()) : null,
      wasDamaged: held?.state === 'damaged',
      hadForeignLog: hasForeignLog,
      list: list?.path ?? null,
    }
    if (dryRun) return result
    closeLog(temporary)
    if (held?.state !== 'missing') await chmod(temporary, privateMode(statSync(path).mode))
    await syncFile(temporary)
    await bringList(list, path, options)
    options.check?.()
    onStep('synced')
    await takePlace(temporary, path, { aside: result.aside ?? asideName(path, new Date()), onStep })
    return result
  } finally {
    held?.release()
    await removeTemporary(temporary)
  }
}

/** SQLite keeps its log beside the target of a link. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const folder = dirname(resolve(path))
  if (existsSync(folder)) return join(realpathSync(folder), basename(path))
  throw new PalimpsestError(
    'file_not_found',
    `There is no folder ${JSON.stringify(folder)}. Make it, or name another file.`,
    {
      file: folder,
    },
  )
}

function checkPaths(backup: string, path: string): void {
  if (!existsSync(backup) || !statSync(backup).isFile())
    throw new PalimpsestError('file_not_found', `There is no backup ${JSON.stringify(backup)}.`, {
      file: backup,
    })
  if (existsSync(path) && realpathSync(backup) === path)
    throw new InvalidArgumentError('backup', backup, 'another file than the database itself')
}

/**
 * The list that the caller named, and the list beside the database. If both exist, their lines are joined.
 */
async function listFor(
  path: string,
  { erasedList: named, staysInPlace }: RestoreOptions,
): Promise<FoundList | null> {
  const beside = erasedListOf(path)
  if (named === undefined || resolve(named) === beside) return findList(beside)
  const list = await findList(named)
  if (list === null)
    throw new ErasedListError(
      `There is no list of what was erased ${JSON.stringify(named)}, or nothing is in it. Name the one of this database, or say that nothing was erased since the backup: --without-erased-list.`,
      { list: named },
    )
  const there = staysInPlace ? null : await findList(beside)
  if (there && there.hashes.check !== list.hashes.check)
    throw new ErasedListError(
      `Beside the database is another list of what was erased, ${JSON.stringify(beside)}, under another key. Move it and its key away, or restore with it.`,
      { list: beside },
    )
  return there ? { ...list, lines: [...list.lines, ...there.lines] } : list
}

/**
 * A backup of an earlier version does not name its database. If the list has lines of one database only, that
 * is the one.
 */
function onlyDatabase(list: FoundList | null): string | null {
  const [only, ...more] = list ? databasesOf(list) : []
  return more.length === 0 ? (only ?? null) : null
}

interface ListCheck {
  readonly path: string
  readonly list: FoundList | null
  readonly id: string | null
  readonly old: DatabaseFacts | null
  readonly facts: DatabaseFacts
}

/**
 * Checks that every erasure since the backup is known. If the database that is replaced can be read, it
 * helps: each of its erasures must be in the backup or in the list.
 */
function checkList({ path, list, id, old, facts }: ListCheck): void {
  const where = JSON.stringify(list?.path ?? erasedListOf(path))
  // A backup from before databases had ids is taken for a backup of the database that it replaces.
  const isSame = old !== null && (facts.id === null || facts.id === old.id)
  const listed = new Set(list?.lines.map(line => line.id))
  const inBackup = new Set(facts.erasures.map(recordName))
  const unknown = (isSame ? old.erasures : []).filter(
    record => !inBackup.has(recordName(record)) && !(record.listId !== null && listed.has(record.listId)),
  )
  if (unknown.length > 0)
    throw new ErasedListError(
      `${unknown.length} erasures of the database ${JSON.stringify(path)} came after the backup and are not in the list ${where}: they ` +
        'were made by an earlier version, or the list is not the whole one. Their persons would come back. Restore a newer backup, ' +
        'name the right list with --erased-list FILE, or erase them again afterwards and say so with --without-erased-list.',
      { list: list?.path ?? erasedListOf(path), erasures: unknown.length },
    )
  if (isSame) return
  if (list === null)
    throw new ErasedListError(
      `There is no list of what was erased ${where}, so it cannot be told who was erased since the backup. Bring it with its key ` +
        'from where the database was and name it with --erased-list FILE; or say that nothing was erased since: --without-erased-list.',
      { list: erasedListOf(path) },
    )
  if (id !== null && !databasesOf(list).has(id))
    throw new ErasedListError(
      `The list of what was erased ${where} is of another database. Name the one of this database with --erased-list FILE; or say ` +
        'that nothing was erased since the backup: --without-erased-list.',
      { list: list.path },
    )
}

/** The erasures of the list that the backup does not have. */
function erasedSince({ list, id, old, facts }: Omit<ListCheck, 'path'>): readonly ErasedLine[] {
  const inBackup = new Set(facts.erasures.map(recordName))
  // In a backup from before the list, the records do not name its lines. The records of the old database may
  // name them.
  const known = new Set(
    [...facts.erasures, ...(old?.erasures ?? []).filter(record => inBackup.has(recordName(record)))].map(
      ({ listId }) => listId,
    ),
  )
  const lines = new Map<string, ErasedLine>()
  for (const line of list?.lines ?? [])
    if (!isFilesLine(line) && (id === null || line.database === id) && !known.has(line.id))
      lines.set(line.id, line)
  return [...lines.values()]
}

function checkNothingErased(since: readonly ErasedLine[], list: FoundList | null): void {
  if (since.length === 0 || list === null) return
  throw new ErasedListError(
    `Erased after the backup: ${kindsText(countLines(since))} (by the list ${JSON.stringify(list.path)}). While its schema is kept ` +
      'they cannot be erased again, and would come back. Restore a newer backup, or restore without --keep-schema; or erase them ' +
      'again with the version that you go back to, and say so with --without-erased-list.',
    { list: list.path, erasures: since.length },
  )
}

function recordName({ namespace, id, requestedAt }: DatabaseFacts['erasures'][number]): string {
  return JSON.stringify([namespace, id, requestedAt])
}

function factsOf(file: string): DatabaseFacts {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return readFacts(database)
  } finally {
    database.close()
  }
}

interface Known {
  readonly id: string | null
  readonly old: DatabaseFacts | null
  readonly list: FoundList | null
}

interface Prepared {
  readonly planned: readonly PlannedErasure[]
  readonly files: readonly FilesAfterRestore[]
  readonly generation: number | null
  readonly schema: number
}

const NOTHING_PLANNED = { planned: [], files: [] } as const

function generationAfter({ id, old }: Pick<Known, 'id' | 'old'>): Parameters<typeof beginGeneration>[1] {
  return { id, atLeast: old?.id === id ? old?.generation : 0 }
}

/** Migrates the copy, begins a new generation, and erases from it what was erased since the backup. */
async function prepare(file: string, options: RestoreOptions, { id, old, list }: Known): Promise<Prepared> {
  const migrated = sqlite(file, { durability: 'normal' })
  await migrated.open()
  await migrated.close()
  // Done while no store has the file open. A store could take it for another database.
  const { generation, schema } = beginGeneration(file, generationAfter({ id, old }))
  const store = sqlite(file, { durability: 'normal' })
  await store.open()
  try {
    const { id: database } = await store.database.readIdentity()
    const lines = list?.lines ?? []
    const hashes = list?.hashes ?? new ErasedHashes(Buffer.alloc(0))
    const planned = await planErasures(store, { lines, hashes, database })
    if (options.dryRun) return { planned, files: [], generation, schema }
    const erasedList = list?.path ?? erasedListOf(options.path)
    const files = await eraseAgain({
      ...{ store, planned, filesDone: filesDoneIn({ lines }) },
      open: (namespace, onError) => options.open(store, namespace, { erasedList, onError }),
      onProgress: progress => options.onProgress?.({ stage: 'erasing', ...progress }),
      ...(options.check && { check: options.check }),
    })
    return { planned, files, generation, schema }
  } finally {
    await store.close()
  }
}

/**
 * The new generation is above that of the database that it replaces, so that folders of files know which one
 * is later. Schemas before 13 have no generation.
 */
function beginGeneration(
  file: string,
  { id, atLeast = 0 }: { id: string | null; atLeast?: number | undefined },
): { generation: number | null; schema: number } {
  const database = new DatabaseSync(file, { timeout: 10_000 })
  try {
    const hasIdentity = readFacts(database).id !== null
    if (hasIdentity)
      database
        .prepare(
          `UPDATE identity SET id = coalesce(?, id), generation = max(generation, ?) + 1,
           generation_key = lower(hex(randomblob(8)))`,
        )
        .run(id, atLeast)
    // These leases belong to processes that worked on the original. No process works on this copy.
    const hasLeases = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'leases'`).get()
    if (hasLeases)
      database.exec(
        `UPDATE leases SET owner = NULL, until = NULL WHERE name IN ('erasure', 'erasure-summaries', 'workspace')`,
      )
    const { generation } = readFacts(database)
    const version = database.prepare('PRAGMA user_version').get()
    return { generation: hasIdentity ? generation : null, schema: Number(version?.['user_version']) }
  } finally {
    database.close()
  }
}

/**
 * Puts the list beside the database, where a program looks for it, unless the program is told another place.
 */
async function bringList(
  list: FoundList | null,
  path: string,
  { staysInPlace }: RestoreOptions,
): Promise<void> {
  const beside = erasedListOf(path)
  if (list === null || staysInPlace || resolve(list.path) === beside) return
  const there = await findList(beside)
  if (there === null) await carryAlong(list.path, beside)
  else await addLines(beside, list.lines, there.lines)
}
