import { Command } from 'commander'
import { findSetting } from 'palimpsest/internals/config/index'
import { jsonOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface BotFlags {
  readonly config?: string
  readonly check?: true
  readonly backup?: string
  readonly backupEvery?: string
  readonly backupKeep?: string
  readonly json?: true
}

export function botCommand(terminal: Terminal): Command {
  return new Command('bot')
    .description('Run a bot with this memory on chat platforms, as a file says.')
    .option('--config <file>', 'what it is and where it speaks: .json, or a module (.js, .mjs, .ts, .mts)')
    .option('--check', 'only check the file and say what would run; nothing is connected to')
    .option('--backup <folder>', helpOf('backup'))
    .option('--backup-every <duration>', helpOf('backupEvery'))
    .option('--backup-keep <number>', helpOf('backupKeep'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The least that a file says, without a model:
  {
    "db": "bot.db",
    "channels": [{ "type": "telegram", "token": "\${TELEGRAM_TOKEN}" }]
  }
With one, "settings": { "model": "anthropic:claude-haiku-4-5", "modelApiKey": "\${ANTHROPIC_API_KEY}" }.
Each \${NAME} is taken from the environment. docs/bots.md has all fields.

Examples:
  palimpsest bot --config bot.json --check
  TELEGRAM_TOKEN=… palimpsest bot --config bot.json`,
    )
    .action(async (flags: BotFlags) => {
      const { runBot } = await import('./run-bot.ts')
      await runBot(flags, terminal)
    })
}

function helpOf(name: string): string {
  const { help, default: usual } = findSetting(name)!
  return usual === null ? help : `${help} (default: ${usual})`
}
