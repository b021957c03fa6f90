import { SessionMismatchError, type TraitMismatch } from '../errors.ts'
import type { SessionKind } from '../log/index.ts'

/**
 * What a session is. The kind is fixed when the session is created. User and scope are assigned at most once.
 */
export interface SessionTraits {
  readonly kind: SessionKind
  readonly user: string | null
  readonly scope: string | null
}

/** What a caller says that a session is. `null`: the caller does not say. */
export interface GivenTraits {
  readonly kind: SessionKind | null
  readonly user: string | null
  readonly scope: string | null
}

/** The traits that a session may lack. */
export type AssignableTrait = 'user' | 'scope'

/** The kind of a new session if the caller does not say. */
export const DEFAULT_KIND: SessionKind = 'private'

const TRAITS = ['kind', 'user', 'scope'] as const
const ASSIGNABLE: readonly AssignableTrait[] = ['user', 'scope']

/** Fails with a `SessionMismatchError` if a given trait contradicts the stored one. */
export function checkTraits(sessionId: string, given: GivenTraits, stored: SessionTraits): void {
  const mismatches = TRAITS.flatMap((trait): TraitMismatch[] => {
    const [said, is] = [given[trait], stored[trait]]
    return said === null || is === null || said === is ? [] : [{ trait, given: said, stored: is }]
  })
  if (mismatches.length > 0) throw new SessionMismatchError({ sessionId, mismatches })
}

/** The traits that are given and that the stored session lacks. */
export function missingTraits(
  given: Pick<GivenTraits, AssignableTrait>,
  stored: SessionTraits,
): readonly AssignableTrait[] {
  return ASSIGNABLE.filter(trait => given[trait] !== null && stored[trait] === null)
}
