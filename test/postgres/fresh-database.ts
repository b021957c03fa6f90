import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { ownDatabaseOrNull, setOwnDatabase } from './own-database.ts'
import { dropUnused, hasEnough, query, TEMPLATE } from './spare-schemas.ts'

/** Before a test file: its worker has a database with spare schemas. What the files before it left goes with theirs. */
const before = ownDatabaseOrNull()
if (before === null || !hasEnough()) {
  const name = `worker_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const server = inject('postgresUrl')
  await query(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`)
  setOwnDatabase({ name, taken: 0 })
  if (before) await dropUnused(server, before.name)
}
