import { failureReason } from '../compaction/failure-reason.ts'
import { guarded } from '../compaction/guarded-summarizer.ts'
import type { SpendGuard } from '../compaction/index.ts'
import { pause } from '../compaction/pause.ts'
import { type RebuildEngine, rebuildSegment } from '../compaction/rebuild-segment.ts'
import { type RememberEngine, rememberAgain } from '../compaction/remember-again.ts'
import { withinTime } from '../compaction/within-time.ts'
import { keyName, type Store, type WithheldSegment } from '../store/index.ts'
import type { Summarizer } from '../summarizer/index.ts'

export interface RebuildAllEngine extends RebuildEngine, Pick<RememberEngine, 'rememberFold'> {
  readonly store: RebuildEngine['store'] & RememberEngine['store'] & Pick<Store, 'rebuilds'>
  readonly namespace: string
  /** The limits on spending for models. Left out or `null`: there are none. */
  readonly spendGuard?: SpendGuard | null
  /** The time limit for one segment. */
  readonly summarizerTimeoutMs: number
}

export interface RebuildOptions {
  /**
   * Which segments to rebuild. `nothing`: those that are empty. `extract`: those that wait for a summary by
   * the model.
   */
  readonly left: 'nothing' | 'extract'
  readonly summarizer: Summarizer
  /** The most segments of this call. Left out: all. */
  readonly most?: number
  readonly signal: AbortSignal
  readonly onFailure: (failure: RebuildFailure) => void
}

export interface RebuildFailure {
  readonly sessionId: string
  readonly error: unknown
  readonly reason: string
}

const SEGMENTS_AT_A_TIME = 20
/**
 * So many rounds without a commit mean that another process keeps changing the same sessions. The rest is
 * left for later.
 */
const MAX_FRUITLESS = 10

/**
 * Rebuilds segments, lower ones before those that stand for them. It rebuilds one segment of a session at a
 * time, since each commit begins an epoch. If a segment of a session fails, that session is left for later
 * and does not block others. `some`: there are more.
 */
export async function rebuildSegments(
  engine: RebuildAllEngine,
  options: RebuildOptions,
): Promise<'none' | 'some'> {
  const { left, most = Number.POSITIVE_INFINITY, signal, onFailure } = options
  const { store, namespace } = engine
  const failed = new Set<string>()
  let [done, fruitless, limit] = [0, 0, SEGMENTS_AT_A_TIME]
  while (done < most && fruitless < MAX_FRUITLESS) {
    signal.throwIfAborted()
    const page = await store.rebuilds.listWithheld(namespace, { left, limit })
    if (page.length === 0) return 'none'
    const before = done
    const isFailed = ({ key }: WithheldSegment) => failed.has(keyName(key))
    for (const withheld of firstOfEach(page)) {
      if (isFailed(withheld) || done >= most) continue
      try {
        if (await rebuildOne(engine, withheld, options)) done++
      } catch (error) {
        signal.throwIfAborted()
        failed.add(keyName(withheld.key))
        onFailure({ sessionId: withheld.key.id, error, reason: failureReason(error) })
      }
      await pause()
    }
    const skipped = page.filter(isFailed).length
    if (skipped === page.length && page.length < limit) return 'some'
    limit = SEGMENTS_AT_A_TIME + skipped
    fruitless = done > before || skipped > 0 ? 0 : fruitless + 1
  }
  return 'some'
}

/** `false`: the session has changed meanwhile. */
async function rebuildOne(
  engine: RebuildAllEngine,
  withheld: WithheldSegment,
  { left, summarizer, signal: given }: RebuildOptions,
): Promise<boolean> {
  const spending = engine.spendGuard?.watch(withheld.key) ?? null
  const rebuilt = await withinTime(
    async signal => {
      const by = { summarizer: guarded(summarizer, spending), signal }
      const { segment } = await rebuildSegment(engine, withheld, by)
      signal.throwIfAborted()
      return { ...segment, documents: left === 'nothing' ? await rememberAgain(engine, withheld, by) : [] }
    },
    { timeoutMs: engine.summarizerTimeoutMs, signal: given },
  )
  return engine.store.rebuilds.commitRebuilt(withheld.key, rebuilt)
}

function firstOfEach(page: readonly WithheldSegment[]): readonly WithheldSegment[] {
  const sessions = new Map<string, WithheldSegment>()
  for (const withheld of page) {
    const name = keyName(withheld.key)
    if (!sessions.has(name)) sessions.set(name, withheld)
  }
  return [...sessions.values()]
}
