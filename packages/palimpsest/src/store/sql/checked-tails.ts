import { BoundedMap } from '../../bounded-map.ts'
import { keyName, type SessionKey } from '../store.ts'
import { readContext } from './context.ts'
import { findSession } from './session.ts'
import type { Steps } from './steps.ts'

/** About as much as most contexts show. */
export const CHECKED_TOKENS = 20_000
/** A process may see millions of sessions, so the oldest checks are forgotten and done again. */
const MAX_SESSIONS = 10_000

/**
 * The names of sessions whose newest part was read since the store was opened. A damaged database accepts an
 * append after messages that it can no longer read. So before the first append, what a context would show is
 * read once.
 */
export class CheckedTails {
  readonly #names = new BoundedMap<string, true>(MAX_SESSIONS)

  check(key: SessionKey): Steps<void> {
    return checkTail(key, this.#names)
  }
}

function* checkTail({ namespace, id }: SessionKey, checked: BoundedMap<string, true>): Steps<void> {
  const name = keyName({ namespace, id })
  if (checked.has(name)) return
  const session = yield* findSession({ namespace, id })
  if (session) yield* readContext(session, { tokens: CHECKED_TOKENS, archivedTokens: 0 }, () => {})
  checked.set(name, true)
}
