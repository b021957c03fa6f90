import { describePattern, type Pattern, repeated } from './patterns.ts'

export type TextFunction = (text: string) => unknown

/** Four times the text may take so many times as long: linear is four, n log n a little more, quadratic sixteen. */
const MAX_GROWTH = 8
/** What one look shows is taken if it is less than this. */
const QUICK_GROWTH = 5.5
/** Shorter than that a run is noise. */
const MIN_RUN_MS = 3
const MIN_LONG_MS = MAX_GROWTH * MIN_RUN_MS
const TICK_MS = 4
/** In shorter texts what grows with the square of the length hides behind what grows with it. */
const FIRST_LENGTH = 8_192
const RUNS = 5
const REPEATS = 3

export interface Growth {
  readonly pattern: Pattern
  readonly length: number
  readonly times: number
  readonly ms: number
}

/**
 * How much longer four times the text takes, where that is more than it may be; `null`: it is not. One quick look
 * tells for nearly all; what looks too long is measured as the best of five, and that once more and once more.
 */
export function tooMuchGrowth(
  call: TextFunction,
  pattern: Pattern,
  { maxLength }: { readonly maxLength: number },
): Growth | null {
  let length = FIRST_LENGTH
  let short = timeOf(call, repeated(pattern, length))
  // In steps of four, so that what is quadratic is seen before it takes minutes.
  while (short < MIN_RUN_MS && length < maxLength) {
    length *= 4
    short = timeOf(call, repeated(pattern, length))
  }
  const [text, fourTimes] = [repeated(pattern, length), repeated(pattern, 4 * length)]
  // The first runs are slower than the others, which would hide how much longer the next takes.
  short = Math.min(short, timeOf(call, text))
  if (isWithin(short, timeOf(call, fourTimes), QUICK_GROWTH)) return null
  let growth: Growth | null = null
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const [few, many] = [bestOf(call, text), bestOf(call, fourTimes)]
    if (isWithin(few, many)) return null
    growth = { pattern, length, times: many / few, ms: many }
  }
  return growth
}

/** Of what takes less nothing can be told, and nothing waits for it. */
function isWithin(short: number, long: number, growth = MAX_GROWTH): boolean {
  return long < MIN_LONG_MS || long <= growth * short
}

function bestOf(call: TextFunction, text: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) best = Math.min(best, timeOf(call, text))
  return best
}

/** By the clock; where others had the processor meanwhile, by what this thread had of it, which is told in ticks. */
function timeOf(call: TextFunction, text: string): number {
  const [begin, cpuBegin] = [performance.now(), cpuMs()]
  try {
    call(text)
  } catch {
    // What a function refuses it refuses in linear time, too.
  }
  const [took, worked] = [performance.now() - begin, cpuMs() - cpuBegin]
  return Math.min(took, worked + TICK_MS)
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

export function describeGrowth(name: string, { pattern, length, times, ms }: Growth): string {
  return (
    `${name}: ${describePattern(pattern)} repeated to ${4 * length} characters takes ${times.toFixed(1)} times as long ` +
    `as to ${length} (${ms.toFixed(1)} ms)`
  )
}
