import { countFilesBehindErasures } from '../memory/workspace/lost-lines.ts'
import type { ErasureRecord, OperatorTask, ScrubState } from '../store/index.ts'
import type { Advance, ErasureEngine, ErasureFiles } from './erasure-engine.ts'
import type { Listing } from './listing.ts'
import type { FilesState } from './receipt.ts'
import { RetryLater } from './retry-later.ts'
import { LEASE_MS } from './under-lease.ts'

/** A process with the workspace looks at its files every five seconds, so they usually follow in time. */
const PATIENT_TRIES = 4
const WAITING = {
  files: 'files of memory are still to be removed, by a process that has the workspace',
  list: 'the list of what was erased cannot be written; its receipt says why',
}
/** A lease of this length never ends. */
const FOR_EVER_MS = 100 * 365 * 86_400_000

/**
 * The last two stages. The data is no longer visible, and now its bytes are removed from files and from the
 * database. Both stages may have to wait for another process or an operator. Each returns the milliseconds
 * until the next try, or `null` if it waits for nothing.
 */
export class PhysicalErasure {
  readonly #engine: ErasureEngine
  readonly #files: ErasureFiles | null
  readonly #listing: Listing
  readonly #advance: Advance
  readonly #retryFiles = new RetryLater({ firstMs: 500, longestMs: 60_000 })
  readonly #retryScrub = new RetryLater({ firstMs: 500, longestMs: 60_000 })
  /** Erasures whose database was scrubbed before their files were done. */
  readonly #scrubbed = new Set<number>()
  /** Erasures for which the log already asks an operator to act. */
  readonly #waiting = new Set<number>()

  constructor(
    engine: ErasureEngine,
    { files, listing, advance }: { files: ErasureFiles | null; listing: Listing; advance: Advance },
  ) {
    this.#engine = engine
    this.#files = files
    this.#listing = listing
    this.#advance = advance
  }

  async filesState(): Promise<FilesState> {
    const { store, namespace } = this.#engine
    const isMirrored = (await store.mirror.readMirrorFolder(namespace)) !== null
    return { isMirrored, hasWorkspace: this.#files !== null }
  }

  /** Before the stage `scrubbing`, more bytes may follow. */
  async scrubState({ id, stage }: ErasureRecord): Promise<ScrubState> {
    const { store, namespace } = this.#engine
    return stage === 'scrubbing' ? store.erasure.readScrub(namespace, id) : { isGone: false }
  }

  async followFiles(records: readonly ErasureRecord[]): Promise<number | null> {
    const retry = this.#retryFiles
    if (records.length === 0) return null
    if (retry.leftMs > 0) return retry.leftMs
    const { files, left } = await (this.#files?.followErasures() ?? this.#countFiles())
    // With several erasures at once, it is not known which of them the remaining files belong to.
    const waiting = left > 0 ? records : await this.#endFiles(records, files)
    if (waiting.length === 0) {
      retry.succeeded()
      return null
    }
    retry.failed()
    if (retry.failures > PATIENT_TRIES)
      for (const record of waiting) await this.#scrubBeforeFiles(record, WAITING[left > 0 ? 'files' : 'list'])
    return retry.leftMs
  }

  /**
   * Ends the stage `files` and returns the erasures that have to wait. After this stage the record has no
   * target any more, so the list must have it before.
   */
  async #endFiles(records: readonly ErasureRecord[], files: number): Promise<readonly ErasureRecord[]> {
    const { isMirrored } = await this.filesState()
    const { erasedList } = this.#engine
    const waiting: ErasureRecord[] = []
    for (const record of records) {
      const isListed =
        (await this.#listing.enter(record)) && (!isMirrored || (await this.#listing.noteFilesDone(record)))
      if (isListed)
        await this.#advance(record, 'files', { files, ...(erasedList !== null && { backups: 1 }) })
      else waiting.push(record)
    }
    return waiting
  }

  /** If memory was never mirrored, the notes of erased documents are not needed. */
  async #countFiles(): Promise<{ files: number; left: number }> {
    const { store, namespace } = this.#engine
    if ((await this.filesState()).isMirrored)
      return { files: 0, left: await countFilesBehindErasures(store, namespace) }
    const erased = await store.mirror.listErasedDocuments(namespace)
    if (erased.length > 0) await store.mirror.forgetErasedDocuments(namespace, erased)
    return { files: 0, left: 0 }
  }

  /**
   * Files may wait long for a process with the folder, and the list may wait long for an operator. The bytes
   * in the database do not wait for them. They are scrubbed once for each such erasure, and once more at its
   * end. A lease that is never released tells that the first scrub is done.
   */
  async #scrubBeforeFiles(record: ErasureRecord, waitsFor: string): Promise<void> {
    const { store, namespace, owner, clock, logger } = this.#engine
    if (this.#scrubbed.has(record.id)) return
    const name = `scrubbed/${record.id}`
    const isFirst =
      (await store.leases.takeLease(namespace, {
        name,
        owner,
        ttlMs: LEASE_MS,
        longestMs: FOR_EVER_MS,
        now: clock(),
      })) !== null
    if (isFirst && !(await this.#scrubOnce([record]))) return
    if (isFirst) await store.leases.takeLease(namespace, { name, owner, ttlMs: FOR_EVER_MS, now: clock() })
    this.#scrubbed.add(record.id)
    logger?.warn({ erasure: record.id }, `palimpsest: erasure ${record.id}: ${waitsFor}`)
  }

  async scrub(records: readonly ErasureRecord[]): Promise<number | null> {
    const retry = this.#retryScrub
    // An operator or another process may have scrubbed the database already.
    const left = await this.#endThoseGone(records)
    if (left.length === 0) return null
    if (retry.leftMs > 0) return retry.leftMs
    // Counts as failed until it succeeds.
    retry.failed()
    if (await this.#scrubOnce(left)) for (const record of left) await this.#end(record)
    // Newer erasures may have to wait longer than these.
    else if ((await this.#endThoseGone(left)).length > 0) return retry.leftMs
    retry.succeeded()
    return null
  }

  /** Ends the erasures whose bytes are gone, and returns the others. */
  async #endThoseGone(records: readonly ErasureRecord[]): Promise<readonly ErasureRecord[]> {
    const left: ErasureRecord[] = []
    for (const record of records) {
      const { isGone, waitsFor } = await this.scrubState(record)
      if (isGone) await this.#end(record)
      else left.push(record)
      if (waitsFor) this.#tellOperator(record, waitsFor)
    }
    return left
  }

  async #end(record: ErasureRecord): Promise<void> {
    this.#waiting.delete(record.id)
    await this.#advance(record, 'scrubbing', { database: 1 })
  }

  #tellOperator({ id }: ErasureRecord, { note, statement }: OperatorTask): void {
    if (this.#waiting.has(id)) return
    this.#waiting.add(id)
    this.#engine.logger?.warn(
      { erasure: id, statement },
      `palimpsest: erasure ${id} waits for an operator: ${note}: ${statement}`,
    )
  }

  /** `false`: a transaction still reads the old data, or an operator has to scrub. */
  async #scrubOnce(records: readonly ErasureRecord[]): Promise<boolean> {
    const erasures = records.map(({ id }) => id)
    return this.#engine.store.erasure.scrub(({ bytes, usualMs }) => {
      const [megabytes, seconds] = [Math.ceil(bytes / 1e6), Math.ceil(usualMs / 1000)]
      this.#engine.logger?.info(
        { erasures, bytes },
        `palimpsest: erasure ${erasures.join(', ')}: rewriting the database (${megabytes} MB), about ${seconds} s; appends wait`,
      )
    })
  }
}
