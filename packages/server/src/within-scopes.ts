import { SessionMismatchError } from 'palimpsest/internals/errors'
import type { Access } from './access.ts'

/** Tells a caller without the scope `read` only that a session differs, not in what. */
export async function withinScopes<Result>(
  { scopes }: Access,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action()
  } catch (error) {
    throw error instanceof SessionMismatchError && !scopes.has('read') ? error.withoutStored() : error
  }
}
