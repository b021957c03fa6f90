import { Command } from 'commander'
import { jsonOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface RestoreFlags {
  readonly db?: string
  readonly store?: string
  readonly erasedList?: string
  readonly withoutErasedList?: true
  readonly keepSchema?: true
  readonly dryRun?: true
  readonly json?: true
}

export function restoreCommand(terminal: Terminal): Command {
  return new Command('restore')
    .description('Put a backup in the place of a database, and erase again what was erased since the backup.')
    .argument('[backup]', 'a backup of a SQLite database; left out with --store')
    .option('--db <file>', 'the SQLite database (default: PALIMPSEST_DB, or "palimpsest.db")')
    .addOption(storeOption())
    .option(
      '--erased-list <file>',
      'the list of what was erased (default: PALIMPSEST_ERASED_LIST, or beside the database)',
    )
    .option('--without-erased-list', 'nothing was erased since the backup, or it is erased again by hand')
    .option('--keep-schema', 'without a migration, to go back to the version that wrote the backup')
    .option('--dry-run', 'only say what would be done')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Stop servers and bots first: it is refused while another process has the database open. The backup is checked,
copied beside the database, brought to this program's schema and cleared of what was erased since; then it
takes the place of the database, whose files are kept under another name. They still hold what was erased:
delete them when all is well. A restore that ends at any point has changed nothing, or is done.

--keep-schema leaves the backup as the version that wrote it can open it. What was erased since the backup cannot
be erased again then: where there is any, it is refused, unless you say --without-erased-list.

On PostgreSQL restore by its own means first, and run this after every restore, before bots and servers start:
it tells consumers of events to begin anew, which the program cannot always notice by itself.

Examples:
  palimpsest restore backups/palimpsest-2026-11-18.db --db palimpsest.db --dry-run
  palimpsest restore backups/palimpsest-2026-11-18.db --db /srv/new/palimpsest.db --erased-list /safe/palimpsest.db.erased
  palimpsest restore before-upgrade.db --db palimpsest.db --keep-schema
  palimpsest restore --store postgres://user@host/database --erased-list /safe/erased`,
    )
    .action(async (backup: string | undefined, flags: RestoreFlags) => {
      const { runRestore } = await import('./run-restore.ts')
      await runRestore(backup, flags, terminal)
    })
}
