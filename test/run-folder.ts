import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickFolder } from './quick-folder.ts'

const NAME = 'palimpsest-run-'

/**
 * All that a run writes lies in one folder, which goes with the run: the tests, and the processes that they start, take
 * it for the temporary folder of the machine. A run that was killed could not remove its own; the next one does.
 */
export default function setup(): () => void {
  const temporary = process.env.TMPDIR
  const parent = quickFolder(tmpdir())
  removeThoseOfTheDead(parent)
  const folder = mkdtempSync(join(parent, `${NAME}${process.pid}-`))
  // PostgreSQL runs as another user, and has a folder in it.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  return () => {
    if (temporary === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = temporary
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

function removeThoseOfTheDead(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(NAME) || isAlive(Number.parseInt(name.slice(NAME.length), 10))) continue
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(process_: number): boolean {
  try {
    process.kill(process_, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
