import { expect, test } from 'vitest'
import { sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'

test('the schema is the one that was reviewed', async () => {
  const place = sqlitePlace()
  await (await place.open()).close()
  const database = sqliteBeside(place.address, { readOnly: true })
  const rows = database
    .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name')
    .all()
  database.close()
  await place.remove()
  await expect(rows.map(({ sql }) => `${sql};\n`).join('\n')).toMatchFileSnapshot('./schema.sql')
})
