import { createRequire } from 'node:module'
import type { ContestantName } from './contestant.ts'

interface Statement {
  run(...values: unknown[]): unknown
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown
}

interface DatabaseClass {
  readonly prototype: { prepare(sql: string): Statement; exec(sql: string): unknown }
}

const load = createRequire(import.meta.url)

/** Who writes through what. */
const DRIVERS: Readonly<Partial<Record<ContestantName, () => DatabaseClass>>> = {
  palimpsest: () => load('node:sqlite').DatabaseSync,
  langchain: () => load('better-sqlite3'),
  mastra: () => load('libsql'),
  'openai-agents': () => load('node:sqlite').DatabaseSync,
}

const METHODS = ['run', 'get', 'all'] as const

/** Calls back right before each statement that writes; in the process that calls this, from now on. */
export function beforeEachWrite(name: ContestantName, callback: () => void): void {
  const driver = DRIVERS[name]?.()
  if (!driver) return
  const { prepare, exec } = driver.prototype
  driver.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    if (!isWrite(sql)) return statement
    for (const method of METHODS) {
      const original = statement[method].bind(statement)
      statement[method] = (...values) => {
        callback()
        return original(...values)
      }
    }
    return statement
  }
  driver.prototype.exec = function (sql) {
    if (isWrite(sql)) callback()
    return exec.call(this, sql)
  }
}

function isWrite(sql: string): boolean {
  return !/^\s*(?:SELECT|PRAGMA|EXPLAIN|BEGIN)\b/i.test(sql)
}
