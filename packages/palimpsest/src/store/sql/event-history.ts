import type { Identity } from '../store.ts'
import type { EventPlace } from './event-age.ts'
import { first, type Steps } from './steps.ts'

/** Which positions are valid now. */
export interface EventHistory {
  readonly identity: Identity
  /** No reader gets the events up to here: they were trimmed. */
  readonly through: EventPlace
}

interface HistoryRow {
  readonly id: string
  readonly generation: number
  readonly generation_key: string
  readonly through_major: number
  readonly through_minor: number
}

/** `lock` locks the row `t`, so that no transaction trims meanwhile. */
export function* readHistory(lock = ''): Steps<EventHistory> {
  const row = yield* first<HistoryRow>(
    `SELECT i.id, i.generation, i.generation_key, t.through_major, t.through_minor
     FROM identity i CROSS JOIN event_trim t ${lock}`,
  )
  // A lost page. The driver reports the damage.
  if (row === undefined) throw new SyntaxError('the identity of the database is not there')
  return {
    identity: { id: row.id, generation: row.generation, generationKey: row.generation_key },
    through: { major: row.through_major, minor: row.through_minor },
  }
}
