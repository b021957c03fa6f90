import { callListener } from '../call-listener.ts'
import { retryAfterMs } from '../compaction/failure-reason.ts'
import { pause } from '../compaction/pause.ts'
import { isExtractive } from '../compaction/summarize-source.ts'
import { ClosedError, ErasureNotFoundError } from '../errors.ts'
import type { ErasureRecord, ErasureStage, ErasureTarget } from '../store/index.ts'
import { SummarizerError } from '../summarizer/summarizer-error.ts'
import { BackgroundTask, type Remaining } from './background-task.ts'
import { checkTarget } from './check-target.ts'
import { newListId } from './erased-list.ts'
import type { Advance, ErasureEngine, ErasureFiles } from './erasure-engine.ts'
import { Listing } from './listing.ts'
import { PhysicalErasure } from './physical-erasure.ts'
import { type RebuildFailure, rebuildSegments } from './rebuild.ts'
import { type ErasureReceipt, toReceipt, waitsForOperator } from './receipt.ts'
import { RetryLater } from './retry-later.ts'
import { underLease } from './under-lease.ts'

/** The caller of `forget` waits for so many segments. The others are rebuilt in the background. */
const REBUILT_AT_ONCE = 50
/** The pause before another look, while another process works on erasures. */
const OTHERS_MS = 2_000
/** The pause before another look, if more work came meanwhile. */
const AT_ONCE_MS = 20
const POLL_MS = 200

/**
 * Carries erasures to their end, across failures and restarts.
 *
 *   forget ──▶ erasing ──▶ rebuilding ──▶ files ──▶ scrubbing ──▶ done
 *              slice by     segments of    of the     all bytes that
 *              slice        what is left   workspace  the database let go
 *
 * What always holds:
 * - When `forget` resolves, none of the erased data is visible any more.
 * - The list of erasures then has it too, so that a restore does not bring it back. If the list cannot be
 *   written, the receipt says so.
 * - Each step is stored, so any process can go on after another one. A repeated step changes nothing.
 * - In the background, one process at a time works on erasures, so that no work is done twice.
 * - Many erasures share one scrub.
 */
export class Erasures {
  readonly #engine: ErasureEngine
  readonly #files: ErasureFiles | null
  readonly #listing: Listing
  readonly #physical: PhysicalErasure
  readonly #rest: BackgroundTask
  readonly #summaries: BackgroundTask
  readonly #retrySummaries = new RetryLater({ firstMs: 15_000, longestMs: 3_600_000 })
  /** Erasures whose caller waits. Their slices are erased by the call itself. */
  readonly #forgetting = new Map<number, Promise<unknown>>()
  readonly #told = new Map<number, ErasureStage>()
  readonly #abort = new AbortController()

  constructor(engine: ErasureEngine, files: ErasureFiles | null) {
    this.#engine = engine
    this.#files = files
    this.#listing = new Listing(engine)
    this.#physical = new PhysicalErasure(engine, { files, listing: this.#listing, advance: this.#advance })
    const onError = (error: unknown) => this.#report(error, '')
    this.#rest = new BackgroundTask({ work: signal => this.#carryOn(signal), onError })
    this.#summaries = new BackgroundTask({ work: signal => this.#summarize(signal), onError })
  }

  /** Takes up open erasures. */
  start(): void {
    if (this.#abort.signal.aborted) return
    this.#rest.wake()
    this.#summaries.wake()
  }

  /**
   * Erases for good. Resolves when none of the data is visible any more. Large rebuilds, files and the bytes
   * in the database may take longer, and the receipt says what is pending. That work goes on in the
   * background, in this process or another one.
   */
  async forget(target: ErasureTarget): Promise<ErasureReceipt> {
    this.#checkOpen()
    const checked = checkTarget(target)
    const { store, namespace, clock } = this.#engine
    // Reads the edits of people first. They are part of memory, and after the erasure they could not be told
    // from erased text.
    await this.#files?.sync().catch(error => this.#report(error, ''))
    this.#checkOpen()
    const listId = newListId()
    const begun = await store.erasure.beginErasure(namespace, { target: checked, now: clock(), listId })
    this.#tell(begun)
    await this.#listing.enter(begun)
    const work = this.#eraseAndRebuild(begun)
    this.#forgetting.set(begun.id, work)
    try {
      const record = await work
      return { ...(await this.#receiptOf(record)), target: checked }
    } finally {
      this.#forgetting.delete(begun.id)
      this.start()
    }
  }

  async #eraseAndRebuild(begun: ErasureRecord): Promise<ErasureRecord> {
    const record = await this.#erase(begun)
    const left = await this.#rebuild({ most: REBUILT_AT_ONCE, signal: this.#abort.signal })
    return left === 'none' ? await this.#advance(record, 'rebuilding') : record
  }

  /** `null`: there is no such erasure. */
  async receipt(id: number): Promise<ErasureReceipt | null> {
    const record = await this.#engine.store.erasure.readErasure(this.#engine.namespace, id)
    return record && (await this.#receiptOf(record))
  }

  async #receiptOf(record: ErasureRecord): Promise<ErasureReceipt> {
    return toReceipt(record, {
      files: await this.#physical.filesState(),
      scrub: await this.#physical.scrubState(record),
      list: await this.#listing.stateOf(record),
    })
  }

  /**
   * Resolves when all is done, when the rest needs an operator (a place of the receipt has a `statement`), or
   * when the signal is aborted. The receipt then tells the present state.
   */
  async finished(id: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ErasureReceipt> {
    this.start()
    for (;;) {
      const receipt = await this.receipt(id)
      if (receipt === null) throw new ErasureNotFoundError(id)
      if (receipt.done || waitsForOperator(receipt) || signal?.aborted) return receipt
      this.#checkOpen()
      await sleep(POLL_MS, signal)
    }
  }

  /** Waits for the running step. The next process takes up the rest. */
  async close(): Promise<void> {
    this.#abort.abort(new ClosedError('palimpsest'))
    await Promise.allSettled([...this.#forgetting.values(), this.#rest.close(), this.#summaries.close()])
  }

  /** Most processes start with nothing to erase. Then nothing is written. */
  async #carryOn(signal: AbortSignal): Promise<Remaining> {
    if ((await this.#listOpen()).length === 0) return null
    const remaining = await underLease(this.#engine, 'erasure', () => this.#carryOnAll(signal))
    return remaining === 'taken' ? { afterMs: OTHERS_MS } : remaining
  }

  /** Works on all open erasures, stage by stage, as far as possible now. */
  async #carryOnAll(signal: AbortSignal): Promise<Remaining> {
    // The process that began an erasure may have ended before it wrote the list. In later stages, the target
    // is no longer known.
    for (const record of await this.#listOpen()) await this.#listing.enter(record)
    const failures = await this.#eraseAll()
    const rebuilding = await this.#listOpen('rebuilding')
    const left = rebuilding.length > 0 ? await this.#rebuild({ signal }) : 'none'
    if (left === 'none') for (const record of rebuilding) await this.#advance(record, 'rebuilding')
    signal.throwIfAborted()
    const files = await this.#physical.followFiles(await this.#listOpen('files'))
    signal.throwIfAborted()
    const scrub = await this.#physical.scrub(await this.#listOpen('scrubbing'))
    signal.throwIfAborted()
    if (failures.length > 0) throw failures[0]
    if ((await this.#listOpen()).length === 0) return null
    const waits = [left === 'some' ? OTHERS_MS : null, files, scrub].filter(wait => wait !== null)
    return { afterMs: waits.length > 0 ? Math.min(...waits) : AT_ONCE_MS }
  }

  /** Open erasures of this stage, or of any stage. */
  async #listOpen(stage?: ErasureStage): Promise<readonly ErasureRecord[]> {
    const open = await this.#engine.store.erasure.listOpenErasures(this.#engine.namespace)
    return open.filter(record => !this.#forgetting.has(record.id) && (!stage || record.stage === stage))
  }

  /** A failed erasure does not block the others. */
  async #eraseAll(): Promise<readonly unknown[]> {
    const failures: unknown[] = []
    for (const record of await this.#listOpen('erasing'))
      try {
        await this.#erase(record)
      } catch (error) {
        this.#checkOpen()
        failures.push(error)
      }
    return failures
  }

  /** Erases slice by slice. Other work runs between two slices. */
  async #erase(record: ErasureRecord): Promise<ErasureRecord> {
    const { store, namespace, clock } = this.#engine
    let current = record
    while (current.stage === 'erasing') {
      await pause()
      this.#checkOpen()
      current = await store.erasure.continueErasure(namespace, { id: record.id, now: clock() })
    }
    this.#tell(current)
    return current
  }

  readonly #advance: Advance = async ({ id }, from, counts = {}) => {
    const { store, namespace } = this.#engine
    const record = await store.erasure.advanceErasure(namespace, { id, from, counts })
    this.#tell(record)
    return record
  }

  /** Rebuilds segments at once, without a model. Summaries by a model come later. */
  async #rebuild({ most, signal }: { most?: number; signal: AbortSignal }): Promise<'none' | 'some'> {
    const { extractive } = await import('../summarizer/index.ts')
    return rebuildSegments(this.#engine, {
      left: 'nothing',
      summarizer: extractive(),
      ...(most !== undefined && { most }),
      signal,
      onFailure: ({ error, sessionId }) => this.#report(error, sessionId),
    })
  }

  /** Gives segments with an extract a summary by the configured summariser. */
  async #summarize(signal: AbortSignal): Promise<Remaining> {
    const { store, namespace, summarizer } = this.#engine
    const retry = this.#retrySummaries
    if (isExtractive(summarizer)) return null
    const [waiting] = await store.rebuilds.listWithheld(namespace, { left: 'extract', limit: 1 })
    if (waiting === undefined) return null
    if (retry.leftMs > 0) return { afterMs: retry.leftMs }
    const failures: RebuildFailure[] = []
    const left = await underLease(this.#engine, 'erasure-summaries', () =>
      rebuildSegments(this.#engine, {
        left: 'extract',
        summarizer,
        signal,
        onFailure: failure => failures.push(failure),
      }),
    )
    // A spend limit is no failure. The segments wait until it ends.
    for (const { error, sessionId } of failures)
      if (!SummarizerError.isSpendGuard(error)) this.#report(error, sessionId)
    if (failures.length > 0) retry.failed(Math.max(...failures.map(({ error }) => retryAfterMs(error))))
    else if (left !== 'taken') retry.succeeded()
    return left === 'none' ? null : { afterMs: Math.max(OTHERS_MS, retry.leftMs) }
  }

  #tell({ id, stage, counts }: ErasureRecord): void {
    if (this.#told.get(id) === stage) return
    if (stage === 'done') this.#told.delete(id)
    else this.#told.set(id, stage)
    const { logger, onErasure } = this.#engine
    logger?.info({ erasure: id, stage, counts }, `palimpsest: erasure ${id}: ${stage}`)
    callListener(() => onErasure?.({ id, stage, counts }))
  }

  #report(error: unknown, sessionId: string): void {
    if (!this.#abort.signal.aborted) this.#engine.onError(error, { sessionId })
  }

  #checkOpen(): void {
    this.#abort.signal.throwIfAborted()
  }
}

/** Ends early if the signal is aborted. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const wake = () => resolve()
  signal?.addEventListener('abort', wake, { once: true })
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', wake)
}
