import type { CheckResult, CheckUpRequest } from './check-up.ts'

/** Which database it is. Copies of one have the same id. */
export interface Identity {
  readonly id: string
  /** Higher in a database that was restored than in the one that its backup was made of. */
  readonly generation: number
  /** Of two restores of the same backup each has its own. */
  readonly generationKey: string
}

/** The database as a whole. */
export interface DatabaseStore {
  readIdentity(): Promise<Identity>
  /** Looks whether all is well, and changes nothing. A store that cannot tell has no such method. */
  checkUp?(request: CheckUpRequest): Promise<readonly CheckResult[]>
}
