import { Command } from 'commander'
import { backupCommand } from './backup.ts'
import { botCommand } from './bot.ts'
import { chatCommand } from './chat.ts'
import { compactCommand } from './compact.ts'
import { copyCommand } from './copy.ts'
import { doctorCommand } from './doctor.ts'
import { exportCommand } from './export.ts'
import { forgetCommand } from './forget.ts'
import { importCommand } from './import.ts'
import { inertLines } from './inert-text.ts'
import { keysCommand } from './keys.ts'
import { mcpCommand } from './mcp.ts'
import { memoryCommand } from './memory.ts'
import { migrateCommand } from './migrate.ts'
import { replayCommand } from './replay.ts'
import { reportError } from './report-error.ts'
import { restoreCommand } from './restore.ts'
import { searchCommand } from './search.ts'
import { serveCommand } from './serve.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'
import { workerCommand } from './worker.ts'

/**
 * Runs the command line and answers with its exit code. It never exits by itself, so that output is never cut
 * off.
 */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    return reportError(error, terminal, { json: args.includes('--json') })
  }
}

function createProgram(terminal: Terminal): Command {
  const program = new Command('palimpsest')
    .description('Memory that lasts for chat bots and agents.')
    .version(version(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show what a command does')
    // Some commands have a `--version` of their own.
    .enablePositionalOptions()
    .showHelpAfterError('(add --help to see what is allowed)')
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.output.write(text),
      writeErr: text => terminal.error.write(text),
      outputError: (text, write) => write(inertLines(text.replace(/^error: /, 'palimpsest: '))),
    })
  const commands = [
    ...[replayCommand, importCommand, exportCommand],
    ...[searchCommand, compactCommand, memoryCommand, forgetCommand],
    ...[serveCommand, workerCommand, keysCommand, mcpCommand, chatCommand, botCommand],
    ...[migrateCommand, copyCommand, backupCommand, restoreCommand, doctorCommand],
  ]
  for (const create of commands) program.addCommand(inherit(create(terminal), program))
  return program
}

/** Handles errors and exits in all commands below as in the parent. */
function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const below of command.commands) inherit(below, command)
  return command
}
