import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { postgresUrl } from './url.ts'

const MAX_WAIT_MS = 10_000

/**
 * Drops a database of a test. Connections that were told to end end a moment later: each gets that moment, since the server
 * would tell it of the drop, and an error that no one listens to ends the test run.
 */
export async function dropDatabase(name: string, server = postgresUrl()): Promise<void> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    const until = Date.now() + MAX_WAIT_MS
    while ((await isInUse(client, name)) && Date.now() < until) await wait(20)
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  } finally {
    await client.end()
  }
}

async function isInUse(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [name])
  return rowCount === 1
}
