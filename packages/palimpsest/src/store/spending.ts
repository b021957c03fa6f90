/** What may be spent on models in an hour. Each model has its own count. `null`: there is no limit. */
export interface SpendLimits {
  /** For the whole namespace. */
  readonly calls: number | null
  readonly tokens: number | null
  /** For one session. */
  readonly sessionCalls: number | null
  readonly sessionTokens: number | null
}

/** A limit that allows no further call before `until`. */
export interface SpendLimitReached {
  readonly model: string
  readonly scope: 'namespace' | 'session'
  readonly unit: 'calls' | 'tokens'
  readonly used: number
  readonly limit: number
  readonly until: number
}

/** What a model was asked for in the hour that began at `since`, in the whole namespace. */
export interface Spending {
  readonly model: string
  readonly calls: number
  readonly tokens: number
  readonly since: number
}

export interface SpendRequest {
  readonly model: string
  readonly limits: SpendLimits
  readonly now: number
}

/** A call that is counted before it is made. */
export interface CallReservation {
  readonly model: string
  readonly tokens: number
  readonly windowStart: number
  /** The number in the database of the session that the call is also counted for. */
  readonly session: number | null
}
