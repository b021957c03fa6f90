import { inject } from 'vitest'
import { ownDatabase } from './own-database.ts'

/**
 * Each worker of the run has a database of its own on the one server: a vacuum leaves what an older transaction of the
 * same database may still see, and tests of other files have long ones. `database`: another one on the same server.
 */
export function postgresUrl(database = ownDatabase().name): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = database
  return url.href
}
