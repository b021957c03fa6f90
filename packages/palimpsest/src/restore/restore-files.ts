import { existsSync } from 'node:fs'
import { constants, copyFile, link, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InvalidArgumentError } from '../errors.ts'
import { syncFolder } from '../sync-folder.ts'

/** What SQLite keeps beside a database. */
export const BESIDE = ['-wal', '-shm', '-journal']

/** Where a database is made ready before it takes the place of another. */
export function temporaryOf(path: string): string {
  return `${path}.restoring-${process.pid}`
}

/** What a restore left that was ended from outside. One that is under way is refused. */
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

/** Where the old files are kept; each time another name. */
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

/** What a test ends the process after. */
export type OnStep = (step: string) => void

/**
 * The new database takes the place of the old one, which stays under another name. At no moment is there none under the
 * old name: the old one has both names until the new one is renamed over it. What is left beside a damaged one, or is not
 * its own, is moved before that, since SQLite would take its log for the new one's. What fails before the new one is in
 * place is undone.
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
    // Beside what another program has put there meanwhile, no log of ours belongs.
    if (isReplacing || !existsSync(path))
      for (const end of moved) await rename(`${aside}${end}`, `${path}${end}`)
    if (isReplacing) await rm(aside)
    throw error
  }
  onStep('in place')
  await syncFolder(folder)
}

/** Not every file system has links; then it takes room for a copy. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await syncFile(to)
  }
}

/** Where nothing was: what another program has put there meanwhile is not overwritten. */
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
