import { Command } from 'commander'
import type { SessionKind } from 'palimpsest/internals/log/index'
import {
  conversationOption,
  dbOption,
  jsonOption,
  kindOption,
  namespaceOption,
  selfOption,
  storeOption,
} from './options.ts'
import type { Terminal } from './terminal.ts'

export interface ImportFlags {
  readonly session?: string
  readonly db: string
  readonly store?: string
  readonly namespace: string
  readonly kind?: SessionKind
  readonly user?: string
  readonly scope?: string
  readonly self?: string
  readonly conversation?: string
  /** `--no-redact` */
  readonly redact: boolean
  readonly dryRun?: true
  readonly json?: true
}

export function importCommand(terminal: Terminal): Command {
  return new Command('import')
    .description(
      'Append a transcript to a session (a repeat adds nothing), bring over sessions of an older system with all ' +
        'that they hold, or restore an exported session.',
    )
    .argument(
      '<file>',
      'one message a line: {"role","text","sender","at","externalId"}; or an export of ChatGPT or Telegram, ' +
        'or messages of OpenAI or the AI SDK; or sessions of an older system; - for standard input',
    )
    .option('--session <id>', 'the session that it goes to; exported and older ones have ids of their own')
    .addOption(conversationOption())
    .addOption(selfOption())
    .addOption(dbOption())
    .addOption(storeOption())
    .addOption(namespaceOption())
    .addOption(kindOption())
    .option('--user <id>', 'whose private chat it is')
    .option('--scope <id>', 'the workspace or project that it belongs to')
    .option('--no-redact', 'store keys, tokens, passwords and card numbers as they are')
    .option('--dry-run', 'say what would happen and what cannot be taken; write nothing')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Of a file with several conversations, each goes to a session of its own: ID:<its id>.
Sessions of an older system keep their own ids where no --session is given.

Examples:
  palimpsest import chat.jsonl --session telegram:42 --db palimpsest.db
  palimpsest import conversations.json --session chatgpt
  palimpsest import conversations.json --session oslo --conversation "Trip to Oslo"
  palimpsest import sessions/current.json --dry-run`,
    )
    .action(async (file: string, flags: ImportFlags) => {
      const { runImport } = await import('./run-import.ts')
      await runImport(file, flags, terminal)
    })
}
