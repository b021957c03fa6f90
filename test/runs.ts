/**
 * How much is tried. The numbers in the tests are those of an ordinary run, and enough to find the faults that were
 * planted to choose them. `PALIMPSEST_TEST_RUNS` is a factor for all of them: 4 for a long run, as before a release
 * (`PALIMPSEST_TEST_RUNS=4 npx vitest run test/memory/canary.test.ts`), 0.1 for a first look.
 */
const FACTOR = factorOf(process.env['PALIMPSEST_TEST_RUNS'])

/** So many runs of a property. */
export function runs(usual: number): number {
  return Math.max(1, Math.round(usual * FACTOR))
}

/** Of a long row of steps every so manieth is tried; in a long run each of them. */
export function stride(usual: number): number {
  return Math.max(1, Math.round(usual / FACTOR))
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
