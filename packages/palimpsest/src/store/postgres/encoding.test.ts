import pg from 'pg'
import { expect, test } from 'vitest'
import { inPostgres } from '../../../../../test/cli/databases.ts'
import { dropDatabase } from '../../../../../test/postgres/drop-database.ts'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { createPalimpsest } from '../../palimpsest.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { postgres } from './index.ts'
import { readSchemaVersions } from './schema-versions.ts'

test.for(['LATIN1', 'EUC_JP'])('a database in %s is refused, and left as it is', async encoding => {
  const name = `encoding_${encoding.toLowerCase()}_${process.pid}`
  await inPostgres(
    postgresUrl(),
    `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
  )
  const url = postgresUrl(name)
  try {
    for (const attempt of [() => postgres(url).open(), () => readSchemaVersions(url)]) {
      const error = await refuses(attempt(), 'store_encoding')
      expect(error.message).toContain(encoding)
      expect(error.message).toContain("ENCODING 'UTF8'")
    }
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query("SELECT to_regnamespace('palimpsest') AS schema")
    await client.end()
    expect(rows).toEqual([{ schema: null }])
  } finally {
    await dropDatabase(name)
  }
})

test('a database in SQL_ASCII holds what people write, as databases of earlier versions do', async () => {
  const name = `encoding_sql_ascii_${process.pid}`
  await inPostgres(
    postgresUrl(),
    `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
  )
  const store = postgres(postgresUrl(name))
  const palimpsest = await createPalimpsest({ store })
  try {
    const texts = ['灯塔在港口 🗼', 'Ærøskøbing, naïve', 'the harbour']
    const chat = palimpsest.session('Ørsted 聊天')
    for (const text of texts) await chat.append({ role: 'user', text })
    expect((await chat.messages()).map(({ content }) => content)).toEqual(texts)
    expect((await chat.search('灯塔')).results).toHaveLength(1)
  } finally {
    await palimpsest.close()
    await dropDatabase(name)
  }
})
