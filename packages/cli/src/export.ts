import { Command } from 'commander'
import { createPalimpsest } from 'palimpsest/internals/palimpsest'
import { openReadOnly, requireDatabase } from './existing-database.ts'
import { dbOption, namespaceOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'
import { writeOutput } from './write-output.ts'

interface ExportFlags {
  readonly db: string
  readonly store?: string
  readonly namespace: string
  readonly output?: string
}

export function exportCommand(terminal: Terminal): Command {
  return new Command('export')
    .description('Write a whole session as JSON: messages, versions, segments, memo, cursors, settings.')
    .argument('<session>', 'its id')
    .addOption(dbOption())
    .addOption(storeOption())
    .addOption(namespaceOption())
    .option('--output <file>', 'a file instead of standard output')
    .addHelpText(
      'after',
      '\nNothing is changed: an older database has to be migrated first.\n\nExample:\n  palimpsest export telegram:42 --db palimpsest.db --output chat.json',
    )
    .action((session: string, flags: ExportFlags) => runExport(session, flags, terminal))
}

async function runExport(id: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { namespace } = flags
  requireDatabase(flags)
  const store = await openReadOnly(flags)
  await using palimpsest = await createPalimpsest({ store, namespace, folding: 'manual', indexing: 'off' })
  const json = `${JSON.stringify(await palimpsest.session(id).export())}\n`
  if (flags.output === undefined) terminal.output.write(json)
  else writeOutput(flags.output, json, terminal)
}
