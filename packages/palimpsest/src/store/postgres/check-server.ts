import type { ClientBase } from 'pg'
import type { CheckResult } from '../check-up.ts'
import { readMigrations } from '../migrations.ts'
import { missingObjects, schemaObjects } from '../schema-objects.ts'
import { MIGRATIONS } from './migrate.ts'

const MAX_CLOCK_DIFFERENCE_MS = 60_000

/** The server itself takes care of its pages and its disk: a client cannot look at them. */
export async function checkServer(
  client: ClientBase,
  schema: string,
  now: number,
): Promise<readonly CheckResult[]> {
  return [await checkSchema(client, schema), await checkClock(client, now)]
}

async function checkSchema(client: ClientBase, schema: string): Promise<CheckResult> {
  const { rows } = await client.query<{ name: string; valid: boolean }>(
    `SELECT c.relname AS name, coalesce(i.indisvalid, true) AS valid
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
     WHERE format('%I', n.nspname) = $1
     UNION ALL SELECT t.tgname, t.tgenabled <> 'D' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace WHERE format('%I', n.nspname) = $1 AND NOT t.tgisinternal`,
    [schema],
  )
  const migrations = readMigrations(MIGRATIONS)
  const missing = [
    ...missingObjects(
      migrations,
      rows.map(({ name }) => name),
    ),
    ...(await tablesWithoutKey(client, schema))
      .filter(name => schemaObjects(migrations).has(name))
      .map(name => `the primary key of ${name}`),
  ]
  const broken = rows.filter(({ valid }) => !valid).map(({ name }) => name)
  const problems = [
    ...(missing.length > 0
      ? [`missing: ${missing.join(', ')}. Another program took them away: restore them, or a backup.`]
      : []),
    ...(broken.length > 0 ? [`not valid: ${broken.join(', ')}. REINDEX INDEX makes an index anew.`] : []),
  ]
  return {
    what: 'schema',
    isWell: problems.length === 0,
    says:
      problems.length === 0
        ? 'all tables, keys, indexes and triggers are there (the pages and the disk of the server are not looked at)'
        : problems.join('\n  '),
    details: { missing, broken },
  }
}

/**
 * Each of our tables has a primary key. Its index has no statement of its own in a migration, so it is
 * checked here.
 */
async function tablesWithoutKey(client: ClientBase, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE format('%I', n.nspname) = $1 AND c.relkind = 'r'
       AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary) ORDER BY 1`,
    [schema],
  )
  return rows.map(({ name }) => name)
}

async function checkClock(client: ClientBase, now: number): Promise<CheckResult> {
  const { rows } = await client.query<{ ms: string }>(
    'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms',
  )
  const difference = Math.round(Number(rows[0]!.ms) - now)
  const isWell = Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS
  return {
    what: "the server's clock",
    isWell,
    says: isWell
      ? 'is that of this machine'
      : `differs from that of this machine by ${Math.round(difference / 1000)} seconds. Set both right, by NTP for one.`,
    details: { differenceMs: difference },
  }
}
