import { Command } from 'commander'
import { jsonOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface MigrateFlags {
  readonly db?: string
  readonly store?: string
  readonly check?: true
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
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Forward only, one process at a time, all or nothing. Programs of the version before that are running go on;
those that start afterwards refuse the database and say so. Commands that only read migrate nothing.

Examples:
  palimpsest migrate --store postgres://user@host/database
  palimpsest migrate --db palimpsest.db --check --json`,
    )
    .action(async (flags: MigrateFlags) => {
      const { runMigrate } = await import('./run-migrate.ts')
      await runMigrate(flags, terminal)
    })
}
