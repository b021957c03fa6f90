/**
 * How much is tried. `npm test` tries what finds a fault soon; `npm run test:long`, as `.ci/run` does too, tries as many
 * as were needed to find the rarest of the faults that were planted to choose the numbers. `PALIMPSEST_TEST_RUNS` is a
 * factor for both: 4 for a longer run, as before a release (`PALIMPSEST_TEST_RUNS=4 npm run test:long`), 0.1 for a first
 * look.
 */
const FACTOR = factorOf(process.env['PALIMPSEST_TEST_RUNS'])
const IS_LONG = process.env['PALIMPSEST_TEST_LONG'] === '1'

/** So many runs of a property, and `long` of them in a long run. */
export function runs(usual: number, long = usual): number {
  return Math.max(1, Math.round((IS_LONG ? long : usual) * FACTOR))
}

/** Of a long row of steps one in so many is tried; in a long run one in `long`. */
export function stride(usual: number, long = usual): number {
  return Math.max(1, Math.round((IS_LONG ? long : usual) / FACTOR))
}

/** For a test that grows with the factor. */
export function longest(usualMs: number): number {
  return usualMs * Math.max(1, FACTOR)
}

function factorOf(value: string | undefined): number {
  if (value === undefined || value === '') return 1
  const factor = Number(value)
  if (!(factor > 0 && factor < 1e6))
    throw new Error(
      `PALIMPSEST_TEST_RUNS is ${JSON.stringify(value)}; it has to be a number above 0, such as 0.1 or 10.`,
    )
  return factor
}
