import { readContext, readGrowth, readSegments } from '../../../api/index.ts'
import type { GrowthPoint } from '../../../api/types.ts'
import { type LoadedFolds, loadFolds } from './load-folds.ts'

/** What became of a session, fold by fold and message by message. */
export interface FoldHistory extends LoadedFolds {
  readonly growth: readonly GrowthPoint[]
  /** By segment, what condensing older ones into it saved. */
  readonly condensed: ReadonlyMap<number, number>
  /** `null`: not known. */
  readonly budget: number | null
}

const MAX_POINTS = 600
/** In a longer session, reading all segments would take longer than the curve is worth. */
const MAX_MESSAGES_FOR_SEGMENTS = 5_000

/** `known`: what was read before; of that, only what can have changed is asked for again. */
export async function loadHistory(
  { id, messages }: { id: string; messages: number },
  known: FoldHistory | null,
  signal: AbortSignal,
): Promise<FoldHistory> {
  const [folds, { points }] = await Promise.all([
    loadFolds(id, known, signal),
    readGrowth(id, { points: MAX_POINTS }, { signal }),
  ])
  // With a message, nothing else changes.
  if (known !== null && known.folds[0]?.id === folds.folds[0]?.id)
    return { ...known, ...folds, growth: points }
  const [condensed, budget] = await Promise.all([
    messages <= MAX_MESSAGES_FOR_SEGMENTS ? loadCondensed(id, signal) : new Map<number, number>(),
    // The curve does without it.
    readContext(id, {}, { signal }).then(
      ({ report }) => report.budget,
      () => null,
    ),
  ])
  return { ...folds, growth: points, condensed, budget }
}

async function loadCondensed(id: string, signal: AbortSignal): Promise<ReadonlyMap<number, number>> {
  const { segments } = await readSegments(id, { all: true, signal })
  return new Map(
    segments
      .filter(({ level }) => level > 1)
      .map(segment => [segment.id, segment.tokensBefore - segment.tokensAfter]),
  )
}
