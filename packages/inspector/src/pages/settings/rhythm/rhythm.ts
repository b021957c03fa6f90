/** One fold of a replayed conversation; `null`: all lay in the tail, and nothing moved. */
export interface RhythmFold {
  /** How many messages there were when it was decided. */
  readonly at: number
  readonly fromSeq: number | null
  readonly toSeq: number | null
}

/** What the model sees at one moment, counted in messages but for the segments. */
export interface RhythmColumn {
  readonly messages: number
  readonly segments: number
  /** Waits for the next fold. */
  readonly backlog: number
  /** Stays as it was said when that fold comes. */
  readonly tail: number
  /** Right after this moment the backlog is folded. */
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
  /** How many messages lie between two columns. */
  readonly groupSize: number
  /** All folds up to the last column; the drawing ends with one wherever there are several. */
  readonly steps: readonly RhythmStep[]
}

const DEFAULT_MESSAGES = 40
/** Where so many fit, the picture would be all folds. */
const MAX_FOLDS = 12
/** One is no rhythm yet, and two may be chance. */
const FEWEST_FOLDS = 3
/** Of the largest fold: what is less is a small one in between, as a cooldown makes them. */
const SMALL_SHARE = 0.5
const MAX_COLUMNS = 48

/** How a conversation settles: column by column what the model sees, each fold being shown just before it happens. */
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
  // With a single fold one has to see what comes after it.
  const shown =
    last > 0 ? steps[last]!.at : Math.min(messages, Math.max(DEFAULT_MESSAGES, endAfter(steps[0])))
  const groupSize = Math.max(1, Math.ceil(shown / MAX_COLUMNS))
  const columns: RhythmColumn[] = []
  // Counted from the end, so that the last column ends with its fold.
  for (let end = shown % groupSize || groupSize; end <= shown; end += groupSize)
    columns.push(columnOf(steps, { after: end - groupSize, end }))
  return { columns, groupSize, steps: shownSteps }
}

function endAfter(step: RhythmStep | undefined): number {
  return step === undefined ? 0 : step.at + step.folded
}

/** A large one, since the last column is the one that is explained. */
function lastShown(steps: readonly RhythmStep[]): number {
  const large = [...steps.keys()].filter(index => isLarge(steps[index]!, steps))
  const usual = large.findLastIndex(index => steps[index]!.at <= DEFAULT_MESSAGES)
  return large[Math.min(Math.max(usual, FEWEST_FOLDS - 1), MAX_FOLDS - 1, large.length - 1)] ?? -1
}

function isLarge({ folded }: RhythmStep, steps: readonly RhythmStep[]): boolean {
  return folded >= SMALL_SHARE * Math.max(...steps.map(step => step.folded))
}

/** The first that is like the others to come. */
export function typicalStep(steps: readonly RhythmStep[]): RhythmStep | undefined {
  return steps.find(step => isLarge(step, steps))
}

/** Those of the same moment are one step: the policy is asked again until it says no. */
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
