const FIRST_MS = 15_000
const MAX_MS = 3_600_000

/** The wait is 15 seconds after the first failure. It doubles with each further failure, up to an hour. */
export function backoffMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 20))
}
