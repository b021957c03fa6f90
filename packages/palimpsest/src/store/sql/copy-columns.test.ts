import { expect, test } from 'vitest'
import { sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'
import * as copied from './copy-columns.ts'

/** By table: what is copied as it is, and what goes another way. */
const TABLES: Readonly<Record<string, { as: readonly string[]; otherwise: readonly string[] }>> = {
  messages: { as: copied.MESSAGE_COPIED, otherwise: ['session_id', 'sender_id'] },
  message_versions: { as: copied.VERSION_COPIED, otherwise: ['session_id'] },
  segments: { as: copied.SEGMENT_COPIED, otherwise: ['session_id'] },
  memos: { as: copied.MEMO_COPIED, otherwise: ['session_id'] },
  hidden_ranges: { as: copied.HIDDEN_COPIED, otherwise: ['session_id'] },
  beginnings: { as: copied.BEGINNING_COPIED, otherwise: ['session_id'] },
  pins: { as: copied.PIN_COPIED, otherwise: ['session_id'] },
  waiting: { as: copied.WAITING_COPIED, otherwise: ['id', 'namespace', 'session_id'] },
  aliases: { as: copied.ALIAS_COPIED, otherwise: ['namespace', 'session_id'] },
  allowances: { as: copied.ALLOWANCE_COPIED, otherwise: ['session_id'] },
  operations: { as: copied.OPERATION_COPIED, otherwise: ['session_id'] },
  sessions: {
    as: [...copied.SESSION_COPIED, ...copied.SCHEDULE_COPIED],
    // The index is made anew, and nobody holds a lease on a copy, or has seen anything of it before.
    otherwise: [
      ...['id', 'namespace', 'name_key', 'name', 'ready', 'epoch'],
      ...['indexed_through', 'lease_owner', 'lease_until', 'erased_epoch'],
    ],
  },
  // By what they say of themselves, since they have other numbers in each database.
  senders: { as: [], otherwise: ['id', 'namespace', 'sender_key', 'sender'] },
  documents: {
    as: copied.DOCUMENT_COPIED,
    // Versions are counted anew; where a workspace's files are is a matter of the machine.
    otherwise: [
      ...['id', 'namespace', 'name_key', 'session_id', 'version', 'first_version'],
      ...['mirrored_version', 'mirrored_hash', 'packed_through'],
    ],
  },
  document_versions: {
    as: copied.DOCUMENT_VERSION_COPIED,
    otherwise: ['document_id', 'version', 'undoes', 'whole'],
  },
  facts: {
    as: copied.FACT_COPIED,
    otherwise: ['document_id', 'session_id', 'version', 'superseded_by', 'line_key'],
  },
}

/** Copied by calls of their own (`addKey`, `writeSettings`); or of this database alone, and not copied. */
const OTHER_TABLES = [
  ...[
    'api_keys',
    'settings',
    'revision',
    'identity',
    'requests',
    'spending',
    'leases',
    'mirrors',
    'sqlite_sequence',
  ],
  ...[
    'events',
    'event_trim',
    'event_consumers',
    'fold_history',
    'erasures',
    'erased_documents',
    'postings',
    'index_blocks',
    'index_changes',
  ],
  // Their texts are copied with the rows whose they are.
  ...['long_texts', 'text_parts', 'packs', 'layout'],
]

test('no table and no column is left out of a copy by mistake', async () => {
  const place = sqlitePlace()
  await (await place.open()).close()
  const database = sqliteBeside(place.address, { readOnly: true })
  const rows = database
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table'`,
    )
    .all() as { table: string; column: string }[]
  database.close()
  await place.remove()
  const columns = Map.groupBy(rows, ({ table }) => table)
  expect([...columns.keys()].toSorted()).toEqual([...Object.keys(TABLES), ...OTHER_TABLES].toSorted())
  for (const [table, { as, otherwise }] of Object.entries(TABLES))
    expect(
      columns
        .get(table)!
        .map(({ column }) => column)
        .toSorted(),
      table,
    ).toEqual([...as, ...otherwise].toSorted())
})
