import { Command, Option } from 'commander'
import { dbOption, jsonOption, namespaceOption, storeOption, wholeNumberOption } from './options.ts'
import { readSeqs } from './read-seqs.ts'
import type { Terminal } from './terminal.ts'

export interface ForgetFlags {
  readonly db: string
  readonly store?: string
  readonly namespace: string
  readonly workspace?: string
  readonly erasedList?: string
  readonly session?: string
  readonly seq?: readonly number[]
  readonly user?: string
  readonly all?: true
  readonly receipt?: number
  readonly yes?: true
  readonly dryRun?: true
  readonly json?: true
}

export function forgetCommand(terminal: Terminal): Command {
  return new Command('forget')
    .description('Erase messages, a session, a person or everything for good, with all that was made of it.')
    .optionsGroup('What is erased, one of these:')
    .option('--session <id>', 'a session with all that is its own; with --seq, messages of it')
    .addOption(
      new Option('--seq <numbers>', 'with --session: messages by their numbers, as in 3,7-9').argParser(
        readSeqs,
      ),
    )
    .option('--user <id>', 'all that a person said, their private chats and their memory')
    .option('--all', 'everything in the namespace')
    .optionsGroup('Where:')
    .addOption(dbOption())
    .addOption(storeOption())
    .addOption(namespaceOption())
    .option('--workspace <folder>', "the memory's files (default: the folder that the database remembers)")
    .option(
      '--erased-list <file>',
      'the list of what was erased, for restores (default: beside the SQLite database; PostgreSQL: none)',
    )
    .optionsGroup('How:')
    .option('--dry-run', 'only say what would be erased')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .addOption(
      wholeNumberOption('--receipt <id>', 'erase nothing: show how far an earlier erasure is').conflicts([
        'session',
        'seq',
        'user',
        'all',
        'dryRun',
      ]),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
It ends when nothing is left, in the database's file neither. Ctrl-C leaves the rest to the next start.

Examples:
  palimpsest forget --session telegram:42 --seq 17 --dry-run
  palimpsest forget --session telegram:42
  palimpsest forget --user u-7 --yes --json
  palimpsest forget --receipt 3`,
    )
    .action(async (flags: ForgetFlags) => {
      const { runForget } = await import('./run-forget.ts')
      await runForget(flags, terminal)
    })
}
