import { Command } from 'commander'
import { jsonOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface CopyFlags {
  readonly from: string
  readonly to: string
  readonly namespace?: readonly string[]
  readonly verify?: true
  readonly json?: true
}

export function copyCommand(terminal: Terminal): Command {
  return new Command('copy')
    .description(
      'Copy a database into another: sessions, memory, settings and keys, compared by hash afterwards.',
    )
    .requiredOption('--from <database>', 'sqlite:FILE or postgres://user@host/database')
    .requiredOption('--to <database>', 'likewise; a file that is not there is made')
    .option(
      '--namespace <name>',
      'only this one; may be repeated (default: all of them)',
      (name: string, names: readonly string[] = []) => [...names, name],
    )
    .option('--verify', 'only compare, and change nothing')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
It goes on where it was when it is run again, after Ctrl-C or a crash, and brings a copy up to date with what was
said since. What is there with other content is named and left alone; then, and where something is missing or
differs, the exit code is 1. Nothing is changed in --from: an older database has to be migrated first.

Examples:
  palimpsest copy --from sqlite:palimpsest.db --to postgres://user@host/database
  palimpsest copy --from postgres://user@host/database --to sqlite:backup.db --namespace customer-7
  palimpsest copy --from sqlite:palimpsest.db --to postgres://user@host/database --verify --json`,
    )
    .action(async (flags: CopyFlags) => {
      const { runCopy } = await import('./run-copy.ts')
      await runCopy(flags, terminal)
    })
}
