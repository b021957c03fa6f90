import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Query, Row, SqlValue } from '../sql/steps.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
  readonly toRow: (values: Values) => Row
  /** Where what was said stands in a row; -1: nowhere. */
  readonly content: number
}

type Values = readonly SqlValue[]

/** Large ones are an error, unless they are asked for. */
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

  /** The rows one by one, and how many characters of what was said each holds. */
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

  /** Whether its rows hold what was said, which may be many megabytes in each. */
  holdsContent(sql: string): boolean {
    return this.#prepare(sql).content >= 0
  }

  /**
   * Rows come as arrays and become objects here. The objects that `node:sqlite` makes are dictionaries,
   * slow to make and slow to read: with them a context took half as long again.
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

/** The objects that it makes are copies of one without values, so that they have one shape. */
export function rowMaker(columns: readonly string[]): (values: Values) => Row {
  const blank: Row = Object.fromEntries(columns.map(name => [name, null]))
  return values => {
    const row: Record<string, SqlValue> = { ...blank }
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]!
    return row
  }
}

/** As the other database reads them: to the nearest number that there is. */
function allWithLarge(statement: StatementSync, parameters: readonly SqlValue[]): readonly unknown[] {
  statement.setReadBigInts(true)
  try {
    const rows = statement.all(...parameters) as unknown as readonly (readonly unknown[])[]
    return rows.map(values => values.map(value => (typeof value === 'bigint' ? Number(value) : value)))
  } finally {
    statement.setReadBigInts(false)
  }
}
