/** The result for one thing that was checked. */
export interface CheckResult {
  readonly what: string
  readonly isWell: boolean
  /** What was found. If `isWell` is `false`, also what to do. */
  readonly says: string
  /** The same facts, for programs. */
  readonly details?: unknown
}

export interface CheckUpRequest {
  readonly now: number
  /** `true`: every session is checked row by row. That takes time in proportion to the database. */
  readonly isDeep: boolean
  /** How many of all sessions have been checked so far. */
  readonly onProgress?: (done: number, all: number) => void
}
