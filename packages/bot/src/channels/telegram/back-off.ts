const FIRST_MS = 500
const MAX_MS = 30_000

/** The pause after this many failures in a row. It doubles each time, up to half a minute. */
export function backOffMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1))
}
