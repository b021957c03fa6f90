import type { CheckResult, CheckUpRequest } from './check-up.ts'

/** Tells which database it is. All copies of one database have the same id. */
export interface Identity {
  readonly id: string
  /** A restored database has a higher generation than the database that its backup was made of. */
  readonly generation: number
  /** Two restores of the same backup have different keys. */
  readonly generationKey: string
}

/** The database as a whole. */
export interface DatabaseStore {
  readIdentity(): Promise<Identity>
  /** Checks whether all is well, and changes nothing. A store that cannot check has no such method. */
  checkUp?(request: CheckUpRequest): Promise<readonly CheckResult[]>
}
