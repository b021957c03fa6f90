import { Command } from 'commander'
import { describeSettings, findSetting } from 'palimpsest/internals/config/index'
import { jsonOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface WorkerFlags {
  readonly store?: string
  readonly db?: string
  readonly foldWorkers?: string
  readonly erasedList?: string
  readonly json?: true
}

export function workerCommand(terminal: Terminal): Command {
  return new Command('worker')
    .description(
      'Fold what servers and bots on the same database append. Any number may run, on any machine.',
    )
    .option('--store <url>', 'the PostgreSQL database: postgres://user@host/database')
    .option('--db <file>', 'a SQLite database instead, on this machine')
    .option('--fold-workers <count>', `${findSetting('foldWorkers')!.help} (default: 4)`)
    .option('--erased-list <file>', findSetting('erasedList')!.help)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Servers beside workers can be told to leave folding to them: PALIMPSEST_FOLD_WORKERS=0 palimpsest serve …
Ctrl-C or SIGTERM finishes what is under way, for at most 10 s; whatever is left, another worker takes up.
The queue needs the package pg-boss.

Settings from the environment, as for palimpsest serve; stored ones come over them:
${describeSettings()}

Examples:
  palimpsest worker --store postgres://bot@db.internal/bot
  PALIMPSEST_FOLD_WORKERS=16 palimpsest worker --store postgres://bot@db.internal/bot`,
    )
    .action(async (flags: WorkerFlags) => {
      const { runWorker } = await import('./run-worker.ts')
      await runWorker(flags, terminal)
    })
}
