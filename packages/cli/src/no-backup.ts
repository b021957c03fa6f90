import { PalimpsestError } from 'palimpsest/internals/errors'
import { jobsSchema } from 'palimpsest/internals/store/postgres/boss'
import { DEFAULT_SCHEMA } from 'palimpsest/internals/store/postgres/schema-name'
import { placeFlags } from './place-flags.ts'

/**
 * Points to PostgreSQL's own tool, which knows more than this program. `field` is the flag that asked for a
 * backup.
 */
export function noBackupError(field: string, url: string): PalimpsestError {
  const [, database] = placeFlags({ db: '', store: url }, 'default').split(' ')
  const command = `pg_dump --format=custom --schema=${DEFAULT_SCHEMA} --schema=${jobsSchema(DEFAULT_SCHEMA)} --file=palimpsest.dump ${database}`
  return new PalimpsestError(
    'invalid_argument',
    `${field}: this makes backups of SQLite files. PostgreSQL has its own tool for it, which takes our tables and the queue's:\n` +
      `  ${command}\ndocs/operations.md says how to put it back.`,
    { field, allowed: 'a SQLite database, named with --db', command },
  )
}
