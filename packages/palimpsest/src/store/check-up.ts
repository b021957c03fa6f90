/** One thing that was looked at. */
export interface CheckResult {
  readonly what: string
  readonly isWell: boolean
  /** What was seen; where it is not well, also what to do. */
  readonly says: string
  /** For programs. */
  readonly details?: unknown
}

export interface CheckUpRequest {
  readonly now: number
  /** Every session, row by row: as long as it takes. */
  readonly isDeep: boolean
  /** How many sessions of all were looked at. */
  readonly onProgress?: (done: number, all: number) => void
}
