import { Command, Option } from 'commander'
import type { FoldOutcome } from 'palimpsest/internals/compaction/index'
import { type Configuration, createPalimpsest } from 'palimpsest/internals/palimpsest'
import { PRESET_NAMES } from 'palimpsest/internals/policy/index'
import type { Store } from 'palimpsest/internals/store/index'
import {
  dbOption,
  jsonOption,
  namespaceOption,
  openStore,
  presetOfFlags,
  readPolicy,
  setOption,
  storeOption,
} from './options.ts'
import { programLog } from './program-log.ts'
import { InterruptedError, type Terminal } from './terminal.ts'

interface CompactFlags {
  readonly db: string
  readonly store?: string
  readonly namespace: string
  readonly policy?: string
  readonly set: Readonly<Record<string, string>>
  readonly force?: true | string
  readonly focus?: string
  readonly json?: true
}

export function compactCommand(terminal: Terminal): Command {
  return new Command('compact')
    .description('Fold a session now, with the model that is configured, or with the built-in summariser.')
    .argument('<session>', 'its id')
    .addOption(dbOption())
    .addOption(storeOption())
    .addOption(namespaceOption())
    .option('--policy <name>', `${PRESET_NAMES.join(', ')} (default: as configured)`)
    .addOption(setOption())
    .addOption(
      new Option('--force [type]', 'whatever the policy says: lite or deep (deep without a word)').choices([
        'lite',
        'deep',
      ]),
    )
    .option('--focus <words>', 'what the summary should keep above all; for a model')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nPolicy and model are those stored in the database or of the environment; see palimpsest serve --help.' +
        '\n\nExample:\n  palimpsest compact telegram:42 --db palimpsest.db --force',
    )
    .action((session: string, flags: CompactFlags) => runCompact(session, flags, terminal))
}

async function runCompact(id: string, flags: CompactFlags, terminal: Terminal): Promise<void> {
  const store = await openStore(flags)
  await store.open()
  const configuration = await configured(store, flags, terminal)
  await using palimpsest = await createPalimpsest({
    ...{ store, namespace: flags.namespace, ...configuration },
    folding: 'manual',
  })
  const chat = palimpsest.session(id)
  const abort = new AbortController()
  const onSignal = () => abort.abort(new InterruptedError('Interrupted; nothing was folded.'))
  process.once('SIGINT', onSignal)
  const outcome = await chat.compact({
    ...(flags.force !== undefined && { force: flags.force }),
    ...(flags.focus !== undefined && { focus: flags.focus }),
    signal: abort.signal,
  })
  process.off('SIGINT', onSignal)
  if (abort.signal.aborted) throw abort.signal.reason
  terminal.output.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${describeOutcome(outcome)}\n`)
}

/** The configuration of a server on the same database, except for what the command line sets. */
async function configured(store: Store, flags: CompactFlags, terminal: Terminal): Promise<Configuration> {
  const { LiveSettings } = await import('@palimpsest/server/internals/live-settings')
  const { readEnvironment } = await import('palimpsest/internals/config/index')
  const { layer, warnings } = readEnvironment()
  const log = programLog(terminal)
  const onWarning = (warning: string) => log(`warning: ${warning}`)
  for (const warning of warnings) onWarning(warning)
  const settings = new LiveSettings({ store, namespace: flags.namespace, environment: layer, onWarning })
  const configuration = await settings.load()
  const isAsked = flags.policy !== undefined || Object.keys(flags.set).length > 0
  if (!isAsked) return configuration
  const preset = flags.policy ?? presetOfFlags(Object.keys(flags.set)) ?? settings.current.values.policy
  return { ...configuration, policy: readPolicy(preset, flags.set) }
}

function describeOutcome({
  outcome,
  reason,
  fromSeq,
  toSeq,
  tokensBefore,
  tokensAfter,
}: FoldOutcome): string {
  if (outcome === 'applied')
    return `folded ${fromSeq}–${toSeq} (${reason}): ${tokensBefore} tokens into ${tokensAfter}`
  if (outcome === 'skipped' && reason === 'force')
    return 'skipped: all that is raw belongs to the newest messages, which stay as they are'
  return `${outcome}: ${reason.replaceAll('_', ' ')}`
}
