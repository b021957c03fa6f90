import { ClosedError, describeError } from '../../errors.ts'
import type { LayerName, Store, Warn } from '../../store/index.ts'
import { eraseFiles } from './erase-files.ts'
import { DOCUMENT_FOLDERS, documentOf, documentOfShortened, isShortened } from './file-names.ts'
import { codeOf, Folder } from './folder.ts'
import { FolderWatch } from './folder-watch.ts'
import { countFilesBehindErasures } from './lost-lines.ts'
import { isStoreFailure, MAX_BYTES, Mirror, pathOf, type SyncCounts } from './mirror.ts'
import { namesOf } from './names-of.ts'
import { Warnings } from './warnings.ts'
import { type FileName, readFile, readIdLine } from './workspace-file.ts'
import { WorkspaceLease } from './workspace-lease.ts'

export interface WorkspaceOptions {
  readonly store: Store
  readonly namespace: string
  /** The folder is made if it does not exist. */
  readonly folder: string
  readonly clock: () => number
  /** The name of this process. It is unique among all processes. */
  readonly owner: string
  readonly warn: Warn
  /** Called with failures in the background. */
  readonly onError: (error: unknown) => void
}

export type SyncResult = Readonly<SyncCounts>

const BEHIND_EVERY_MS = 5_000
const LOOK_EVERY_MS = 60_000
const AFTER_CHANGE_MS = 50
const AFTER_TOUCH_MS = 100
/** The pause before another look at a file that was being written. */
const LOOK_AGAIN_MS = 1_000
const DOCUMENTS_AT_A_TIME = 500
const BEHIND_AT_A_TIME = 100
const ERASED_AT_A_TIME = 500
const NOTHING: SyncResult = { written: 0, read: 0, setAside: 0 }

/**
 * Mirrors a namespace's memory in files that a person can read and edit, in a folder on one machine. The
 * database holds the truth. A deleted file comes back, and a damaged one is set aside. A person's edit is
 * merged into the database as a new version, together with other writes of the meantime.
 *
 *   new ── start or sync ──▶ standing by ◀── the lease is another's ──▶ mirroring ── close ──▶ closed
 *
 * What always holds:
 * - Of all processes on a database, only the one with the lease mirrors a namespace.
 * - Only one pass runs at a time.
 * - A folder belongs to one namespace of one database. So memory never moves between tenants, or from a test
 *   into production.
 * - A pass begins with the files of erased documents, so that none of these is read again.
 * - A problem with a file never reaches a caller. It brings one warning and is tried again.
 */
export class Workspace {
  readonly #options: WorkspaceOptions
  readonly #warnings: Warnings
  readonly #lease: WorkspaceLease
  #opened: Promise<OpenFolder> | null = null
  #last: Promise<unknown> = Promise.resolve()
  #waitingSync: Promise<SyncResult> | null = null
  /** What the waiting pass has to look at, beside the documents that are behind. */
  #wanted: { isFull: boolean; readonly paths: Set<string> } | null = null
  readonly #timers: {
    intervals: NodeJS.Timeout[]
    change: NodeJS.Timeout | null
    touch: NodeJS.Timeout | null
  } = {
    intervals: [],
    change: null,
    touch: null,
  }
  readonly #touched = new Set<string>()
  #isLeaseLost = false
  #erasedFiles = 0
  #closed: Promise<void> | null = null

  constructor(options: WorkspaceOptions) {
    this.#options = options
    this.#warnings = new Warnings(options.warn)
    this.#lease = new WorkspaceLease(options)
  }

  /**
   * Throws an `InvalidArgumentError` if the folder belongs to another namespace or database, or cannot be
   * made.
   */
  async start(): Promise<void> {
    if (this.#closed) throw new ClosedError('workspace')
    const { watch } = await this.#open()
    if (this.#closed || this.#timers.intervals.length > 0) return
    watch.open()
    this.#timers.intervals = [
      setInterval(() => this.#soon({}), BEHIND_EVERY_MS).unref(),
      setInterval(() => this.#soon({ isFull: true }), LOOK_EVERY_MS).unref(),
    ]
    // In the background, so that a start does not wait for thousands of files.
    this.sync().catch(error => this.#tell(error))
  }

  /** Looks at all files once, now. If another process has the lease, nothing happens. */
  sync(): Promise<SyncResult> {
    if (this.#closed) return Promise.reject(new ClosedError('workspace'))
    this.#waitingSync ??= this.#inTurn(async () => {
      this.#waitingSync = null
      return await this.#pass({ isFull: true, paths: new Set(), isUrgent: true })
    })
    return this.#waitingSync
  }

  /**
   * Reconciles the files with erasures, now. `files` is the number of files that were removed or written
   * again since the last call. `left` is the number of documents that still wait, because another process has
   * the lease or their files cannot be written.
   */
  followErasures(): Promise<{ readonly files: number; readonly left: number }> {
    if (this.#closed) return Promise.reject(new ClosedError('workspace'))
    return this.#inTurn(async () => {
      const { store, namespace } = this.#options
      await this.#pass({ isFull: false, paths: new Set(), isUrgent: true })
      const left = await countFilesBehindErasures(store, namespace)
      const files = this.#erasedFiles
      this.#erasedFiles = 0
      return { files, left }
    })
  }

  /** Some document changed in the database. */
  noteChange(): void {
    if (this.#closed || this.#timers.change) return
    this.#timers.change = setTimeout(() => {
      this.#timers.change = null
      this.#soon({})
    }, AFTER_CHANGE_MS).unref()
  }

  /** Writes the documents that are behind before it closes. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { intervals, change, touch } = this.#timers
    for (const timer of [...intervals, change, touch]) if (timer) clearTimeout(timer)
    const opened = await this.#opened?.catch(() => null)
    if (!opened) return
    opened.watch.close()
    await this.#inTurn(async () => {
      if (opened.mirror) await this.#pass({ isFull: false, paths: new Set(), isUrgent: false })
      await this.#lease.drop()
    }).catch(error => this.#tell(error))
  }

  /** A failed open is tried again by the next call. */
  #open(): Promise<OpenFolder> {
    this.#opened ??= this.#openFolder().catch(error => {
      this.#opened = null
      throw error
    })
    return this.#opened
  }

  async #openFolder(): Promise<OpenFolder> {
    const { store, namespace } = this.#options
    const folder = await Folder.open(this.#options.folder, {
      namespace,
      database: await store.database.readIdentity(),
    })
    return { folder, watch: new FolderWatch(folder, path => this.#noteTouch(path)), mirror: null }
  }

  #noteTouch(path: string): void {
    if (this.#closed || (documentOf(path) === null && !isShortened(path))) return
    this.#touched.add(path)
    this.#timers.touch ??= setTimeout(() => {
      this.#timers.touch = null
      this.#soon({ paths: this.#touched })
      this.#touched.clear()
    }, AFTER_TOUCH_MS).unref()
  }

  /** Plans a pass in the background. A pass that already waits takes this along. */
  #soon({ isFull = false, paths = [] }: { isFull?: boolean; paths?: Iterable<string> }): void {
    if (this.#closed) return
    if (!this.#wanted) {
      this.#wanted = { isFull: false, paths: new Set() }
      this.#inTurn(() => this.#passWanted()).catch(error => this.#tell(error))
    }
    this.#wanted.isFull ||= isFull
    for (const path of paths) this.#wanted.paths.add(path)
  }

  async #passWanted(): Promise<void> {
    const wanted = this.#wanted
    this.#wanted = null
    if (!wanted || this.#closed) return
    const { watch } = await this.#open()
    if (wanted.isFull && !this.#closed) watch.open()
    await this.#pass({ ...wanted, isUrgent: false })
  }

  #inTurn<Result>(job: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(job)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #pass({ isFull, paths, isUrgent }: Pass): Promise<SyncResult> {
    const opened = await this.#open()
    const lease = await this.#lease.hold(isUrgent ? 'now' : 'in time')
    if (lease === 'of another') return NOTHING
    if (lease === 'new') opened.mirror = null
    const isFirst = opened.mirror === null
    opened.mirror ??= await this.#begin(opened.folder)
    const { mirror, folder } = opened
    const before = { ...mirror.counts }
    // Another program may have removed the folder, or put another one in its place.
    if (isFull) await folder.claim()
    if (!(await this.#eraseFiles(mirror, folder))) {
      opened.mirror = null
      return NOTHING
    }
    const names = this.#names(folder, isFull || isFirst ? null : paths)
    const followed = mirror.followed
    if (!(await this.#reconcileAll(mirror, names, !isUrgent))) opened.mirror = null
    this.#erasedFiles += mirror.followed - followed
    return {
      written: mirror.counts.written - before.written,
      read: mirror.counts.read - before.read,
      setAside: mirror.counts.setAside - before.setAside,
    }
  }

  async #begin(folder: Folder): Promise<Mirror> {
    await this.#options.store.mirror.setMirrorFolder(this.#options.namespace, folder.path)
    await folder.removeTemporary()
    this.#isLeaseLost = false
    const isHeld = () => this.#holds()
    return new Mirror({ ...this.#options, folder, warnings: this.#warnings, isHeld })
  }

  /** Once another process had the lease, the mirror's knowledge of the files no longer holds. */
  async #holds(): Promise<boolean> {
    if ((await this.#lease.hold('in time')) !== 'held') this.#isLeaseLost = true
    return !this.#isLeaseLost
  }

  /**
   * Runs before any file is read, so that the file of an erased document is not taken for a new one. `false`:
   * the lease was lost.
   */
  async #eraseFiles(mirror: Mirror, folder: Folder): Promise<boolean> {
    const { store, namespace } = this.#options
    const erased = await store.mirror.listErasedDocuments(namespace)
    for (let first = 0; first < erased.length; first += ERASED_AT_A_TIME) {
      if (!(await this.#holds())) return false
      const some = erased.slice(first, first + ERASED_AT_A_TIME)
      const { documents, paths, files } = await eraseFiles(folder, some, this.#warnings)
      for (const path of paths) mirror.forget(path)
      this.#erasedFiles += files
      await store.mirror.forgetErasedDocuments(namespace, documents)
    }
    return true
  }

  /** `false`: the lease was lost meanwhile. */
  async #reconcileAll(mirror: Mirror, names: AsyncGenerator<Named>, isPatient: boolean): Promise<boolean> {
    const done = new Set<string>()
    for await (const { name, isBehind } of names) {
      const path = pathOf(name)
      if (done.has(path)) continue
      done.add(path)
      // The last pass writes only the documents that are behind.
      if (this.#closed && !isBehind) break
      if (!(await this.#holds())) return false
      try {
        const outcome = await mirror.reconcile(name, { isBehind, isPatient })
        if (outcome === 'not finished') setTimeout(() => this.#noteTouch(path), LOOK_AGAIN_MS).unref()
      } catch (error) {
        if (isStoreFailure(error)) throw error
        this.#tell(error)
      }
    }
    return !this.#isLeaseLost
  }

  /**
   * First the documents that are behind, then the given paths, or all files (`null`). A file may appear more
   * than once.
   */
  async *#names(folder: Folder, paths: Iterable<string> | null): AsyncGenerator<Named> {
    for await (const name of this.#behind()) yield { name, isBehind: true }
    if (paths) {
      for (const path of paths) {
        const name = documentOf(path) ?? (await readName(folder, path))
        if (name) yield { name, isBehind: false }
      }
      return
    }
    const known = new Map<string, FileName>()
    for await (const name of this.#documents()) {
      if (isShortened(pathOf(name))) known.set(pathOf(name), name)
      yield { name, isBehind: false }
    }
    for (const path of await this.#files(folder)) {
      const name = documentOf(path) ?? known.get(path) ?? (await readName(folder, path))
      if (name) yield { name, isBehind: false }
      else this.#warnings.once(path, 'its first line does not say whose it is, so it is left alone')
    }
  }

  /** Documents that cannot be written stay behind, so the page grows to go past them. */
  async *#behind(): AsyncGenerator<FileName> {
    const { store, namespace } = this.#options
    const seen = new Set<string>()
    for (let [limit, isMore] = [BEHIND_AT_A_TIME, true]; isMore; ) {
      const page = await store.mirror.listUnmirrored(namespace, { limit })
      isMore = page.length === limit
      limit = BEHIND_AT_A_TIME
      for (const state of page) {
        const id = JSON.stringify([state.layer, state.key])
        if (seen.has(id)) limit++
        else yield* namesOf([state])
        seen.add(id)
      }
    }
  }

  async *#documents(): AsyncGenerator<FileName> {
    const { store, namespace } = this.#options
    let after: { layer: LayerName; key: string } | undefined
    do {
      const page = await store.documents.listDocuments(namespace, {
        limit: DOCUMENTS_AT_A_TIME,
        ...(after && { after }),
      })
      yield* namesOf(page)
      after = page.length < DOCUMENTS_AT_A_TIME ? undefined : page.at(-1)
    } while (after)
  }

  async #files(folder: Folder): Promise<readonly string[]> {
    const paths: string[] = []
    for (const name of DOCUMENT_FOLDERS)
      try {
        for (const path of await folder.list(name)) paths.push(path)
        this.#warnings.clear(`${name}/`)
      } catch (error) {
        this.#warnings.once(`${name}/`, `it cannot be read: ${codeOf(error)}`)
      }
    return paths
  }

  /** An error of a listener must not end the work. */
  #tell(error: unknown): void {
    try {
      this.#options.onError(error)
    } catch (thrown) {
      process.emitWarning(`A listener threw: ${describeError(thrown)}`, 'PalimpsestWarning')
    }
  }
}

interface OpenFolder {
  readonly folder: Folder
  readonly watch: FolderWatch
  /**
   * Made again with each lease, since its knowledge of the files holds only while no other process writes
   * them.
   */
  mirror: Mirror | null
}

interface Pass {
  readonly isFull: boolean
  readonly paths: ReadonlySet<string>
  /** A caller waits for the pass. */
  readonly isUrgent: boolean
}

interface Named {
  readonly name: FileName
  readonly isBehind: boolean
}

/** For a file whose name is shortened. `null`: its first line has no id either. */
async function readName(folder: Folder, path: string): Promise<FileName | null> {
  try {
    const found = await folder.look(path)
    if (found.kind !== 'file' || found.stamp.bytes > MAX_BYTES) return null
    const read = readFile(await folder.read(path))
    const id = 'text' in read ? readIdLine(read.text) : null
    return id === null ? null : documentOfShortened(path, id)
  } catch {
    return null
  }
}
