import { readContext, readGrowth, readSegments } from '../../../api/index.ts'
import type { GrowthPoint } from '../../../api/types.ts'
import { type LoadedFolds, loadFolds } from './load-folds.ts'

/** The history of a session, fold by fold and message by message. */
export interface FoldHistory extends LoadedFolds {
  readonly growth: readonly GrowthPoint[]
  /** By segment: the tokens saved by condensing older segments into it. */
  readonly condensed: ReadonlyMap<number, number>
  /** `null`: it is not known. */
  readonly budget: number | null
}

const MAX_POINTS = 600
/** In a longer session, reading all segments takes longer than the curve is worth. */
const MAX_MESSAGES_FOR_SEGMENTS = 5_000

/** `known` is what was read before. Only what may have changed since is read again. */
export async function loadHistory(
  { id, messages }: { id: string; messages: number },
  known: FoldHistory | null,
  signal: AbortSignal,
): Promise<FoldHistory> {
  const [folds, { points }] = await Promise.all([
    loadFolds(id, known, signal),
    readGrowth(id, { points: MAX_POINTS }, { signal }),
  ])
  // A new message alone changes nothing else.
  if (known !== null && known.folds[0]?.id === folds.folds[0]?.id)
    return { ...known, ...folds, growth: points }
  const [condensed, budget] = await Promise.all([
    messages <= MAX_MESSAGES_FOR_SEGMENTS ? loadCondensed(id, signal) : new Map<number, number>(),
    // Without a budget the curve is still complete.
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
