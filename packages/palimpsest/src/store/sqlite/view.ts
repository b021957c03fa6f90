import { realpathSync, statSync } from 'node:fs'
import { fileAt } from './connection.ts'

/**
 * How a file is read so that nothing is made or changed beside it. SQLite would make a log and its index for every
 * reader, and leave them there.
 *
 * - Without a log: `immutable`. SQLite then makes nothing, locks nothing and needs no right to write; it does not notice
 *   either what others write. So what was read counts only if the file is still the same afterwards.
 * - With a log and its index: SQLite reads both and notices what others write. `readonly_shm`: it writes to neither.
 * - With a log alone, which a copy of the files may have: SQLite has to make the index.
 */
export interface View {
  /** `null`: what SQLite opens is no name of a file. */
  readonly path: string | null
  readonly parameters: string
  /** What the file was like; `null`: SQLite itself sees to what others write. */
  readonly state: string | null
  /** Which file it is: SQLite does not notice that another one has taken its name. */
  readonly file: string | null
}

export function viewOf(name: string): View {
  if (isSpecialName(name)) return { path: null, parameters: '', state: null, file: null }
  const path = realPath(name)
  const [log, index, journal] = ['-wal', '-shm', '-journal'].map(end => sizeOf(`${path}${end}`))
  const hasLog = log! > 0 || (log === 0 && index! >= 0)
  // A journal is of a transaction that was broken off, or is under way.
  const file = fileAt(path)
  if (!hasLog && journal! < 0) return { path, parameters: 'mode=ro&immutable=1', state: stateOf(path), file }
  return { path, parameters: hasLog && index! >= 0 ? 'mode=ro&readonly_shm=1' : 'mode=ro', state: null, file }
}

/** Whether it would be read in the same way now, and is the same. */
export function isStill(view: View, name: string): boolean {
  const { parameters, state, file } = viewOf(name)
  return parameters === view.parameters && state === view.state && file === view.file
}

/** Whether what was read in this way is what was there. */
export function isReliable(view: View, name: string): boolean {
  if (view.state !== null) return isStill(view, name)
  return view.path === null || fileAt(realPath(name)) === view.file
}

/** As SQLite opens it. */
export function addressOf(path: string, parameters: string): URL {
  // Loaded only where it is needed: most programs never do.
  const url = process.getBuiltinModule('node:url').pathToFileURL(path)
  url.search = `?${parameters}`
  return url
}

export function isSpecialName(name: string): boolean {
  return /^(:memory:|file:)/.test(name)
}

/** SQLite puts the log beside the file that a link leads to. */
export function realPath(name: string): string {
  try {
    return realpathSync(name)
  } catch {
    return name
  }
}

/** -1: it is not there. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1
}

function stateOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? [file.dev, file.ino, file.size, file.mtimeNs, file.ctimeNs].join(' ') : ''
}
