/** Work that pauses of its own accord: each `yield` ends a step of a fraction of a millisecond, or a few. */
export type InSteps<Result> = Generator<void, Result, void>

/** The real ones: tests that replace them would stop all that waits for a turn, also afterwards. */
const { setImmediate, performance } = globalThis

/** What is no longer is worked on in one go: it takes a few milliseconds. */
export const MAX_AT_ONCE = 65_536

/** How long a slice may hold the event loop, give or take a step. */
const MIN_SLICE_MS = 5
const MAX_SLICE_MS = 15
/** Of the time that it waited for its turn: where much else is to be done, its slices are longer, or it would never end. */
const SHARE = 1 / 3

/**
 * Works in slices, between which everything else has its turn. However much is worked on at the same time, the event
 * loop turns after each slice: they wait for one another, and nothing else waits for all of them.
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

/** What transactions take of a turn of the event loop, give or take one. */
const MAX_WORK_MS = 15

/**
 * Does short work that cannot pause. Where such works have taken long in this turn of the event loop, or others wait, it
 * waits for a later turn, in the order in which it came, or before all others (`first`). So many short works that come
 * together do not hold up everything else. They do not wait for slices: those have their own share of a turn.
 */
export function whenThereIsRoom<Result>(work: () => Result, place?: 'first'): Result | Promise<Result> {
  const isNext = waiting.length === 0 || place === 'first'
  // One that another one calls in its middle, by a callback of a caller's, is done after it.
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

/** Works that follow one another without a pause share a turn: many short ones must not add up to a long one. */
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

/** A turn of the event loop that no other slice has. */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise(resolve => setImmediate(resolve)))
  return lastTurn
}
