import { nearestName } from 'palimpsest/internals/nearest-name'
import type { ChatCommand } from './command.ts'
import { compactCommand } from './compact.ts'
import { contextCommand } from './context.ts'
import { memoryCommand } from './memory.ts'
import { newCommand } from './new.ts'
import { searchCommand } from './search.ts'
import { undoCommand } from './undo.ts'

export type { ChatCommand, CommandContext, CommandResult } from './command.ts'

const COMMANDS: readonly ChatCommand[] = [
  contextCommand,
  compactCommand,
  memoryCommand,
  searchCommand,
  newCommand,
  undoCommand,
]

export function findCommand(name: string): ChatCommand | null {
  return COMMANDS.find(command => command.name === name) ?? null
}

/** Includes `help` and `exit`, which the chat itself carries out. */
export const COMMAND_NAMES: readonly string[] = ['help', ...COMMANDS.map(({ name }) => name), 'exit']

export function helpText(): string {
  const rows = [
    ...COMMANDS.map(({ name, takes, help }) => [`/${name}${takes ? ` ${takes}` : ''}`, help] as const),
    ['/exit', 'leave (Ctrl-D does, too); the chat is kept'] as const,
    ['//…', 'a message that begins with /'] as const,
    ['Ctrl-C', 'stop the reply'] as const,
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`).join('\n')
}

export function unknownText(name: string): string {
  const nearest = nearestName(name, COMMAND_NAMES)
  const meant = nearest === null ? '' : ` Did you mean /${nearest}?`
  const all = COMMAND_NAMES.map(each => `/${each}`).join(', ')
  return `There is no command /${name}.${meant}\nThere are ${all}.\nA message that begins with / is typed with //.`
}
