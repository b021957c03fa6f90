import { randomBytes } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import {
  chmod,
  chown,
  constants,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  unlink,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InvalidArgumentError } from '../../errors.ts'
import type { Identity } from '../../store/index.ts'
import { closeToOthers, privateMode } from '../../store/private-file.ts'
import { syncFolder } from '../../sync-folder.ts'
import { DOCUMENT_FOLDERS, documentOf, isShortened } from './file-names.ts'

/** The files of a workspace, by their paths in it. It neither reads nor writes through a symbolic link. */

export type Found =
  | { readonly kind: 'missing' }
  /** Something other than a file is in this place, or the file cannot be read. */
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'file'; readonly stamp: Stamp }

/** A stamp changes whenever the file changes. */
export interface Stamp {
  readonly text: string
  readonly bytes: number
  /** Whether the stamp is old enough that a further change would give another one. */
  readonly isSettled: boolean
}

const MARKER = '.palimpsest.json'
const FORMAT = 1
const TEMPORARY = /^\.(.+)\.[0-9a-f]{8}\.tmp$/
const ASIDE = /^(.+)\.set-aside-\d{8}T\d{6}Z(?:-\d+)?$/
/** File systems count time in steps of up to two seconds. */
const SETTLED_MS = 2_500
/** The most copies of one file in one second. */
const MAX_ASIDE = 1_000

/** Does not follow a link if the system supports that, and does not wait for a pipe. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The namespace and the database that the files belong to. */
export interface FolderOwner {
  readonly namespace: string
  readonly database: Identity
}

export class Folder {
  readonly path: string
  readonly #owner: FolderOwner

  private constructor(path: string, owner: FolderOwner) {
    this.path = path
    this.#owner = owner
  }

  static async open(path: string, owner: FolderOwner): Promise<Folder> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 })
      const folder = new Folder(await realpath(path), owner)
      await folder.claim()
      return folder
    } catch (error) {
      throw refusal(path, error)
    }
  }

  /**
   * Makes the missing parts of the folder. A folder of another namespace or database is refused. A marker of
   * an earlier version, which named no database, is accepted. So is a marker of an earlier generation of the
   * same database.
   */
  async claim(): Promise<void> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 })
      if ((await this.#readMarker()) === null) await this.#writeMarker('anew')
      if (this.#check(await this.#readMarker()) === 'older') {
        await this.#writeMarker('over')
        this.#check(await this.#readMarker())
      }
      // A folder that cannot be made now is tried again when a file is written there.
      for (const name of DOCUMENT_FOLDERS) await this.#make(name).catch(() => undefined)
    } catch (error) {
      throw refusal(this.path, error)
    }
  }

  /**
   * If two processes write the marker at once, only one can link it. On a file system without links, the
   * first one finds the other's marker at its next look.
   */
  async #writeMarker(how: 'anew' | 'over'): Promise<void> {
    const marker = { format: FORMAT, ...this.#owner }
    const temporary = await this.#writeTemporary(MARKER, `${JSON.stringify(marker)}\n`)
    try {
      if (how === 'over') await rename(temporary, this.at(MARKER))
      else await link(temporary, this.at(MARKER))
    } catch (error) {
      if (how === 'over') throw error
      if (codeOf(error) !== 'EEXIST') await rename(temporary, this.at(MARKER))
    } finally {
      await removeQuietly(temporary)
    }
    await syncFolder(this.path)
  }

  async #readMarker(): Promise<string | null> {
    try {
      const handle = await open(this.at(MARKER), READ_ONLY)
      try {
        return await handle.readFile('utf8')
      } finally {
        await handle.close()
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    }
  }

  /** `older`: the marker has to be replaced. */
  #check(marker: string | null): 'ours' | 'older' {
    const { format, namespace, database } = parseMarker(marker)
    if (format !== FORMAT || typeof namespace !== 'string')
      throw new InvalidArgumentError('folder', this.path, `a folder whose ${MARKER} has format ${FORMAT}`)
    const ours = this.#owner
    if (namespace !== ours.namespace)
      throw new InvalidArgumentError(
        'folder',
        this.path,
        `a folder of the namespace ${JSON.stringify(ours.namespace)}; this one belongs to ${JSON.stringify(namespace)}`,
      )
    const { id, generation, generationKey } = Object(database) as Partial<Identity>
    if (database === undefined) return 'older'
    if (id === ours.database.id && generationKey === ours.database.generationKey) return 'ours'
    if (id === ours.database.id && Number(generation) < ours.database.generation) return 'older'
    throw new InvalidArgumentError(
      'folder',
      this.path,
      OF_ANOTHER_DATABASE[id === ours.database.id ? 'copy' : 'other'],
    )
  }

  at(path: string): string {
    return join(this.path, path)
  }

  async #make(name: string): Promise<void> {
    await mkdir(this.at(name), { mode: 0o700 }).catch(error => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  }

  /** Lists the files of one folder that may be documents by their names. */
  async list(folder: string): Promise<readonly string[]> {
    const isLink = await isSymbolicLink(this.at(folder))
    const names = isLink ? [] : await readdir(this.at(folder)).catch(emptyIfMissing)
    return names
      .map(name => within(folder, name))
      .filter(path => documentOf(path) !== null || isShortened(path))
  }

  /** Removes temporary files of a process that ended during a write. */
  async removeTemporary(): Promise<void> {
    for (const folder of DOCUMENT_FOLDERS) {
      if (await isSymbolicLink(this.at(folder))) continue
      const names = await readdir(this.at(folder)).catch(() => [])
      for (const name of names) if (TEMPORARY.test(name)) await removeQuietly(join(this.at(folder), name))
    }
  }

  async look(path: string): Promise<Found> {
    try {
      if (await isSymbolicLink(dirname(this.at(path))))
        return { kind: 'blocked', reason: 'its folder is a symbolic link' }
      const stats = await lstat(this.at(path), { bigint: true })
      if (stats.isSymbolicLink()) return { kind: 'blocked', reason: 'it is a symbolic link' }
      if (!stats.isFile()) return { kind: 'blocked', reason: 'it is no file' }
      return { kind: 'file', stamp: stampOf(stats) }
    } catch (error) {
      if (isMissing(error)) return { kind: 'missing' }
      return { kind: 'blocked', reason: codeOf(error) }
    }
  }

  async read(path: string): Promise<Buffer> {
    const handle = await open(this.at(path), READ_ONLY)
    try {
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  }

  /**
   * Writes a file in one step, so that it always has either the old or the new text. `null`: the file no
   * longer has the expected stamp, so another program wrote it, and it stays as it is. An expected stamp of
   * `null` means that there is no file.
   */
  async write(path: string, text: string, expected: Stamp | null): Promise<Stamp | null> {
    if (!(await this.#isStill(path, expected))) return null
    await this.#make(dirname(path))
    const temporary = await this.#writeTemporary(path, text)
    try {
      if (expected !== null) await keepGroup(this.at(path), temporary)
      if (!(await this.#isStill(path, expected))) return null
      await rename(temporary, this.at(path))
    } finally {
      await removeQuietly(temporary)
    }
    await syncFolder(dirname(this.at(path)))
    return stampOf(await lstat(this.at(path), { bigint: true }))
  }

  async #isStill(path: string, expected: Stamp | null): Promise<boolean> {
    const found = await this.look(path)
    if (found.kind === 'missing') return expected === null
    return found.kind === 'file' && found.stamp.text === expected?.text
  }

  async #writeTemporary(path: string, text: string): Promise<string> {
    const name = `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`
    const temporary = join(dirname(this.at(path)), name)
    try {
      const handle = await open(temporary, 'wx', 0o600)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      return temporary
    } catch (error) {
      await removeQuietly(temporary)
      throw error
    }
  }

  /** Moves a file aside, under a new name, and returns that name. */
  async setAside(path: string, now: number): Promise<string> {
    const name = await this.#freeName(path, now)
    await rename(this.at(path), this.at(name))
    if (!(await isSymbolicLink(this.at(name)))) closeToOthers(this.at(name))
    return name
  }

  /** Keeps a copy under a new name. The file itself stays. */
  async copyAside(path: string, bytes: Uint8Array, now: number): Promise<string> {
    const name = await this.#freeName(path, now)
    const handle = await open(this.at(name), 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return name
  }

  /** Lists set-aside and half-written copies in one folder, by the file that each is a copy of. */
  async listCopies(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const isLink = await isSymbolicLink(this.at(folder))
    const names = isLink ? [] : await readdir(this.at(folder)).catch(emptyIfMissing)
    const copies = new Map<string, string[]>()
    for (const name of names) {
      const of = (ASIDE.exec(name) ?? TEMPORARY.exec(name))?.[1]
      if (of === undefined) continue
      const path = within(folder, of)
      copies.set(path, [...(copies.get(path) ?? []), within(folder, name)])
    }
    return copies
  }

  /**
   * Removes a file, or a link in its place. Anything else in that place stays. Until `sync`, the file may
   * come back after a power cut. `false`: there was no file.
   */
  async remove(path: string): Promise<boolean> {
    const [parent, own] = [dirname(this.at(path)), this.at(path)]
    if (await isSymbolicLink(parent)) throw new BlockedError('its folder is a symbolic link')
    const stats = await lstat(own).catch(error => {
      if (!isMissing(error)) throw error
    })
    if (!stats?.isFile() && !stats?.isSymbolicLink()) return false
    await unlink(own).catch(error => {
      if (!isMissing(error)) throw error
    })
    return true
  }

  /** After this, removed files of the folder stay removed. */
  async sync(folder: string): Promise<void> {
    await syncFolder(this.at(folder))
  }

  async #freeName(path: string, now: number): Promise<string> {
    const instant = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
    const name = `${path}.set-aside-${instant}`
    for (let number = 1; number <= MAX_ASIDE; number++) {
      const numbered = number === 1 ? name : `${name}-${number}`
      if ((await this.look(numbered)).kind === 'missing') return numbered
    }
    throw new Error('no name is free to set it aside')
  }
}

/** Something that is not ours is in the way. */
class BlockedError extends Error {
  readonly code: string
  constructor(reason: string) {
    super(reason)
    this.code = reason
  }
}

function within(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

function refusal(path: string, error: unknown): InvalidArgumentError {
  if (error instanceof InvalidArgumentError) return error
  const allowed = `a folder that can be made and written to (${codeOf(error)})`
  return new InvalidArgumentError('folder', path, allowed)
}

const TO_MOVE = `To give it to this one on purpose, stop the other program and delete ${MARKER} in the folder: what the files say is then taken over`
const OF_ANOTHER_DATABASE = {
  other: `a folder of its own for each database; this one belongs to another database. ${TO_MOVE}`,
  copy: `a folder of its own for each database; this one belongs to a later copy of this database. ${TO_MOVE}`,
}

function parseMarker(text: string | null): { format?: unknown; namespace?: unknown; database?: unknown } {
  try {
    return Object(JSON.parse(text ?? ''))
  } catch {
    return {}
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): Stamp {
  return {
    text: [dev, ino, size, mtimeNs, ctimeNs].join(':'),
    bytes: Number(size),
    isSettled: Date.now() - Number(ctimeMs) > SETTLED_MS,
  }
}

/** The new file gets the same group as the old one. */
async function keepGroup(path: string, replacement: string): Promise<void> {
  const before = await lstat(path).catch(() => null)
  if (before === null || privateMode(before.mode) === privateMode(0)) return
  // The group of another owner cannot be set.
  await chown(replacement, -1, before.gid).then(
    () => chmod(replacement, privateMode(before.mode)),
    () => {},
  )
}

async function isSymbolicLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    stats => stats.isSymbolicLink(),
    () => false,
  )
}

async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => undefined)
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error))
}

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return []
  throw error
}

/** The system's code for an error, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  const { code } = Object(error)
  return typeof code === 'string' ? code : String(error)
}
