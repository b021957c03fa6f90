import type { EventType, Store, StoreEvent } from '../../store/index.ts'

const PATIENCE_MS = 10_000

/**
 * Reads events of a type until there are `expected`. An event may appear a little after its commit, while an
 * older transaction is open.
 */
export async function eventsOf(
  store: Store,
  wanted: EventType,
  expected: number,
): Promise<readonly StoreEvent[]> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const events = await store.events.readEvents({ after: null, limit: 10_000 })
    const found = events.filter(({ type }) => type === wanted)
    if (found.length >= expected || performance.now() > deadline) return found
  }
}
