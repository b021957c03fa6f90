import { BoundedMap } from './bounded-map.ts'

const MAX_SESSIONS = 10_000
/** Different ones of a session: a text may have another number in it each time. */
const MAX_KINDS = 5

/** What of a session was told already, so that a failure that comes with every message is told once. */
export class ToldOnce {
  readonly #told = new BoundedMap<string, Set<string>>(MAX_SESSIONS)

  /** Whether it is new, and to be told. */
  note(session: string, kind: string): boolean {
    const told = this.#told.get(session) ?? new Set()
    if (told.has(kind) || told.size >= MAX_KINDS) return false
    this.#told.set(session, told.add(kind))
    return true
  }

  /** It is over: what comes then is told again. */
  forget(session: string): void {
    this.#told.delete(session)
  }
}
