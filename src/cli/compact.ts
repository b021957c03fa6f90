import { Command } from 'commander'
import type { FoldOutcome } from '../compaction/index.ts'
import { createPalimpsest } from '../palimpsest.ts'
import { PRESET_NAMES } from '../policy/index.ts'
import { dbOption, jsonOption, openStore, readPolicy, setOption, storeOption } from './options.ts'
import { InterruptedError, type Terminal } from './terminal.ts'

interface CompactFlags {
  readonly db: string
  readonly store?: string
  readonly policy: string
  readonly set: Readonly<Record<string, string>>
  readonly force?: true | string
  readonly json?: true
}

export function compactCommand(terminal: Terminal): Command {
  return new Command('compact')
    .description('Fold a session now, with the built-in summariser, as the policy says.')
    .argument('<session>', 'its id')
    .addOption(dbOption())
    .addOption(storeOption())
    .option('--policy <name>', PRESET_NAMES.join(', '), 'tokens')
    .addOption(setOption())
    .option('--force [type]', 'whatever the policy says: lite or deep (deep without a word)')
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  palimpsest compact telegram:42 --db palimpsest.db --force')
    .action((session: string, flags: CompactFlags) => runCompact(session, flags, terminal))
}

async function runCompact(id: string, flags: CompactFlags, terminal: Terminal): Promise<void> {
  const policy = readPolicy(flags.policy, flags.set)
  await using palimpsest = await createPalimpsest({
    store: await openStore(flags),
    policy,
    folding: 'manual',
  })
  const chat = palimpsest.session(id)
  const abort = new AbortController()
  const onSignal = () => abort.abort(new InterruptedError('Interrupted; nothing was folded.'))
  process.once('SIGINT', onSignal)
  const force = flags.force === undefined ? {} : { force: flags.force }
  const outcome = await chat.compact({ ...force, signal: abort.signal })
  process.off('SIGINT', onSignal)
  if (abort.signal.aborted) throw abort.signal.reason
  terminal.output.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${describeOutcome(outcome)}\n`)
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
  return `${outcome}: ${reason.replaceAll('_', ' ')}`
}
