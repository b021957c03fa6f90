import { Command } from 'commander'
import { jsonOption, namespaceOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface DoctorFlags {
  readonly store?: string
  readonly db?: string
  readonly replay?: true
  readonly forgetConsumer?: string
  readonly namespace: string
  readonly deep?: true
  readonly json?: true
}

export function doctorCommand(terminal: Terminal): Command {
  return new Command('doctor')
    .description(
      'Look whether all is well: the file and its log, the schema, the disk, clocks, folds and erasures that wait, the index, settings, the queue.',
    )
    .option('--store <url>', 'the PostgreSQL database: postgres://user@host/database')
    .option('--db <file>', 'the SQLite database (default: PALIMPSEST_DB, or palimpsest.db)')
    .option(
      '--deep',
      'also read every session: gaps, totals, segments, the search index, rows without an owner',
    )
    .option('--replay', 'put the folds that were given up back into the queue')
    .option(
      '--forget-consumer <name>',
      'keep no events any more for a reader that does not come again, first of all',
    )
    .addOption(namespaceOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Without --replay and --forget-consumer it changes nothing: it migrates no database, and makes no queue.
Exit code 0: all is well. 1: something is not, and it is said what.

Examples:
  palimpsest doctor --db bot.db --deep
  palimpsest doctor --store postgres://bot@db.internal/bot
  palimpsest doctor --store postgres://bot@db.internal/bot --replay
  palimpsest doctor --db bot.db --forget-consumer crm`,
    )
    .action(async (flags: DoctorFlags) => {
      const { runDoctor } = await import('./run-doctor.ts')
      await runDoctor(flags, terminal)
    })
}
