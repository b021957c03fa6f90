import { BoundedMap } from './bounded-map.ts'

const MAX_SESSIONS = 10_000
/** The most kinds for one session. A text may hold another number each time. */
const MAX_KINDS = 5

/**
 * Remembers what was reported for a session, so that a failure that comes with every message is reported
 * once.
 */
export class ToldOnce {
  readonly #told = new BoundedMap<string, Set<string>>(MAX_SESSIONS)

  /** Whether the kind is new and has to be reported. */
  note(session: string, kind: string): boolean {
    const told = this.#told.get(session) ?? new Set()
    if (told.has(kind) || told.size >= MAX_KINDS) return false
    this.#told.set(session, told.add(kind))
    return true
  }

  /** The failure is over. If it comes again, it is reported again. */
  forget(session: string): void {
    this.#told.delete(session)
  }
}
