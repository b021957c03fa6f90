import { Argument, Command } from 'commander'
import { LAYERS } from 'palimpsest/internals/store/document'
import { dbOption, jsonOption, namespaceOption, storeOption, wholeNumberOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface MemoryFlags {
  readonly db: string
  readonly store?: string
  readonly namespace: string
  readonly json?: true
}

export interface ListFlags extends MemoryFlags {
  readonly layer?: string
}

export interface ShowFlags extends MemoryFlags {
  readonly section?: string
  readonly version?: number
}

export interface EditFlags extends MemoryFlags {
  readonly section?: string
}

export interface HistoryFlags extends MemoryFlags {
  readonly limit: number
}

export interface UndoFlags extends MemoryFlags {
  readonly version?: number
}

/** A document's name as the command line has it. */
export interface WrittenName {
  readonly layer: string
  readonly key: string | undefined
}

const KEY_HELP = `
LAYER and KEY name a document: persona and global have one each, and no key; user and scope have an id, chat
the id of its session, daily a day and a session, as in 2026-02-10/telegram:42.`

export function memoryCommand(terminal: Terminal): Command {
  const command = new Command('memory').description(
    'Read and change the memory documents: who the bot is, what it knows of people, projects and chats.',
  )
  for (const create of [listCommand, showCommand, editCommand, historyCommand, undoCommand])
    command.addCommand(create(terminal))
  return command.addHelpText(
    'after',
    `${KEY_HELP}

list, show and history change nothing: an older database has to be migrated first.

Examples:
  palimpsest memory list
  palimpsest memory show chat telegram:42
  palimpsest memory edit persona
  palimpsest memory edit persona < SOUL.md`,
  )
}

/** Loaded when the command runs, so that no other command waits for it. */
const work = () => import('./run-memory.ts')

function listCommand(terminal: Terminal): Command {
  return withStore(new Command('list').description('List the documents.'))
    .option('--layer <layer>', `only those of one: ${LAYERS.join(', ')}`)
    .addHelpText('after', examples('list', 'list --layer user --json'))
    .action(async (flags: ListFlags) => (await work()).listMemory(flags, terminal))
}

function showCommand(terminal: Terminal): Command {
  return withDocument(new Command('show').description('Print a document, or a section of it, as Markdown.'))
    .option('--section <heading>', '"Profile" is what stands under "## Profile"')
    .addOption(wholeNumberOption('--version <number>', 'as it was then'))
    .addHelpText(
      'after',
      examples('show persona', 'show user u-7 --section Profile', 'show chat telegram:42 --version 3'),
    )
    .action(async (layer: string, key: string | undefined, flags: ShowFlags) =>
      (await work()).showMemory({ layer, key }, flags, terminal),
    )
}

function editCommand(terminal: Terminal): Command {
  return withDocument(
    new Command('edit').description(
      'Change a document in your editor ($VISUAL, $EDITOR), or replace it by standard input. What others write meanwhile stays.',
    ),
  )
    .option('--section <heading>', 'only what stands under it; one that is not there is added')
    .addHelpText(
      'after',
      examples('edit persona', 'edit persona < SOUL.md', 'edit chat telegram:42 --section Agreements'),
    )
    .action(async (layer: string, key: string | undefined, flags: EditFlags) => {
      const { editMemory } = await import('./edit-memory.ts')
      await editMemory({ layer, key }, flags, terminal)
    })
}

function historyCommand(terminal: Terminal): Command {
  return withDocument(new Command('history').description('List the versions of a document, newest first.'))
    .addOption(wholeNumberOption('--limit <number>', 'so many').default(20))
    .addHelpText('after', examples('history persona', 'history daily 2026-02-10/telegram:42 --limit 3'))
    .action(async (layer: string, key: string | undefined, flags: HistoryFlags) =>
      (await work()).showHistory({ layer, key }, flags, terminal),
    )
}

function undoCommand(terminal: Terminal): Command {
  return withDocument(
    new Command('undo').description(
      'Take back the newest change of a document, or that of a version. What came after it stays.',
    ),
  )
    .addOption(wholeNumberOption('--version <number>', 'what this version brought'))
    .addHelpText('after', examples('undo persona', 'undo user u-7 --version 3'))
    .action(async (layer: string, key: string | undefined, flags: UndoFlags) =>
      (await work()).undoMemory({ layer, key }, flags, terminal),
    )
}

function withDocument(command: Command): Command {
  return withStore(command)
    .addArgument(new Argument('<layer>').choices(LAYERS))
    .argument('[key]', 'none for persona and global')
    .addHelpText('after', KEY_HELP)
}

function withStore(command: Command): Command {
  return command
    .addOption(dbOption())
    .addOption(storeOption())
    .addOption(namespaceOption())
    .addOption(jsonOption())
}

function examples(...lines: readonly string[]): string {
  const commands = lines.map(line => `  palimpsest memory ${line}`)
  return `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${commands.join('\n')}`
}
