import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Query, Row, SqlValue } from '../sql/steps.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
  /** A row without values: its copies are objects of one shape. */
  readonly blank: Row
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
    const prepared = this.#prepare(sql)
    const { statement } = prepared
    const rows = what === 'numbers' ? statement.all(...parameters) : allWithLarge(statement, parameters)
    return (rows as unknown as readonly Values[]).map(values => toRow(prepared, values))
  }

  /** The rows one by one, and how many characters of what was said each holds. */
  each({ sql, parameters }: Query, visit: (row: Row, characters: number) => void): void {
    const prepared = this.#prepare(sql)
    for (const values of prepared.statement.iterate(...parameters) as unknown as Iterable<Values>)
      visit(toRow(prepared, values), charactersIn(values[prepared.content]))
  }

  /** The same, with a pause wherever it is asked for. */
  async eachInTurns(
    query: Query,
    visit: (row: Row, characters: number) => Promise<void> | null,
  ): Promise<void> {
    const prepared = this.#prepare(query.sql)
    for (const values of prepared.statement.iterate(...query.parameters) as unknown as Iterable<Values>) {
      const pause = visit(toRow(prepared, values), charactersIn(values[prepared.content]))
      if (pause !== null) await pause
    }
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
      const blank = Object.fromEntries(columns.map(name => [name, null]))
      prepared = { statement, columns, blank, content: columns.indexOf('content') }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }
}

function charactersIn(content: SqlValue | undefined): number {
  return typeof content === 'string' ? content.length : 0
}

function toRow({ columns, blank }: Prepared, values: Values): Row {
  const row: Record<string, SqlValue> = { ...blank }
  for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]!
  return row
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
