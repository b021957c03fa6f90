import { realpathSync, statSync } from 'node:fs'
import { fileAt } from './connection.ts'

/**
 * How a file is read so that nothing is made or changed beside it. SQLite would make a log and its index for
 * every reader, and would leave them there.
 *
 * - Without a log: `immutable`. SQLite then makes nothing, locks nothing and needs no right to write. But it
 *   does not notice what others write, so a read counts only if the file is still the same afterwards.
 * - With a log and its index: SQLite reads both and notices what others write. `readonly_shm`: it writes to
 *   neither.
 * - With a log alone, which a copy of the files may have: SQLite has to make the index.
 */
export interface View {
  /** `null`: the name that SQLite opens is not that of a file. */
  readonly path: string | null
  readonly parameters: string
  /** The state of the file. `null`: SQLite itself notices what others write. */
  readonly state: string | null
  /** The identity of the file: SQLite does not notice that another file has taken its name. */
  readonly file: string | null
}

export function viewOf(name: string): View {
  if (isSpecialName(name)) return { path: null, parameters: '', state: null, file: null }
  const path = realPath(name)
  const [log, index, journal] = ['-wal', '-shm', '-journal'].map(end => sizeOf(`${path}${end}`))
  const hasLog = log! > 0 || (log === 0 && index! >= 0)
  // A journal belongs to a transaction that is under way or was interrupted.
  const file = fileAt(path)
  if (!hasLog && journal! < 0) return { path, parameters: 'mode=ro&immutable=1', state: stateOf(path), file }
  return { path, parameters: hasLog && index! >= 0 ? 'mode=ro&readonly_shm=1' : 'mode=ro', state: null, file }
}

/** Whether the file would be read in the same way now, and has not changed. */
export function isStill(view: View, name: string): boolean {
  const { parameters, state, file } = viewOf(name)
  return parameters === view.parameters && state === view.state && file === view.file
}

/** Whether what was read in this way is what was in the file. */
export function isReliable(view: View, name: string): boolean {
  if (view.state !== null) return isStill(view, name)
  return view.path === null || fileAt(realPath(name)) === view.file
}

/** The address by which SQLite opens the file. */
export function addressOf(path: string, parameters: string): URL {
  // Loaded only when it is needed: most programs never need it.
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

/** -1: there is no such file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1
}

function stateOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? [file.dev, file.ino, file.size, file.mtimeNs, file.ctimeNs].join(' ') : ''
}
