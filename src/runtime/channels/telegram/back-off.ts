const FIRST_MS = 500
const LONGEST_MS = 30_000

/** How long to wait after so many failures in a row: twice as long each time, up to half a minute. */
export function backOffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
}
