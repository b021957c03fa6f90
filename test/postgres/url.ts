import { inject } from 'vitest'

/**
 * Each worker of the run has a database of its own on the one server: a vacuum leaves what an older transaction of the
 * same database may still see, and tests of other files have long ones.
 */
export function postgresUrl(): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = databaseOf(Number(process.env.VITEST_POOL_ID))
  return url.href
}

export function databaseOf(worker: number): string {
  return `worker_${worker}`
}
