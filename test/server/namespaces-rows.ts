import pg from 'pg'
import { postgresUrl } from '../postgres/url.ts'
import { sqliteBeside } from '../stores.ts'

/** Of a table: what says who is at work, not what there is. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = { leases: ['token', 'owner', 'until'] }
/** Of nobody in particular. */
const SHARED = [
  'event_trim',
  'identity',
  'layout',
  'migrations',
  'revision',
  'sqlite_sequence',
  'sqlite_stat1',
  'sqlite_stat4',
]

type Query = (sql: string, values?: readonly string[]) => Promise<readonly Record<string, unknown>[]>

/** Everything that a database holds of one namespace, a line for each row. A table that is nobody's is an error. */
export async function rowsOf(address: string, namespace: string): Promise<readonly string[]> {
  await using database = await connect(address)
  const { query, columnsSql, literal } = database
  const tables = Map.groupBy(await query(columnsSql), row => String(row['table']))
  const lines: string[] = []
  for (const [table, columns] of [...tables].filter(([name]) => !SHARED.includes(name))) {
    const names = columns.map(row => String(row['column']))
    const shown = names.filter(name => !LEFT_OUT[table]?.includes(name)).map(name => `"${name}"`)
    const rows = await query(
      `SELECT ${shown.join()} FROM "${table}" WHERE ${ownerOf(table, names, literal(namespace))}`,
    )
    lines.push(...rows.map(row => `${table} ${JSON.stringify(row)}`))
  }
  return lines.sort()
}

function ownerOf(table: string, columns: readonly string[], namespace: string): string {
  if (columns.includes('namespace')) return `namespace = ${namespace}`
  const owned = (column: string, owner: string) =>
    `${column} IN (SELECT id FROM ${owner} WHERE namespace = ${namespace})`
  // The text stands beside its row, which has a mark.
  if (table === 'long_texts')
    return ['messages', 'message_versions']
      .map(
        rows =>
          `id IN (SELECT substr(content, 11) FROM ${rows} WHERE ${owned('session_id', 'sessions')} AND format >= 8)`,
      )
      .join(' OR ')
  if (table === 'text_parts')
    return ['messages', 'message_versions']
      .map(
        rows =>
          `EXISTS (SELECT 1 FROM ${rows} WHERE ${owned('session_id', 'sessions')} AND format BETWEEN 4 AND 7
             AND id BETWEEN CAST(content AS INTEGER)
               AND CAST(content AS INTEGER) + CAST(substr(content, instr(content, ' ')) AS INTEGER) - 1)`,
      )
      .join(' OR ')
  const owners = [
    ...(columns.includes('session_id') ? [owned('session_id', 'sessions')] : []),
    ...(columns.includes('document_id') ? [owned('document_id', 'documents')] : []),
  ]
  if (owners.length === 0) throw new Error(`Of whom are the rows of ${table}?`)
  return owners.join(' OR ')
}

interface Connected extends AsyncDisposable {
  readonly query: Query
  /** Every column with its table. */
  readonly columnsSql: string
  readonly literal: (text: string) => string
}

async function connect(address: string): Promise<Connected> {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
  if (address.startsWith('sqlite:')) {
    const database = sqliteBeside(address, { readOnly: true })
    return {
      query: async sql => database.prepare(sql).all(),
      columnsSql:
        'SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = \'table\'',
      literal,
      [Symbol.asyncDispose]: async () => database.close(),
    }
  }
  const schema = address.slice('postgres:'.length)
  const client = new pg.Client(postgresUrl())
  await client.connect()
  await client.query(`SET search_path TO ${schema}`)
  return {
    query: async sql => (await client.query(sql)).rows,
    columnsSql: `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = ${literal(schema)} ORDER BY table_name, ordinal_position`,
    literal,
    [Symbol.asyncDispose]: () => client.end(),
  }
}
