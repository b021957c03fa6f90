import { MEMORY_TOOL_NAMES, type MemoryToolName } from '../../log/index.ts'
import type { SessionRecord } from '../../store/index.ts'
import type { MemoryEngine } from '../engine.ts'

/**
 * Shared memory is in every prompt, so only owners write it, in their private chats. If `ownerSharesIn` is
 * `groups`, they may also write it in a group where only owners get the answer. A person's memory is never
 * written in a group.
 */
export function isOffered(
  name: MemoryToolName,
  { kind, user }: Pick<SessionRecord, 'kind' | 'user'>,
  { memoryOwners, ownerSharesIn }: Pick<MemoryEngine, 'memoryOwners' | 'ownerSharesIn'>,
  askers: readonly string[],
): boolean {
  const isOwner = (id: string) => memoryOwners.has(id)
  if (name === 'write_memory' && kind === 'group')
    return ownerSharesIn === 'groups' && askers.length > 0 && askers.every(isOwner)
  if (name === 'write_memory') return kind === 'private' && user !== null && isOwner(user)
  if (name === 'write_user_memory') return kind === 'private' && user !== null
  return true
}

/** The known traits of a session that may not exist yet. A trait that is left out may have any value. */
export interface PossibleSession {
  readonly kind?: SessionRecord['kind'] | undefined
  /** `null`: the session has no user. */
  readonly user?: string | null | undefined
}

/** The tools that such a session can have, with any speakers. */
export function possibleTools(
  { kind, user }: PossibleSession,
  engine: Pick<MemoryEngine, 'memoryOwners' | 'ownerSharesIn'>,
): readonly MemoryToolName[] {
  const askers = [...engine.memoryOwners]
  const users = user === undefined ? [...askers, 'another'] : [user]
  const kinds = kind === undefined ? (['private', 'group'] as const) : [kind]
  return MEMORY_TOOL_NAMES.filter(name =>
    kinds.some(kind => users.some(user => isOffered(name, { kind, user }, engine, askers))),
  )
}
