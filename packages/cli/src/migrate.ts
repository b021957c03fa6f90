import { Command } from 'commander'
import { jsonOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface MigrateFlags {
  readonly db?: string
  readonly store?: string
  readonly check?: true
  readonly compact?: true
  readonly json?: true
}

export function migrateCommand(terminal: Terminal): Command {
  return new Command('migrate')
    .description(
      'Bring the schema of a database up to date. serve, bot, chat, worker, mcp and commands that write do so, too.',
    )
    .option('--db <file>', 'the SQLite database (default: PALIMPSEST_DB, or "palimpsest.db")')
    .addOption(storeOption())
    .option('--check', 'only say whether there is something to do; exit code 3 if so')
    .option('--compact', 'also make what an earlier version stored take less room')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Forward only, one process at a time, all or nothing. Programs of the version before that are running go on;
those that start afterwards refuse the database and say so. Commands that only read migrate nothing.
On PostgreSQL it also makes the queue of folds, unless PALIMPSEST_QUEUE=off: run it as the role that owns the tables.

--compact is for databases that an earlier version made; new ones are compact. Stop all programs of an earlier version
first: they could not read it any more. Those of this version go on. It goes through the database in short steps. After
Ctrl-C (130) it goes on where it was when it is run again. On SQLite the file is written anew at the end.

Examples:
  palimpsest migrate --store postgres://user@host/database
  palimpsest migrate --db palimpsest.db --check --json
  palimpsest migrate --db palimpsest.db --compact`,
    )
    .action(async (flags: MigrateFlags) => {
      const { runMigrate } = await import('./run-migrate.ts')
      await runMigrate(flags, terminal)
    })
}
