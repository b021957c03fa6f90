/**
 * One fold of a replayed conversation. `fromSeq` and `toSeq` are `null` if all messages were in the tail and
 * nothing moved.
 */
export interface RhythmFold {
  /** How many messages there were at the decision. */
  readonly at: number
  readonly fromSeq: number | null
  readonly toSeq: number | null
}

/** What the model sees at one moment. All counts are messages, except `segments`. */
export interface RhythmColumn {
  readonly messages: number
  readonly segments: number
  /** Messages that wait for the next fold. */
  readonly backlog: number
  /** Messages that stay raw when that fold comes. */
  readonly tail: number
  /** The backlog is folded right after this moment. */
  readonly isFolded: boolean
}

export interface RhythmStep {
  readonly at: number
  readonly fromSeq: number
  readonly toSeq: number
  readonly folded: number
  readonly stays: number
}

export interface Rhythm {
  readonly columns: readonly RhythmColumn[]
  /** The number of messages between two columns. */
  readonly groupSize: number
  /** All folds up to the last column. If there are several, the drawing ends with one of them. */
  readonly steps: readonly RhythmStep[]
}

const DEFAULT_MESSAGES = 40
/** With more folds the drawing would show nothing else. */
const MAX_FOLDS = 12
/** One fold is no rhythm yet, and two may be chance. */
const FEWEST_FOLDS = 3
/** As a share of the largest fold. A smaller fold is one in between, such as a cooldown causes. */
const SMALL_SHARE = 0.5
const MAX_COLUMNS = 48

/**
 * How a conversation settles: column by column, what the model sees. Each fold is shown just before it
 * happens.
 */
export function rhythmOf({
  messages,
  folds,
}: {
  readonly messages: number
  readonly folds: readonly RhythmFold[]
}): Rhythm {
  const steps = stepsOf(folds)
  const last = lastShown(steps)
  const shownSteps = steps.slice(0, last + 1)
  // After a single fold, the reader must see what follows it.
  const shown =
    last > 0 ? steps[last]!.at : Math.min(messages, Math.max(DEFAULT_MESSAGES, endAfter(steps[0])))
  const groupSize = Math.max(1, Math.ceil(shown / MAX_COLUMNS))
  const columns: RhythmColumn[] = []
  // Counts from the end, so that the last column ends with its fold.
  for (let end = shown % groupSize || groupSize; end <= shown; end += groupSize)
    columns.push(columnOf(steps, { after: end - groupSize, end }))
  return { columns, groupSize, steps: shownSteps }
}

function endAfter(step: RhythmStep | undefined): number {
  return step === undefined ? 0 : step.at + step.folded
}

/** Chooses a large fold, since the drawing explains the last column. */
function lastShown(steps: readonly RhythmStep[]): number {
  const large = [...steps.keys()].filter(index => isLarge(steps[index]!, steps))
  const usual = large.findLastIndex(index => steps[index]!.at <= DEFAULT_MESSAGES)
  return large[Math.min(Math.max(usual, FEWEST_FOLDS - 1), MAX_FOLDS - 1, large.length - 1)] ?? -1
}

function isLarge({ folded }: RhythmStep, steps: readonly RhythmStep[]): boolean {
  return folded >= SMALL_SHARE * Math.max(...steps.map(step => step.folded))
}

/** The first fold that is as large as later ones tend to be. */
export function typicalStep(steps: readonly RhythmStep[]): RhythmStep | undefined {
  return steps.find(step => isLarge(step, steps))
}

/** Folds at the same moment are one step: the policy is asked again until it decides on no further fold. */
function stepsOf(folds: readonly RhythmFold[]): readonly RhythmStep[] {
  const steps: RhythmStep[] = []
  for (const { at, fromSeq, toSeq } of folds) {
    if (fromSeq === null || toSeq === null) continue
    const same = steps.at(-1)?.at === at ? steps.pop() : undefined
    const first = same?.fromSeq ?? fromSeq
    steps.push({ at, fromSeq: first, toSeq, folded: toSeq - first + 1, stays: at - toSeq })
  }
  return steps
}

function columnOf(
  steps: readonly RhythmStep[],
  { after, end }: { readonly after: number; readonly end: number },
): RhythmColumn {
  const [inside] = steps
    .filter(({ at }) => at > after && at <= end)
    .sort((one, other) => other.folded - one.folded)
  const moment = inside?.at ?? end
  const done = steps.filter(({ at }) => at < moment)
  const raw = moment - (done.at(-1)?.toSeq ?? 0)
  const next = inside ?? steps.find(step => step.at >= moment && isLarge(step, steps)) ?? steps.at(-1)
  const tail = Math.min(raw, next?.stays ?? raw)
  return {
    messages: moment,
    segments: done.length,
    backlog: raw - tail,
    tail,
    isFolded: inside !== undefined,
  }
}
