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

/** What a turn of the event loop has room for, give or take one work. */
const MAX_TURN_MS = 15

/**
 * Does short work that cannot pause. Where this turn of the event loop has taken long already, or others wait, it waits
 * for a later turn, in the order in which it came. So many short works that come together do not hold up all others.
 */
export function whenThereIsRoom<Result>(work: () => Result): Result | Promise<Result> {
  if (waiting.length === 0 && hasRoom()) return work()
  return new Promise<Result>((resolve, reject) => {
    waiting.push(() => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    if (waiting.length === 1) void workOff()
  })
}

const waiting: (() => void)[] = []

function hasRoom(): boolean {
  return performance.now() - beginInTurn() < MAX_TURN_MS
}

async function workOff(): Promise<void> {
  while (waiting.length > 0) {
    await nextTurn()
    do {
      waiting[0]!()
      waiting.shift()
    } while (waiting.length > 0 && hasRoom())
  }
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
