import { existsSync } from 'node:fs'
import { constants, copyFile, link, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InvalidArgumentError } from '../errors.ts'
import { syncFolder } from '../sync-folder.ts'

/** The files that SQLite keeps beside a database. */
export const BESIDE = ['-wal', '-shm', '-journal']

/** The file in which a database is prepared before it replaces another. */
export function temporaryOf(path: string): string {
  return `${path}.restoring-${process.pid}`
}

/** Removes what an aborted restore left. If that restore is still running, it throws. */
export async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.restoring-`
  for (const name of await readdir(dirname(path))) {
    const id = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined
    if (id === undefined) continue
    if (Number(id) !== process.pid && isRunning(Number(id)))
      throw new InvalidArgumentError(
        '--db',
        path,
        `a database that no other restore is at; process ${id} is. If that is something else, delete ${JSON.stringify(name)}`,
      )
    await rm(join(dirname(path), name), { force: true })
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export async function removeTemporary(temporary: string): Promise<void> {
  for (const end of ['', ...BESIDE]) await rm(`${temporary}${end}`, { force: true })
}

/** The new name of the old files. Each call gives another name. */
export function asideName(path: string, now: Date): string {
  const instant = now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  const name = `${path}.before-restore-${instant}`
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`
    if (![numbered, ...BESIDE.map(end => `${numbered}${end}`)].some(file => existsSync(file))) return numbered
  }
}

/** Called after each step. A test can end the process there. */
export type OnStep = (step: string) => void

/**
 * The new database takes the place of the old one, which stays under another name. At every moment there is a
 * database under the old name: the old one has both names until the new one is renamed over it. Files beside
 * a damaged database, and files that belong to another one, are moved first. Otherwise SQLite would take that
 * log for the log of the new database. A failure before the new one is in place is undone.
 */
export async function takePlace(
  temporary: string,
  path: string,
  { aside, onStep }: { aside: string; onStep: OnStep },
): Promise<void> {
  const folder = dirname(path)
  const isReplacing = existsSync(path)
  if (isReplacing) await linkOrCopy(path, aside)
  const moved: string[] = []
  try {
    onStep('kept aside')
    for (const end of BESIDE)
      if (existsSync(`${path}${end}`)) {
        await rename(`${path}${end}`, `${aside}${end}`)
        moved.push(end)
      }
    await syncFolder(folder)
    onStep('log aside')
    if (isReplacing) await rename(temporary, path)
    else await renameInto(temporary, path)
  } catch (error) {
    // If another program has put a file there meanwhile, our log does not belong beside it.
    if (isReplacing || !existsSync(path))
      for (const end of moved) await rename(`${aside}${end}`, `${path}${end}`)
    if (isReplacing) await rm(aside)
    throw error
  }
  onStep('in place')
  await syncFolder(folder)
}

/** Not every file system has links. Without them, a copy takes extra room. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await syncFile(to)
  }
}

/**
 * Used if nothing was there before. It does not overwrite a file that another program has put there
 * meanwhile.
 */
async function renameInto(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
    await rm(from)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    await rename(from, to)
  }
}

export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.sync().finally(() => handle.close())
}
