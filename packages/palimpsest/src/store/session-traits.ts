import { SessionMismatchError, type TraitMismatch } from '../errors.ts'
import type { SessionKind } from '../log/index.ts'

/** What a session is. Kind is fixed when it is created; user and scope are assigned at most once. */
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

/** Those that a session may be without. */
export type AssignableTrait = 'user' | 'scope'

/** Of a session that is created by a caller who does not say. */
export const DEFAULT_KIND: SessionKind = 'private'

const TRAITS = ['kind', 'user', 'scope'] as const
const ASSIGNABLE: readonly AssignableTrait[] = ['user', 'scope']

/** A `SessionMismatchError` where something is given that contradicts what is stored. */
export function checkTraits(sessionId: string, given: GivenTraits, stored: SessionTraits): void {
  const mismatches = TRAITS.flatMap((trait): TraitMismatch[] => {
    const [said, is] = [given[trait], stored[trait]]
    return said === null || is === null || said === is ? [] : [{ trait, given: said, stored: is }]
  })
  if (mismatches.length > 0) throw new SessionMismatchError({ sessionId, mismatches })
}

/** What is given and missing in what is stored. */
export function missingTraits(
  given: Pick<GivenTraits, AssignableTrait>,
  stored: SessionTraits,
): readonly AssignableTrait[] {
  return ASSIGNABLE.filter(trait => given[trait] !== null && stored[trait] === null)
}
