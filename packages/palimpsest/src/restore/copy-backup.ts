import { existsSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { StoreError } from '../errors.ts'
import { createPrivately } from '../store/private-file.ts'
import { toStoreError } from '../store/sqlite/errors.ts'
import { integrityProblems } from '../store/sqlite/integrity.ts'
import { checkLog } from '../store/sqlite/log-check.ts'
import { checkVersions } from '../store/sqlite/migrate.ts'
import { addressOf, realPath, viewOf } from '../store/sqlite/view.ts'

const PAGES_AT_A_TIME = 5_000

/**
 * Copies a backup, with the content of its log, and checks the copy: it is a database of ours that this
 * program knows, and each of its pages is whole. The backup itself is only read.
 */
export async function copyBackup(
  path: string,
  to: string,
  { onProgress = () => {} }: { onProgress?: (share: number) => void } = {},
): Promise<{ readonly schema: number }> {
  const name = `SQLite ${path}`
  let source: DatabaseSync | null = null
  try {
    await checkLog(name, realPath(path))
    const { parameters } = viewOf(path)
    source = new DatabaseSync(addressOf(path, parameters), { readOnly: true })
    const { version } = checkVersions(source, name)
    if (version === 0)
      throw new StoreError('store_version', name, 'there is nothing in this database. Name another file.')
    createPrivately(to)
    await backup(source, to, {
      rate: PAGES_AT_A_TIME,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / Math.max(1, totalPages)),
    })
    checkWhole(to, name)
    return { schema: version }
  } catch (error) {
    throw toStoreError(error, name)
  } finally {
    source?.close()
  }
}

const MAX_TOLD = 3

function checkWhole(copy: string, name: string): void {
  const database = new DatabaseSync(copy)
  try {
    const problems = integrityProblems(database, MAX_TOLD)
    if (problems.length === 0) return
    throw new StoreError(
      'store_corrupt',
      name,
      `it is damaged (${problems.join('; ')}). Nothing was changed; restore an older backup.`,
    )
  } finally {
    database.close()
  }
}

/** Turns the database into one file without a log. */
export function closeLog(path: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
  if (existsSync(`${path}-wal`)) throw new Error('the log of the restored database is still there')
}
