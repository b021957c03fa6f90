/** Work with pauses: each `yield` ends a step that takes from a fraction of a millisecond to a few. */
export type InSteps<Result> = Generator<void, Result, void>

/**
 * The original functions. Tests that replace them would stop everything that waits for a turn, also
 * afterwards.
 */
const { setImmediate, performance } = globalThis

/** Shorter work runs without a pause: it takes a few milliseconds. */
export const MAX_AT_ONCE = 65_536

/** How long a slice may hold the event loop. It may be longer by one step. */
const MIN_SLICE_MS = 5
const MAX_SLICE_MS = 15
/**
 * The share of its waiting time that a slice may run. If there is much other work, slices get longer, or the
 * work would never end.
 */
const SHARE = 1 / 3

/**
 * Does work in slices, so that other work has its turn in between. The event loop turns after each slice,
 * however many works run at once. The works wait for one another; other work never has to wait for all of
 * them.
 */
export async function runInSlices<Result>(work: InSteps<Result>): Promise<Result> {
  let begun = beginInTurn()
  let sliceMs = MIN_SLICE_MS
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const worked = performance.now()
    if (worked - begun < sliceMs) continue
    await nextTurn()
    begun = beginInTurn()
    sliceMs = Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, (begun - worked) * SHARE))
  }
}

/** The time that transactions may take of one turn of the event loop. It may be longer by one transaction. */
const MAX_WORK_MS = 15

/**
 * Does short work that cannot pause. If such works have taken long in this turn of the event loop, or if
 * others wait, the work waits for a later turn. It runs in the order of the calls, or before all others
 * (`first`). So many short works that come together do not block everything else. They do not wait for
 * slices, which have their own share of a turn.
 */
export function whenThereIsRoom<Result>(work: () => Result, place?: 'first'): Result | Promise<Result> {
  const isNext = waiting.length === 0 || place === 'first'
  // If a work calls another one in its middle, through a caller's callback, the other one runs after it.
  if (isNext && !isWorking && workedMs < MAX_WORK_MS) return measured(work)
  return new Promise<Result>((resolve, reject) => {
    const later = () => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    }
    if (place === 'first') waiting.unshift(later)
    else waiting.push(later)
  })
}

const waiting: (() => void)[] = []
let workedMs = 0
let isWorking = false
let isTurnAhead = false

function measured<Result>(work: () => Result): Result {
  const begun = performance.now()
  isWorking = true
  try {
    return work()
  } finally {
    isWorking = false
    workedMs += performance.now() - begun
    if (!isTurnAhead) setImmediate(turn)
    isTurnAhead = true
  }
}

function turn(): void {
  isTurnAhead = false
  workedMs = 0
  while (waiting.length > 0 && workedMs < MAX_WORK_MS) measured(waiting.shift()!)
}

/** When the first slice of this turn of the event loop began. */
let turnBegun: number | null = null

/**
 * Works that follow one another without a pause share a turn. Many short ones must not add up to a long one.
 */
function beginInTurn(): number {
  if (turnBegun === null) {
    turnBegun = performance.now()
    setImmediate(() => {
      turnBegun = null
    })
  }
  return turnBegun
}

export function runAtOnce<Result>(work: InSteps<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

let lastTurn: Promise<void> = Promise.resolve()

/** A turn of the event loop that no other slice uses. */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise(resolve => setImmediate(resolve)))
  return lastTurn
}
