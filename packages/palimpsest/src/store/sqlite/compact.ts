import { PalimpsestError, StoreError } from '../../errors.ts'
import { type Compaction, type CompactionOptions, runCompaction, SHARED_STEPS } from '../sql/compact.ts'
import { endCompaction, isWhollyCompact } from '../sql/packs.ts'
import { compactTexts } from './compact-texts.ts'
import { findRoom } from './disk-room.ts'
import { SqliteDriver } from './driver.ts'
import { realPath, sizeOf } from './view.ts'

/** Each try waits a second for readers, and longer for writers. */
const TRIES_TO_REWRITE = 5

/**
 * Also migrates the database. At the end the file is written anew: SQLite returns its free space in no other
 * way.
 */
export async function compactSqlite(path: string, options: CompactionOptions = {}): Promise<Compaction> {
  const begun = performance.now()
  const driver = new SqliteDriver(path, {})
  const bytesBefore = bytesOf(path)
  requireRoom(driver.name, path, bytesBefore)
  await driver.open()
  try {
    await runCompaction(driver, [compactTexts, ...SHARED_STEPS], options)
    options.onProgress?.({ step: 'writing the file anew', share: 1 })
    await rewrite(driver)
    await driver.write(endCompaction)
  } finally {
    await driver.close()
  }
  return {
    ...{ store: driver.name, bytesBefore, bytesAfter: bytesOf(path) },
    tookMs: Math.round(performance.now() - begun),
  }
}

/** Changes nothing. */
export async function isCompactSqlite(path: string): Promise<boolean> {
  const driver = new SqliteDriver(path, { readOnly: true })
  await driver.open()
  try {
    return await driver.read(isWhollyCompact)
  } finally {
    await driver.close()
  }
}

function bytesOf(path: string): number {
  const file = realPath(path)
  return Math.max(0, sizeOf(file)) + Math.max(0, sizeOf(`${file}-wal`))
}

/** The check comes before anything is changed. */
function requireRoom(name: string, path: string, bytes: number): void {
  const problem = findRoom(realPath(path), bytes)
  if (problem === null) return
  const { folder, freeBytes, neededBytes } = problem
  throw new StoreError(
    'store_full',
    name,
    `there is no room to write the database anew: ${folder} has ${megabytes(freeBytes)} free and ` +
      `${megabytes(neededBytes)} are needed. Nothing was changed. Make room, and run it again.`,
  )
}

async function rewrite(driver: SqliteDriver): Promise<void> {
  for (let tries = TRIES_TO_REWRITE; tries > 0; tries--) {
    if (await scrub(driver)) return
  }
  throw new StoreError(
    'store_busy',
    driver.name,
    'all that it holds is compact now, but a program reads without end, so that the file could not be written anew and is ' +
      'as large as before. End that program, and run it again.',
  )
}

async function scrub(driver: SqliteDriver): Promise<boolean> {
  try {
    return await driver.scrub()
  } catch (error) {
    if (!PalimpsestError.isInstance(error) || error.code !== 'store_full') throw error
    throw new StoreError(
      'store_full',
      driver.name,
      'all that it holds is compact now, but there is no room to write the file anew, so that it is as large as before. ' +
        'Make room, and run it again.',
      error,
    )
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}
