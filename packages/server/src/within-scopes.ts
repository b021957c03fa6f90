import { SessionMismatchError } from 'palimpsest/internals/errors'
import type { Access } from './access.ts'

/** A caller who may not read hears that a session is another one, and not which. */
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
