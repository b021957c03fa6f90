import type { ClientBase } from 'pg'
import { StoreError } from '../../errors.ts'

/**
 * SQL_ASCII takes any bytes and gives them back unchanged. Every other encoding refuses some characters of
 * messages.
 */
const FIT = ['UTF8', 'SQL_ASCII']

export async function checkEncoding(client: ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ encoding: string; database: string }>(
    "SELECT current_setting('server_encoding') AS encoding, quote_ident(current_database()) AS database",
  )
  const { encoding, database } = rows[0]!
  if (FIT.includes(encoding)) return
  throw new StoreError(
    'store_encoding',
    name,
    `the encoding of the database ${database} is ${encoding}, which cannot hold all that people write; allowed: UTF8. ` +
      "Nothing was changed. Make another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0; and move what is " +
      'in this one, if there is anything: pg_dump --encoding=UTF8, then restore it there.',
  )
}
