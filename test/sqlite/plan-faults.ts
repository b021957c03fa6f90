import type { DatabaseSync } from 'node:sqlite'
import type { Query } from '../../packages/palimpsest/src/store/sql/steps.ts'

/** Tables with a row for each message, fold or change that ever was. */
const GROWING = new Set([
  'messages',
  'segments',
  'facts',
  'document_versions',
  'events',
  'fold_history',
  'operations',
  'memos',
  'postings',
  'index_blocks',
  'packs',
])

/** Indexes of what is shown or under way, of which there is little however old a chat is. */
const OF_FEW = new Set(['segments_shown', 'segments_withheld', 'facts_gone'])

interface Exception {
  readonly sql: RegExp
  readonly because: string
}

/** What may read all of a session or document, and why that is all right. */
const EXCEPTIONS: readonly Exception[] = [
  {
    sql: /FROM index_blocks WHERE session_id IN/,
    because: 'a search ranks by the columns of all messages, 4,096 to a row',
  },
  {
    sql: /^SELECT (?:memo, through_seq FROM memos|m\.seq, .* ORDER BY m\.seq$|id, from_seq, .* ORDER BY id$)/s,
    because: 'a session is exported',
  },
  {
    sql: /FROM segments WHERE session_id = \?1\s+ORDER BY from_seq, level, id$|AND f\.gone <= \?2 ORDER BY f\.id$/,
    because: 'somebody asks for all segments, or all facts, that ever were',
  },
  {
    sql: /AS past\s+FROM documents|END AS session_name\s+FROM facts|^SELECT operation_id, result, number FROM operations/,
    because: 'a session or document is copied to another store',
  },
  {
    sql: /^(?:DELETE FROM \w+|UPDATE facts SET session_id = \?2) WHERE (?:session|document)_id (?:= \?1|IN \(SELECT)/,
    because: 'a session or document goes, or another takes its place',
  },
  {
    sql: /SELECT max\(id\) AS id FROM events|SELECT max\(window_through\)/,
    because: 'the newest, which is at the end of an index of its own',
  },
  {
    sql: /^SELECT DISTINCT document_id, (?:subject|author_name) AS person/,
    because: 'a restore asks whom a backup tells of, to erase again whoever was erased since',
  },
  { sql: /^INSERT INTO memos .* SELECT/s, because: 'a session is forked, with all its messages' },
  {
    sql: /^UPDATE segments SET rolled_into = \(SELECT max/,
    because: 'a cursor that makes no sense is put right, once',
  },
  {
    sql: /AS is_empty_window|AND subject = \?2|SET author_name = NULL/,
    because: 'an erasure looks for whatever tells of a message or person, in slices',
  },
  {
    sql: /SET gone = 3 .* line_key IN|AND gone = 0 ORDER BY id$|SET version = version \+ \?2/s,
    because: 'an erasure writes all versions of a document anew',
  },
]

/** What of these statements would take longer the older a chat is, as SQLite carries them out in this database. */
export function planFaults(database: DatabaseSync, queries: readonly Query[]): readonly string[] {
  const faults = new Set<string>()
  for (const { sql } of new Map(queries.map(query => [query.sql, query])).values()) {
    if (EXCEPTIONS.some(exception => exception.sql.test(sql))) continue
    const asked = withoutNewest(sql)
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${asked}`).all()
    const names = aliasesIn(asked)
    for (const { detail } of plan as unknown as readonly { readonly detail: string }[])
      if (readsAll(detail, names) && !stopsByItself(sql))
        faults.add(`${detail}\n  ${sql.replaceAll(/\s+/g, ' ')}`)
  }
  return [...faults]
}

/** The newest row is at the end of the table; the plan would not say that nothing else is read. */
function withoutNewest(sql: string): string {
  return sql.replaceAll(
    /\(SELECT max\((?:\w+\.)?(?:id|seq|version)\) FROM \w+(?: \w+)? WHERE [\w.]+ = [\w.?]+\)/g,
    '1',
  )
}

/** By which names a statement calls the tables. */
function aliasesIn(sql: string): ReadonlyMap<string, string> {
  const named = sql.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO|,)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g)
  return new Map(
    [...named].flatMap(([, table, alias]) => [[table!, table!] as const, [alias ?? table!, table!] as const]),
  )
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
  return /\bLIMIT\b|^SELECT max\((?:id|seq|version)\) AS \w+ FROM \w+ WHERE \w+ = \?1$/.test(sql)
}
