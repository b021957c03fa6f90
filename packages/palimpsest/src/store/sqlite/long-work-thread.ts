/**
 * A thread with a connection of its own, for transactions over many megabytes. The event loop of the main
 * thread goes on meanwhile.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { SqlValue } from '../sql/steps.ts'
import { CHECKPOINT_PAGES, type Durability, fileAt, setDurability } from './connection.ts'
import { shortenLog } from './shorten-log.ts'
import { type Numbers, Statements } from './statements.ts'
import { addressOf } from './view.ts'

export interface LongWorkRequest {
  readonly path: string
  /** The identity of the file when it was opened: another file may have taken its name. */
  readonly file: string
  readonly durability: Durability
  /** The same as for `setDurability`. */
  readonly commits: Durability
  readonly readOnly: boolean
  /** The parameters of the address by which SQLite opens the file. */
  readonly parameters: string
}

/** `more`: the next rows of the question before. */
export type LongWorkQuestion =
  | { readonly sql: string; readonly parameters: readonly SqlValue[]; readonly numbers: Numbers }
  | 'more'
  | 'copy the log'
  | 'empty the log'
  | 'end'

export type LongWorkAnswer =
  | {
      readonly columns: readonly string[]
      readonly rows: readonly (readonly SqlValue[])[]
      readonly isMore: boolean
    }
  /** An error of SQLite loses its codes on the way between threads. */
  | { readonly message: string; readonly code: unknown; readonly errcode: unknown }

/**
 * How many characters are handed over at a time. The main thread makes texts of them, which takes some
 * milliseconds.
 */
const CHARACTERS_AT_A_TIME = 4_000_000

/**
 * The size that the log's file keeps when the log is begun anew: about as much as is written between two
 * copies.
 */
const MAX_LOG_BYTES = 16_000_000

const { path, file, durability, commits, readOnly, parameters } = workerData as LongWorkRequest
if (fileAt(path) !== file) throw new Error(`${path} was moved, or is another file than before`)
// If the file was taken away, it is not made anew.
const database = new DatabaseSync(addressOf(path, parameters), { timeout: 0, readOnly })
if (!readOnly) {
  database.exec(
    `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${MAX_LOG_BYTES}`,
  )
  setDurability(database, durability, commits)
}
const statements = new Statements(database)
let left: Iterator<readonly SqlValue[]> | null = null
let columns: readonly string[] = []

parentPort!.on('message', (question: LongWorkQuestion) => {
  if (question === 'end') {
    database.close()
    parentPort!.close()
    return
  }
  parentPort!.postMessage(answer(question))
})

function answer(question: Exclude<LongWorkQuestion, 'end'>): LongWorkAnswer {
  try {
    if (question === 'copy the log' || question === 'empty the log') {
      const shortening = shortenLog(database, question === 'copy the log' ? 'RESTART' : 'TRUNCATE')
      return { columns: ['shortening'], rows: [[shortening]], isMore: false }
    }
    if (question !== 'more') {
      const asked = statements.iterate(question, question.numbers)
      left = asked.rows
      columns = asked.columns
    }
    return nextRows(left!)
  } catch (error) {
    const { message, code, errcode } = error as { message: string; code?: unknown; errcode?: unknown }
    return { message, code, errcode }
  }
}

function nextRows(rows: Iterator<readonly SqlValue[]>): LongWorkAnswer {
  const taken: (readonly SqlValue[])[] = []
  for (let characters = 0; characters < CHARACTERS_AT_A_TIME; ) {
    const { done, value } = rows.next()
    if (done) return { columns, rows: taken, isMore: false }
    taken.push(value)
    for (const each of value) characters += typeof each === 'string' ? each.length : 8
  }
  return { columns, rows: taken, isMore: true }
}
