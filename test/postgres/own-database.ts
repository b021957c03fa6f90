import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The database of a worker, and how many of its spare schemas are taken. */
export interface OwnDatabase {
  readonly name: string
  readonly taken: number
}

/** In a file of the run: a worker may be several processes, one after the other. */
const file = () => join(tmpdir(), `database-of-worker-${process.env.VITEST_POOL_ID}.json`)

export function ownDatabase(): OwnDatabase {
  return JSON.parse(readFileSync(file(), 'utf8'))
}

export function ownDatabaseOrNull(): OwnDatabase | null {
  try {
    return ownDatabase()
  } catch {
    return null
  }
}

export function setOwnDatabase(own: OwnDatabase): void {
  writeFileSync(file(), JSON.stringify(own))
}
