const FIRST_MS = 500
const MAX_MS = 30_000

/** How long to wait after so many failures in a row: twice as long each time, up to half a minute. */
export function backOffMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1))
}
