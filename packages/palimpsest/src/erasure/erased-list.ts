import { randomBytes } from 'node:crypto'
import { constants, type FileHandle, link, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PalimpsestError } from '../errors.ts'
import { syncFolder } from '../sync-folder.ts'
import {
  ErasedHashes,
  type ErasedLine,
  type FilesLine,
  isFilesLine,
  type ListedErasure,
  readLine,
  toLine,
} from './erased-line.ts'

/** A random id for an erasure, in the list and in its record. */
export function newListId(): string {
  return randomBytes(16).toString('hex')
}

export function keyFileOf(list: string): string {
  return `${list}-key`
}

const KEY_BYTES = 32
const KEY = new RegExp(`^[0-9a-f]{${2 * KEY_BYTES}}\\s*$`)
const OWNER_ONLY = 0o600
const NEW_LINE = 0x0a

/**
 * The list of erasures, a file beside the database. For users it is the list of what was erased. A backup
 * from before an erasure still has the erased data. With this list, a restore erases that data again.
 *
 * What always holds: lines are only added. Each line is one write, and it counts only after a sync. A torn
 * line is ignored, and the next line begins on a new one. Several processes and namespaces share a list. The
 * key is made once. While the list has lines under a key, no new key is made.
 */
export class ErasedList {
  readonly path: string
  readonly #database: () => Promise<string>
  /** Erasures with a line that this process has seen or written. */
  readonly #known = new Set<string>()

  /** `database` gives the id of the database of the erasures. */
  constructor(path: string, database: () => Promise<string>) {
    this.path = path
    this.#database = database
  }

  /**
   * Whether the list has a line for this erasure. It searches for the id and parses no other line, since
   * there may be very many.
   */
  async has(id: string): Promise<boolean> {
    if (this.#known.has(id)) return true
    const bytes = await readFile(this.path).catch(missing)
    const isThere =
      bytes !== null && linesWith(bytes, `"id":${JSON.stringify(id)}`).some(line => line.id === id)
    if (isThere) this.#known.add(id)
    return isThere
  }

  /** Resolves when the line survives a power cut. */
  async add(erasure: ListedErasure): Promise<void> {
    const hashes = new ErasedHashes(await this.#takeKey())
    await this.#append(toLine(erasure, hashes, await this.#database()))
    this.#known.add(erasure.id)
  }

  /** Notes that the files of the workspace have followed an erasure. A repeat does no harm. */
  async noteFilesDone(id: string): Promise<void> {
    await this.#append({ format: 1, id, database: await this.#database(), files: 'done' })
  }

  async #append(line: ErasedLine | FilesLine): Promise<void> {
    const handle = await open(
      this.path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
      OWNER_ONLY,
    )
    try {
      const { size } = await handle.stat()
      const isTorn = size > 0 && (await lastByte(handle, size)) !== NEW_LINE
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${JSON.stringify(line)}\n`)
      const { bytesWritten } = await handle.write(bytes)
      if (bytesWritten < bytes.length) throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
      await handle.sync()
      if (size === 0) await syncFolder(dirname(this.path))
    } finally {
      await handle.close()
    }
  }

  /** Read each time, since an operator who moves the list away also moves its key away. */
  async #takeKey(): Promise<Buffer> {
    const key = await readKey(this.path)
    if (key !== null) return key
    const list = await stat(this.path).catch(missing)
    if (list !== null && list.size > 0) throw new KeyLostError(this.path)
    await makeKey(this.path)
    return (await readKey(this.path)) ?? Promise.reject(new KeyLostError(this.path))
  }
}

/** The list has lines, but their key is lost. */
class KeyLostError extends PalimpsestError {
  override readonly name = 'KeyLostError'
  constructor(list: string) {
    const [file, key] = [JSON.stringify(list), JSON.stringify(keyFileOf(list))]
    super(
      'file_not_found',
      `The list of what was erased ${file} has lines, and its key ${key} is not there or is no key. Put the key back. If it ` +
        'is lost, move the list away and make a new backup: older ones cannot be restored without what was erased.',
      { file: keyFileOf(list) },
    )
  }
}

/** `null`: there is no key. */
export async function readKey(list: string): Promise<Buffer | null> {
  const text = await readFile(keyFileOf(list), 'utf8').catch(missing)
  if (text === null) return null
  if (!KEY.test(text)) throw new KeyLostError(list)
  return Buffer.from(text.trim(), 'hex')
}

/** All lines of a list. `null`: there is no list. */
export async function readList(list: string): Promise<readonly (ErasedLine | FilesLine)[] | null> {
  const text = await readFile(list, 'utf8').catch(missing)
  return text === null ? null : linesOf(text)
}

function linesOf(text: string): readonly (ErasedLine | FilesLine)[] {
  return text.split('\n').flatMap(line => readLine(line) ?? [])
}

/** If two processes make a key at once, one of them wins. The file gets its name only when it is whole. */
async function makeKey(list: string): Promise<void> {
  const path = keyFileOf(list)
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`)
  const handle = await open(temporary, 'wx', OWNER_ONLY)
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('hex')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(temporary, path).catch(async error => {
    // Some file systems have no links.
    if (error.code !== 'EEXIST') await rename(temporary, path)
  })
  await unlink(temporary).catch(missing)
  await syncFolder(dirname(path))
}

async function lastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0]
}

/** The lines of erasures that contain this text. */
function linesWith(bytes: Buffer, text: string): readonly ErasedLine[] {
  const found: ErasedLine[] = []
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) {
    const end = bytes.indexOf(NEW_LINE, at)
    const line = readLine(
      bytes.toString('utf8', bytes.lastIndexOf(NEW_LINE, at) + 1, end === -1 ? undefined : end),
    )
    if (line !== null && !isFilesLine(line)) found.push(line)
  }
  return found
}

function missing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
  throw error
}
