import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { inPostgres } from '../../../test/cli/databases.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { postgres } from './index.ts'
import { readSchemaVersions } from './schema-versions.ts'

test.for(['SQL_ASCII', 'LATIN1', 'EUC_JP'])(
  'a database in %s is refused, and left as it is',
  async encoding => {
    const name = `encoding_${encoding.toLowerCase()}_${process.pid}`
    await inPostgres(
      inject('postgresUrl'),
      `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
    )
    const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href
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
      await inPostgres(inject('postgresUrl'), `DROP DATABASE ${name} WITH (FORCE)`)
    }
  },
)
