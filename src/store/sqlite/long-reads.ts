import type { DatabaseSync } from 'node:sqlite'
import { nextTurn } from '../../slices.ts'
import { type Query, type Row, runAsync, type Steps } from '../sql/steps.ts'
import { Statements } from './statements.ts'

/** Of what was said, so many characters are read at a stretch: a few milliseconds. */
export const MAX_CHARACTERS_AT_ONCE = 2_000_000

/** A read has come to more than can be read at a stretch. */
export class LongReadError extends Error {}

/**
 * Reads of many megabytes, one after the other, with turns of the event loop between the rows. On a connection of
 * their own: on the other one nothing may come between the statements of a transaction.
 */
export class LongReads {
  readonly #connect: () => DatabaseSync
  #database: DatabaseSync | null = null
  #statements: Statements | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(connect: () => DatabaseSync) {
    this.#connect = connect
  }

  read<Result>(steps: () => Steps<Result>): Promise<Result> {
    const reading = this.#last.then(() => this.#read(steps))
    this.#last = reading.catch(() => {})
    return reading
  }

  async close(): Promise<void> {
    await this.#last
    this.#database?.close()
    this.#database = null
    this.#statements = null
  }

  async #read<Result>(steps: () => Steps<Result>): Promise<Result> {
    this.#database ??= this.#connect()
    this.#statements ??= new Statements(this.#database)
    const statements = this.#statements
    statements.run('BEGIN')
    try {
      return await runAsync(steps(), query => readInTurns(statements, query))
    } finally {
      statements.run('COMMIT')
    }
  }
}

async function readInTurns(statements: Statements, query: Query): Promise<readonly Row[]> {
  if (!statements.holdsContent(query.sql)) return statements.all(query)
  const rows: Row[] = []
  let left = MAX_CHARACTERS_AT_ONCE
  await statements.eachInTurns(query, (row, characters) => {
    rows.push(row)
    left -= characters
    if (left > 0) return null
    left = MAX_CHARACTERS_AT_ONCE
    return nextTurn()
  })
  return rows
}
