import { MEMORY_TOOL_NAMES, type MemoryToolName } from '../../log/index.ts'
import type { SessionRecord } from '../../store/index.ts'
import type { MemoryEngine } from '../engine.ts'

/**
 * What everybody sees is in everybody's prompt: only owners share it, in their private chats, and where that is asked for in
 * groups, as long as owners alone are answered. A person's memory has no place in a group.
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

/** What is known of a session that may not be there yet. A trait that is left out may be any. */
export interface PossibleSession {
  readonly kind?: SessionRecord['kind'] | undefined
  /** `null`: it is nobody's. */
  readonly user?: string | null | undefined
}

/** The tools that a session like this can have, whoever speaks in it. */
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
