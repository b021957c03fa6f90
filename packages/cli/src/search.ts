import { Command, Option } from 'commander'
import { ROLES, type Role } from 'palimpsest/internals/log/index'
import { dbOption, jsonOption, namespaceOption, storeOption, wholeNumberOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface SearchFlags {
  readonly db: string
  readonly store?: string
  readonly namespace: string
  readonly session?: readonly string[]
  readonly user?: string
  readonly scope?: string
  readonly sender?: string
  readonly role?: Role
  readonly after?: string
  readonly before?: string
  readonly limit: number
  readonly cursor?: string
  readonly neighbours: number
  readonly json?: true
}

export function searchCommand(terminal: Terminal): Command {
  return new Command('search')
    .description('Find messages by what they say, folded or not, in one session or in all.')
    .argument('<query...>', 'words to find, in any order; in quotes of its own, as they stand')
    .optionsGroup('Where:')
    .addOption(sessionOption())
    .option('--user <id>', 'only sessions of this user')
    .option('--scope <id>', 'only sessions of this workspace or project')
    .addOption(dbOption())
    .addOption(storeOption())
    .addOption(namespaceOption())
    .optionsGroup('Which messages:')
    .option('--sender <id or name>', 'only what they said')
    .addOption(new Option('--role <role>', 'only messages of this role').choices(ROLES))
    .option('--after <time>', 'from then on: 2026-02-10, or 2026-02-10T14:00')
    .option('--before <time>', 'up to then, and not then itself: a day ends where it begins')
    .optionsGroup('How it is shown:')
    .addOption(wholeNumberOption('--limit <number>', 'so many results, at most 100').default(10))
    .option('--cursor <next>', 'go on where the page before ended')
    .addOption(
      wholeNumberOption('--neighbours <number>', 'messages before and after each result, at most 5', {
        least: 0,
      }).default(1),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
It changes nothing, and needs no right to write. An older database: palimpsest migrate first.
Exit code 1: nothing was found; with --json the empty answer says so, with exit code 0.

Examples:
  palimpsest search "when do we ship" --session telegram:42
  palimpsest search '"in quotes" as it stands' --sender Ann --after 2026-02-10
  palimpsest search 发布 --db palimpsest.db --limit 5 --json`,
    )
    .action(async (words: readonly string[], flags: SearchFlags) => {
      const { runSearch } = await import('./run-search.ts')
      await runSearch(words.join(' '), flags, terminal)
    })
}

const sessionOption = () =>
  new Option('--session <id>', 'only this one; may be repeated (default: all)').argParser(
    (id: string, earlier: readonly string[] = []) => [...earlier, id],
  )
