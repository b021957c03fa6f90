import { PalimpsestError } from 'palimpsest/internals/errors'
import { readHead, type Source } from '../source.ts'

const MAGIC = 'SQLite format 3\0'

export async function isSqlite(source: Source): Promise<boolean> {
  return (await readHead(source, MAGIC.length)).toString('latin1') === MAGIC
}

/**
 * Reads the rows of all tables of messages and of summaries, by the tables' names. The value is the same as
 * for a JSON file with both. The database is opened read-only.
 */
export async function readSqlite({ path }: Source): Promise<unknown> {
  if (path === '-')
    throw new PalimpsestError(
      'invalid_transcript',
      'Standard input is a SQLite database, which is read from a file only. Name the file. Nothing was done.',
      { file: path },
    )
  const { DatabaseSync } = await import('node:sqlite')
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      const tables = tablesOf(database, path)
      // Empty tables are one conversation without messages.
      return Object.values(tables).every(rows => rows.length === 0) ? [] : tables
    } finally {
      database.close()
    }
  } catch (error) {
    if (PalimpsestError.isInstance(error)) throw error
    throw new PalimpsestError(
      'invalid_transcript',
      `${path} cannot be read as a SQLite database: ${(error as Error).message}. Nothing was done.`,
      { file: path, problem: (error as Error).message },
      { cause: error },
    )
  }
}

type Database = InstanceType<typeof import('node:sqlite').DatabaseSync>

interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

function tablesOf(database: Database, path: string): Readonly<Record<string, readonly unknown[]>> {
  const names = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .all()
    .map(row => String(row['name']))
  const tables = names.map(name => ({
    name,
    columns: database
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(name)
      .map(row => String(row['name'])),
  }))
  if (names.includes('hidden_ranges') && names.includes('segments'))
    throw new PalimpsestError(
      'invalid_transcript',
      `${path} is a database of Palimpsest itself. Copy it with palimpsest copy, or a session of it with export and import. Nothing was done.`,
      { file: path },
    )
  const has =
    (...columns: readonly string[]) =>
    ({ columns: own }: Table) =>
      columns.every(column => own.includes(column))
  const summaries = tables.filter(has('start_msg_id', 'end_msg_id'))
  const archived = tables.filter(has('is_archived'))
  // If only summaries say what is archived, a table with a role and content holds the messages.
  const messages =
    archived.length > 0 || summaries.length === 0 ? archived : tables.filter(has('role', 'content'))
  if (messages.length === 0)
    throw new PalimpsestError(
      'invalid_transcript',
      `${path} is a SQLite database without a table that has a column is_archived, or role and content beside a table with start_msg_id and end_msg_id. It has: ${tables.map(({ name, columns }) => `${name} (${columns.join(', ')})`).join('; ') || 'no table'}. Nothing was done.`,
      { file: path },
    )
  return Object.fromEntries([...messages, ...summaries].map(({ name }) => [name, rowsOf(database, name)]))
}

function rowsOf(database: Database, table: string): readonly unknown[] {
  const query = database.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}"`)
  // A platform's ids may be larger than a JavaScript number can hold.
  query.setReadBigInts(true)
  return query
    .all()
    .map(row =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          typeof value === 'bigint' ? plain(value) : value,
        ]),
      ),
    )
}

function plain(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
