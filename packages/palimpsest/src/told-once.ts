const MAX_SESSIONS = 10_000
/** Different ones of a session: a text may have another number in it each time. */
const MAX_KINDS = 5

/** What of a session was told already, so that a failure that comes with every message is told once. */
export class ToldOnce {
  readonly #told = new Map<string, Set<string>>()

  /** Whether it is new, and to be told. */
  note(session: string, kind: string): boolean {
    const told = this.#told.get(session) ?? new Set()
    if (told.has(kind) || told.size >= MAX_KINDS) return false
    if (this.#told.size >= MAX_SESSIONS) this.#told.clear()
    this.#told.set(session, told.add(kind))
    return true
  }

  /** It is over: what comes then is told again. */
  forget(session: string): void {
    this.#told.delete(session)
  }
}
