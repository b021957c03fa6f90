import { Command } from 'commander'
import { jsonOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface BackupFlags {
  readonly db?: string
  readonly store?: string
  readonly overwrite?: true
  readonly json?: true
}

export function backupCommand(terminal: Terminal): Command {
  return new Command('backup')
    .description('Back up a SQLite database, also while programs write to it; the copy is checked.')
    .argument('<file>', 'the backup to be made')
    .option('--db <file>', 'the SQLite database (default: PALIMPSEST_DB, or "palimpsest.db")')
    .addOption(storeOption())
    .option('--overwrite', 'take the place of a file that is there')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The copy is of one moment, and no program waits for it. It appears under its name once it is whole, was read
through, and is on the disk. The database is copied as it is: one of an older version is not migrated.
For backups at intervals: palimpsest serve --backup FOLDER, and the same for bot. To put one back:
palimpsest restore. On PostgreSQL it says what to run instead.

Examples:
  palimpsest backup /backups/palimpsest-monday.db
  palimpsest backup --db bot.db --overwrite /backups/bot.db --json`,
    )
    .action(async (file: string, flags: BackupFlags) => {
      const { runBackup } = await import('./run-backup.ts')
      await runBackup(file, flags, terminal)
    })
}
