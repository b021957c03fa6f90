import type { SessionKey, SessionRecord } from '../../store/index.ts'
import type { MemoryEngine } from '../engine.ts'

/** Before the newest question there are seldom more messages of others. */
const MAX_MESSAGES = 100

/**
 * Who is answered in a group, by id: those who said `answers`, or the person who spoke last. Empty where one of them is not
 * known by an id, and where it makes no difference, since owners share in private alone.
 */
export async function askersOf(
  { store, namespace, memoryOwners, ownerSharesIn }: MemoryEngine,
  { id, kind }: Pick<SessionRecord, 'id' | 'kind'>,
  answers: readonly number[] = [],
): Promise<readonly string[]> {
  if (kind !== 'group' || ownerSharesIn !== 'groups' || memoryOwners.size === 0) return []
  const key: SessionKey = { namespace, id }
  if (answers.length > 0) {
    const asked = await store.log.readMessages(key, { seqs: answers })
    const ids = asked.map(({ sender }) => (sender?.isSelf ? null : (sender?.id ?? null)))
    return asked.length < answers.length || ids.includes(null) ? [] : (ids as string[])
  }
  const newest = await store.log.readMessages(key, { limit: MAX_MESSAGES, from: 'newest' })
  const sender = newest.findLast(({ role }) => role === 'user')?.sender
  return sender && !sender.isSelf ? [sender.id] : []
}
