import type { SessionRecord, Warn } from '../store.ts'
import type { Dialect } from './driver.ts'
import { keyOf } from './keys.ts'
import { allIn } from './many.ts'
import { SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { readRecords } from './session-record.ts'
import { all, first, type Steps } from './steps.ts'

interface Rules {
  readonly dialect: Dialect
  readonly warn: Warn
}

export function* listSessions(
  namespace: string,
  page: { readonly after?: string; readonly limit: number },
  warn: Warn,
): Steps<readonly SessionRecord[]> {
  const rows = yield* all<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE namespace = ?1 AND name_key > ?2 AND ready = 1
     ORDER BY name_key LIMIT ?3`,
    namespace,
    page.after === undefined ? '' : keyOf(page.after),
    page.limit,
  )
  return yield* readRecords(rows, warn)
}

/**
 * The number of names that one step reads: no index finds a text inside a name. It is small, so that no other
 * caller waits long. It also makes PostgreSQL follow the index to the end of a step instead of sorting all
 * names after it.
 */
const NAMES_AT_A_TIME = 2_000

/** The result of one step. `next`: where the next step goes on; `null`: there are no more. */
interface FoundSessions {
  readonly records: readonly SessionRecord[]
  readonly next: string | null
}

/** Sessions whose id contains a text, above a key. */
export function* findSessions(
  namespace: string,
  page: { readonly afterKey: string; readonly limit: number; readonly contains: string },
  { dialect, warn }: Rules,
): Steps<FoundSessions> {
  const { afterKey, limit } = page
  const end = yield* first<{ name_key: string }>(
    `SELECT name_key FROM sessions WHERE namespace = ?1 AND name_key > ?2 ORDER BY name_key LIMIT 1 OFFSET ?3`,
    namespace,
    afterKey,
    NAMES_AT_A_TIME - 1,
  )
  const rows = yield* all<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE namespace = ?1 AND name_key > ?2 ${end ? 'AND name_key <= ?5' : ''}
       AND ready = 1 AND ${dialect.nameContains('?4')} ORDER BY name_key LIMIT ?3`,
    namespace,
    afterKey,
    limit,
    foldCase(page.contains),
    ...(end ? [end.name_key] : []),
  )
  return { records: yield* readRecords(rows, warn), next: end?.name_key ?? null }
}

/** This many of the newest events are read, of any session. */
const NEWEST_EVENTS = 5_000
const SESSIONS_AT_A_TIME = 64

/** The sessions of these events, the one of the newest event first. */
export function* listRecentSessions(
  namespace: string,
  page: { readonly limit: number; readonly contains?: string },
  { dialect, warn }: Rules,
): Steps<readonly SessionRecord[]> {
  const { limit, contains } = page
  const recent = yield* recentIds(dialect)
  const rows: SessionRow[] = []
  for (let from = 0; from < recent.length && rows.length < limit; from += SESSIONS_AT_A_TIME) {
    const ids = recent.slice(from, from + SESSIONS_AT_A_TIME)
    // By their numbers alone, so that no database begins with the namespace.
    const found = yield* allIn<SessionRow>(
      `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ready = 1
         ${contains === undefined ? '' : `AND ${dialect.nameContains('?1')}`} AND id IN (*)`,
      contains === undefined ? [] : [foldCase(contains)],
      ids,
    )
    const byId = new Map(found.filter(row => row.namespace === namespace).map(row => [row.id, row]))
    for (const id of ids) if (byId.has(id)) rows.push(byId.get(id)!)
  }
  return yield* readRecords(rows.slice(0, limit), warn)
}

function* recentIds({ events }: Dialect): Steps<readonly number[]> {
  const rows = yield* all<{ session_id: number }>(
    `SELECT session_id FROM events ORDER BY ${events.orderBy('DESC')} LIMIT ${NEWEST_EVENTS}`,
  )
  // Events of no session have 0.
  return [...new Set(rows.map(row => row.session_id))].filter(id => id > 0)
}

/** As both databases do it with an id: only ASCII letters change. */
function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, letters => letters.toLowerCase())
}
