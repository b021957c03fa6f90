import type { SessionKey, SessionRecord } from '../../store/index.ts'
import type { MemoryEngine } from '../engine.ts'

/** The newest question is nearly always among so many messages. */
const MAX_MESSAGES = 100

/**
 * The ids of the people who get the answer in a group: the authors of `answers`, or else the last speaker.
 * The list is empty if one of them has no id. It is empty too if the askers make no difference, since owners
 * share in private only.
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
