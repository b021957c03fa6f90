import { Command, Option } from 'commander'
import { jsonOption, namespaceOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface ChatFlags {
  readonly db?: string
  readonly store?: string
  readonly namespace: string
  readonly session: string
  readonly user?: string
  readonly json?: true
}

export function chatCommand(terminal: Terminal): Command {
  return new Command('chat')
    .description('Talk to this memory in the terminal, with the model that is configured, or with none.')
    .option('--db <file>', 'the SQLite database (default: PALIMPSEST_DB, or palimpsest.db)')
    .addOption(storeOption())
    .addOption(
      new Option('--session <id>', 'the chat, as channel:chat; it is made if it is not there').default(
        'terminal:local',
      ),
    )
    .option('--user <id>', 'who you are: whose memory it is (default: that of the chat)')
    .addOption(namespaceOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Model and policy are those stored in the database or of the environment, which may also name the database
(PALIMPSEST_DB, PALIMPSEST_STORE); see palimpsest serve --help. Without PALIMPSEST_MODEL nothing is needed: questions are looked up in what was said. In the chat, /help lists the commands.
Where standard input is no terminal, each line of it is a message or a command; replies and results are
printed, and the exit code is that of what went wrong last.

Examples:
  palimpsest chat
  palimpsest chat --db palimpsest.db --session terminal:work --user ann
  echo "What is my dog's name?" | palimpsest chat --json
  PALIMPSEST_MODEL=openai-compatible:qwen3 PALIMPSEST_MODEL_BASE_URL=http://127.0.0.1:11434/v1 palimpsest chat`,
    )
    .action(async (flags: ChatFlags) => {
      const { runChat } = await import('./chat/run-chat.ts')
      await runChat(flags, terminal)
    })
}
