import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Query, Row, SqlValue } from '../sql/steps.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
  readonly toRow: (values: Values) => Row
  /** The place in a row of the column with what was said. -1: there is none. */
  readonly content: number
}

type Values = readonly SqlValue[]

/** Large numbers are an error, unless `large numbers` asks for them. */
export type Numbers = 'numbers' | 'large numbers'

/** The prepared statements of a connection. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  run(sql: string): void {
    this.#prepare(sql).statement.run()
  }

  all({ sql, parameters }: Query, what: Numbers = 'numbers'): readonly Row[] {
    const { statement, toRow } = this.#prepare(sql)
    const rows = what === 'numbers' ? statement.all(...parameters) : allWithLarge(statement, parameters)
    return (rows as unknown as readonly Values[]).map(toRow)
  }

  /** Visits the rows one by one, each with the number of characters of what was said in it. */
  each({ sql, parameters }: Query, visit: (row: Row, characters: number) => void): void {
    const prepared = this.#prepare(sql)
    for (const values of prepared.statement.iterate(...parameters) as unknown as Iterable<Values>)
      visit(prepared.toRow(values), charactersIn(values[prepared.content]))
  }

  /** The values of the rows, one by one. */
  iterate(
    { sql, parameters }: Pick<Query, 'sql' | 'parameters'>,
    what: Numbers,
  ): { readonly columns: readonly string[]; readonly rows: Iterator<Values> } {
    const { statement, columns } = this.#prepare(sql)
    const rows =
      what === 'numbers' ? statement.iterate(...parameters) : allWithLarge(statement, parameters).values()
    return { columns, rows: rows as unknown as Iterator<Values> }
  }

  /** Whether its rows hold what was said, which may be many megabytes in each row. */
  holdsContent(sql: string): boolean {
    return this.#prepare(sql).content >= 0
  }

  /**
   * Rows come as arrays and become objects here. The objects that `node:sqlite` makes are dictionaries, which
   * are slow to make and slow to read: with them a context took half as long again.
   */
  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql)
    if (prepared === undefined) {
      const statement = this.#database.prepare(sql)
      statement.setReturnArrays(true)
      const columns = statement.columns().map(({ name }) => name)
      prepared = { statement, columns, toRow: rowMaker(columns), content: columns.indexOf('content') }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }
}

function charactersIn(content: SqlValue | undefined): number {
  return typeof content === 'string' ? content.length : 0
}

/** Each object is a copy of one object without values, so that all have one shape. */
export function rowMaker(columns: readonly string[]): (values: Values) => Row {
  const blank: Row = Object.fromEntries(columns.map(name => [name, null]))
  return values => {
    const row: Record<string, SqlValue> = { ...blank }
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]!
    return row
  }
}

/** Reads large numbers as PostgreSQL does: as the nearest number that JavaScript has. */
function allWithLarge(statement: StatementSync, parameters: readonly SqlValue[]): readonly unknown[] {
  statement.setReadBigInts(true)
  try {
    const rows = statement.all(...parameters) as unknown as readonly (readonly unknown[])[]
    return rows.map(values => values.map(value => (typeof value === 'bigint' ? Number(value) : value)))
  } finally {
    statement.setReadBigInts(false)
  }
}
