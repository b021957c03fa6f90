import type { DatabaseSync } from 'node:sqlite'
import type { Query } from '../../src/store/sql/steps.ts'

/** Tables with a row for each message, fold or change that ever was. */
const GROWING = new Set([
  'messages',
  'segments',
  'facts',
  'document_versions',
  'events',
  'operations',
  'memos',
  'postings',
  'index_blocks',
])

/** Indexes of what is shown or under way, of which there is little however old a chat is. */
const OF_FEW = new Set(['segments_shown', 'segments_withheld', 'facts_gone'])

/** What may read all of a session, and why that is all right. */
const EXCEPTIONS: readonly { readonly sql: RegExp; readonly because: string }[] = [
  {
    sql: /FROM index_blocks WHERE session_id IN/,
    because: 'a search ranks by the columns of all messages, 4,096 to a row',
  },
]

/** What of these statements would take longer the older a chat is, as SQLite carries them out in this database. */
export function planFaults(database: DatabaseSync, queries: readonly Query[]): readonly string[] {
  const faults = new Set<string>()
  for (const { sql, parameters } of new Map(queries.map(query => [query.sql, query])).values()) {
    if (EXCEPTIONS.some(exception => exception.sql.test(sql))) continue
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
    const names = aliasesIn(sql)
    for (const { detail } of plan as unknown as readonly { readonly detail: string }[])
      if (readsAll(detail, names) && !stopsByItself(sql))
        faults.add(`${detail}\n  ${sql.replaceAll(/\s+/g, ' ')}`)
  }
  return [...faults]
}

/** By which names a statement calls the tables. */
function aliasesIn(sql: string): ReadonlyMap<string, string> {
  const named = sql.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO|,)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g)
  return new Map([...named].flatMap(([, table, alias]) => [[table!, table!] as const, [alias ?? table!, table!] as const]))
}

/** All of a table, or all that it has of one session or document. */
function readsAll(detail: string, names: ReadonlyMap<string, string>): boolean {
  const [, how, name] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? []
  if (!how || !GROWING.has(names.get(name!) ?? name!)) return false
  const index = /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1]
  if (index !== undefined && OF_FEW.has(index)) return false
  if (how === 'SCAN') return true
  return /\((?:session_id|document_id)=\?\)$/.test(detail)
}

/** The newest, or so many. */
function stopsByItself(sql: string): boolean {
  return /\bLIMIT\b|^SELECT (?:max|min)\(/.test(sql)
}
