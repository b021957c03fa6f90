import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readDuration, type SettingValues } from 'palimpsest/internals/config/index'
import { InvalidArgumentError, PalimpsestError } from 'palimpsest/internals/errors'
import { isSpecialName } from 'palimpsest/internals/store/sqlite/view'
import { backupName, backupsAmong, dueAt, type NamedBackup } from './backup-names.ts'
import type { DatabasePlace } from './database-place.ts'
import { noBackupError } from './no-backup.ts'
import type { ProgramLog } from './program-log.ts'

export interface BackupPlan {
  readonly db: string
  readonly folder: string
  readonly everyMs: number
  readonly keep: number
}

/**
 * `null`: the settings ask for no backups. Throws before anything is opened where backups are not possible.
 */
export function backupPlan(
  { backup, backupEvery, backupKeep }: Pick<SettingValues, 'backup' | 'backupEvery' | 'backupKeep'>,
  { db, store }: DatabasePlace,
): BackupPlan | null {
  if (backup === null) return null
  if (store !== undefined) throw noBackupError('--backup', store)
  if (isSpecialName(db))
    throw new InvalidArgumentError('--backup', backup, 'none where the database is not named by its file')
  return { db, folder: resolve(backup), everyMs: readDuration(backupEvery)!, keep: backupKeep }
}

/** Tests choose other values. */
export interface BackupsParts {
  readonly retryMs?: number
}

export interface Backups {
  /** Aborts a backup that is under way and removes its partial file. */
  close(): Promise<void>
}

/** The longest pause between two looks: the clock may be changed, and the machine may sleep. */
const MAX_PAUSE_MS = 600_000
const RETRY_MS = 300_000
const STALE_MS = 86_400_000

/**
 * Makes backups at intervals while a program runs. Several programs may share a folder, since the files in it
 * decide what is due. A failure is logged and tried again; the program goes on.
 */
export function keepBackups(plan: BackupPlan, log: ProgramLog, parts: BackupsParts = {}): Backups {
  const { retryMs = RETRY_MS } = parts
  makeFolder(plan.folder)
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()
  const work = async () => {
    const pauseMs = await makeDue(plan, signal).catch(error => {
      if (!signal.aborted) log.error('warning: no backup was made, it is tried again', error)
      return retryMs
    })
    if (signal.aborted) return
    timer = setTimeout(begin, Math.min(pauseMs, MAX_PAUSE_MS)).unref()
  }
  const begin = () => {
    working = work()
  }
  begin()
  return {
    close: async () => {
      stopping.abort()
      clearTimeout(timer)
      await working
    },
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException
    throw new PalimpsestError(
      'file_not_written',
      `The folder ${folder} for backups cannot be made (${code}). Name another with --backup.`,
      { file: folder, reason: code },
      { cause: error },
    )
  }
}

/** Makes a backup if one is due. Answers with the milliseconds until the next one. */
async function makeDue(plan: BackupPlan, signal: AbortSignal): Promise<number> {
  const { db, folder, everyMs, keep } = plan
  const { backupSqlite, isPartial } = await import('palimpsest/internals/store/sqlite/backup')
  const { readIdentityAlone } = await import('palimpsest/internals/store/sqlite/identity-alone')
  const idOf = (file: string) => readIdentityAlone(join(folder, file)).identity?.id ?? null
  const own = (id: string | null) =>
    backupsAmong(readdirSync(folder), db).filter(({ file }) => idOf(file) === id)
  // The identity in the file itself. It is missing only where the database was just made and its data is
  // still in the log.
  const known = readIdentityAlone(db).identity?.id ?? null
  const due = dueAt(own(known), { everyMs, now: Date.now() })
  if (due > Date.now()) return due - Date.now()
  removeStale(folder, isPartial)
  const { id } = await backupSqlite(db, { to: join(folder, backupName(db, Date.now())), signal })
  // Old backups are removed only after a newer one is complete. Backups of another database with the same
  // file name stay.
  if (id !== null) removeOldest(folder, own(id), keep)
  return everyMs
}

function removeOldest(folder: string, newestFirst: readonly NamedBackup[], keep: number): void {
  for (const { file } of newestFirst.slice(keep)) rmSync(join(folder, file), { force: true })
}

/** Removes the partial files of a process that was killed. */
function removeStale(folder: string, isPartial: (file: string) => boolean): void {
  for (const file of readdirSync(folder).filter(isPartial)) {
    const path = join(folder, file)
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changed !== undefined && Date.now() - changed > STALE_MS) rmSync(path, { force: true })
  }
}
