import pg from 'pg'
import { expect, test } from 'vitest'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { postgresPlace } from '../../../../../test/stores.ts'

const COLUMNS = `
  SELECT table_name, '  ' || column_name || ' ' || data_type ||
    coalesce(' COLLATE "' || collation_name || '"', '') ||
    CASE WHEN is_nullable = 'NO' THEN ' NOT NULL' ELSE '' END ||
    coalesce(' DEFAULT ' || column_default, '') ||
    CASE WHEN is_identity = 'YES' THEN ' GENERATED ' || identity_generation || ' AS IDENTITY' ELSE '' END AS line
  FROM information_schema.columns WHERE table_schema = $1 ORDER BY table_name, ordinal_position`

test('the schema is the one that was reviewed', async () => {
  const place = postgresPlace()
  const schema = place.address.split(':')[1]!
  await (await place.open()).close()
  const client = new pg.Client(postgresUrl())
  await client.connect()
  const { rows: columns } = await client.query<{ table_name: string; line: string }>(COLUMNS, [schema])
  const { rows: indexes } = await client.query<{ indexdef: string }>(
    'SELECT indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname',
    [schema],
  )
  await client.end()
  await place.remove()
  const tables = [...Map.groupBy(columns, column => column.table_name)].map(
    ([table, lines]) => `CREATE TABLE ${table} (\n${lines.map(({ line }) => line).join(',\n')}\n);\n`,
  )
  const text = [
    ...tables,
    ...indexes.map(({ indexdef }) => `${indexdef.replaceAll(`${schema}.`, '')};\n`),
  ].join('\n')
  await expect(text).toMatchFileSnapshot('./schema.sql')
})
