import type { ClientBase } from 'pg'

/**
 * A role's time-outs are for its everyday work. Work that is done once (a migration, a new generation, a
 * vacuum of all tables) may take longer. A time-out that the role does not have is left alone: a pooler may
 * hand the connection on, and an older server does not know all of them.
 */
const NAMES =
  "('statement_timeout', 'transaction_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')"

/** They are off until the transaction ends. */
export async function dropTimeouts(client: ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN ${NAMES} AND setting <> '0'`,
  )
}

/** For work that is not one single transaction. */
export async function withoutTimeouts<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting, set_config(name, '0', false) FROM pg_settings WHERE name IN ${NAMES} AND setting <> '0'`,
  )
  try {
    return await work()
  } finally {
    // Restores the earlier value, which need not be the role's: the owner of a pool may have set another on
    // the connection.
    for (const { name, setting } of rows)
      await client.query('SELECT set_config($1, $2, false)', [name, setting])
  }
}
