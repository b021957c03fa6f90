/** What may be spent on models in an hour: each of them has its own count. `null`: any amount. */
export interface SpendLimits {
  /** Of the whole namespace. */
  readonly calls: number | null
  readonly tokens: number | null
  /** Of one session. */
  readonly sessionCalls: number | null
  readonly sessionTokens: number | null
}

/** A limit that lets no further call be made before `until`. */
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
  /** The session that it is counted for as well, by its number in the database. */
  readonly session: number | null
}
