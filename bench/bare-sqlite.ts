import { DatabaseSync } from 'node:sqlite'
import { INSERT_MESSAGE } from '../packages/palimpsest/src/store/sql/append.ts'
import { messageAt } from './corpus.ts'
import { perSecond } from './measure.ts'

export type Durability = 'full' | 'normal'

/** What the same table costs with nothing around it: one prepared insert, committed by itself. */
export function openBare(
  file: string,
  { durability, messages }: { durability: Durability; messages: number },
) {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000')
  database.exec(`PRAGMA synchronous = ${durability}`)
  if (durability === 'full') database.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
  const statement = database.prepare(INSERT_MESSAGE)
  let inserted = messages
  return {
    measure: (inserts: number) => {
      const rows = Array.from({ length: inserts }, (_, index) => rowAt(inserted + index))
      inserted += inserts
      return perSecond(inserts, () => {
        for (const row of rows) statement.run(...row)
      })
    },
    close: () => database.close(),
  }
}

/** The row that our own append makes of the same message; the session has the key 1. */
export function rowAt(index: number): (string | number | null)[] {
  const { role, text, externalId } = messageAt(index)
  const number = index + 1
  const identity = [1, number, role === 'user' ? 1 : 2, 1 + (index % 2)]
  const body = [text, 0, Date.now(), 0, externalId, null, 200, 45]
  const totals = [7, 1 + (index % 2), number, 1 + (index >> 1), number >> 1, number * 200, number * 45]
  return [...identity, ...body, ...totals]
}
