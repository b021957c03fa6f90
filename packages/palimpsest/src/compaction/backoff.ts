const FIRST_MS = 15_000
const MAX_MS = 3_600_000

/** After the first failure a quarter of a minute, then twice as long each time, up to an hour. */
export function backoffMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 20))
}
