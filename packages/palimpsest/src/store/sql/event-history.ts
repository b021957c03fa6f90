import type { Identity } from '../store.ts'
import type { EventPlace } from './event-age.ts'
import { first, type Steps } from './steps.ts'

/** Which positions mean anything now. */
export interface EventHistory {
  readonly identity: Identity
  /** No reader gets what is there or before: it was trimmed. */
  readonly through: EventPlace
}

interface HistoryRow {
  readonly id: string
  readonly generation: number
  readonly generation_key: string
  readonly through_major: number
  readonly through_minor: number
}

/** `lock`: of the row `t`, so that no transaction trims meanwhile. */
export function* readHistory(lock = ''): Steps<EventHistory> {
  const row = yield* first<HistoryRow>(
    `SELECT i.id, i.generation, i.generation_key, t.through_major, t.through_minor
     FROM identity i CROSS JOIN event_trim t ${lock}`,
  )
  // A lost page: the driver tells of damage.
  if (row === undefined) throw new SyntaxError('the identity of the database is not there')
  return {
    identity: { id: row.id, generation: row.generation, generationKey: row.generation_key },
    through: { major: row.through_major, minor: row.through_minor },
  }
}
