import { existsSync } from 'node:fs'
import type { Layer } from 'palimpsest/internals/config/index'
import type { ErasureProgress, ErasureReceipt } from 'palimpsest/internals/erasure/index'
import { waitsForOperator } from 'palimpsest/internals/erasure/receipt'
import {
  ERROR_CODES,
  ErasureNotFoundError,
  InvalidArgumentError,
  PalimpsestError,
} from 'palimpsest/internals/errors'
import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { ErasureTarget, Store } from 'palimpsest/internals/store/index'
import { confirm, requireConsent } from './confirm.ts'
import { previewErasure } from './erasure-preview.ts'
import { openForReading, orClose, requireDatabase } from './existing-database.ts'
import type { ForgetFlags } from './forget.ts'
import { previewText, receiptText, stageText, unknownPerson } from './forget-text.ts'
import { loadConfiguration } from './load-configuration.ts'
import { openStore } from './options.ts'
import { placeFlags } from './place-flags.ts'
import { environmentSettings } from './stored-settings.ts'
import { ExitCodeError, InterruptedError, type Terminal } from './terminal.ts'

interface Run {
  readonly flags: ForgetFlags
  readonly environment: Layer
  readonly terminal: Terminal
}

export async function runForget(flags: ForgetFlags, terminal: Terminal): Promise<void> {
  const run = { flags, environment: environmentSettings(terminal), terminal }
  if (flags.receipt !== undefined) return showReceipt(flags.receipt, run)
  const target = targetOf(flags)
  if (!flags.dryRun) requireConsent(flags)
  if (flags.yes && !flags.dryRun) await bringUpToDate(flags)
  const { zone } = await look(target, run)
  if (flags.dryRun) return
  const receipt = await erase(target, run)
  const { namespace, json } = flags
  terminal.output.write(
    json ? `${JSON.stringify(receipt)}\n` : receiptText({ ...receipt, target }, { zone, namespace }),
  )
  if (!receipt.done) throw new ExitCodeError(NOT_PERMITTED, waiting(receipt.id, flags))
}

/** The exit code of everything that a database role may not do. */
const NOT_PERMITTED = ERROR_CODES.store_read_only.exit

function waiting(id: number, flags: ForgetFlags): string {
  return `Nothing of it can be seen any more, and the rest waits for an operator. palimpsest forget --receipt ${id} ${placeFlags(flags, flags.namespace)} says when it is done.`
}

function targetOf({ session, seq, user, all }: ForgetFlags): ErasureTarget {
  const named = [session, user, all].filter(each => each !== undefined)
  if (named.length !== 1)
    throw new InvalidArgumentError(
      'forget',
      named.length === 0 ? undefined : 'several of them',
      'one of --session ID, --user ID, --all; or --receipt ID',
    )
  if (seq !== undefined && session === undefined)
    throw new InvalidArgumentError('--seq', seq.join(','), 'with --session only')
  if (user !== undefined) return { kind: 'person', id: user }
  if (session === undefined) return { kind: 'namespace' }
  return seq === undefined
    ? { kind: 'session', sessionId: session }
    : { kind: 'messages', sessionId: session, seqs: seq }
}

/** Called only with `--yes`. A person who is still to be asked may say no, and then nothing is migrated. */
async function bringUpToDate(flags: ForgetFlags): Promise<void> {
  requireDatabase(flags)
  await (await openStore(flags)).close()
}

/** Changes nothing. It tells what would be erased and asks for consent, unless `--yes` gave it already. */
async function look(target: ErasureTarget, { flags, environment, terminal }: Run) {
  await using reading = await openForReading(flags, environment)
  const { palimpsest, zone } = reading
  const { namespace, dryRun, yes, json } = flags
  if (yes && !dryRun) return { zone }
  const { examples, ...figures } = await previewErasure(palimpsest, target)
  const text = previewText({ ...figures, examples }, { zone, namespace })
  if (target.kind === 'person' && figures.sessions + figures.messages + figures.documents === 0)
    terminal.error.write(unknownPerson(target.id))
  if (!dryRun) {
    terminal.error.write(`This is erased for good:\n${text}`)
    await confirm('Type yes to erase it:', terminal)
  } else if (json) terminal.output.write(`${JSON.stringify({ dryRun, ...figures })}\n`)
  else terminal.output.write(`This would be erased:\n${text}`)
  return { zone }
}

/**
 * Runs until everything is erased. Ctrl-C ends it earlier, but not before every message of the target is
 * hidden.
 */
async function erase(target: ErasureTarget, run: Run): Promise<ErasureReceipt> {
  const abort = new AbortController()
  const onSignal = () => {
    process.off('SIGINT', onSignal)
    abort.abort()
  }
  await using palimpsest = await openForErasing(run)
  process.on('SIGINT', onSignal)
  try {
    const { id } = await palimpsest.forget(target)
    const receipt = await palimpsest.erased(id, { signal: abort.signal })
    if (receipt.done || waitsForOperator(receipt)) return receipt
    throw interrupted(id, run.flags)
  } finally {
    process.off('SIGINT', onSignal)
  }
}

function interrupted(id: number, flags: ForgetFlags): InterruptedError {
  return new InterruptedError(
    `Interrupted: nothing of it can be seen any more, and the rest is erased with the next start. palimpsest forget --receipt ${id} ${placeFlags(flags, flags.namespace)} shows how far it is.`,
  )
}

/**
 * Uses the model that a server on the same database has: later on, it summarises what is left of the
 * segments.
 */
async function openForErasing({ flags, environment, terminal }: Run): Promise<Palimpsest> {
  requireDatabase(flags)
  const store = await openStore(flags)
  return orClose(store, async () => {
    const { namespace } = flags
    const { configuration, settings } = await loadConfiguration(store, { namespace, environment, terminal })
    const erasedList = flags.erasedList ?? settings.current.values.erasedList
    const workspace = flags.workspace ?? (await rememberedFolder(store, namespace))
    return createPalimpsest({
      store,
      namespace,
      ...configuration,
      folding: 'manual',
      ...(workspace !== null && { workspace }),
      ...(erasedList !== null && { erasedList }),
      ...(!flags.json && { onErasure: tellStages(terminal, workspace !== null) }),
    })
  })
}

/**
 * Reports only the first erasure that it hears of, the caller's own. The others are older and were not asked
 * for.
 */
function tellStages(terminal: Terminal, hasFiles: boolean): (progress: ErasureProgress) => void {
  let ours: number | null = null
  return ({ id, stage, counts }) => {
    ours ??= id
    if (id === ours && (stage !== 'files' || hasFiles)) terminal.error.write(`${stageText(stage, counts)}\n`)
  }
}

/**
 * The folder of the workspace. `null`: there never was one. Throws where the folder is not here: it may be on
 * another machine, and its files would stay without notice.
 */
async function rememberedFolder(store: Store, namespace: string): Promise<string | null> {
  const folder = await store.mirror.readMirrorFolder(namespace)
  if (folder === null || existsSync(folder)) return folder
  const name = JSON.stringify(folder)
  throw new PalimpsestError(
    'file_not_found',
    `The memory's files are in ${name}, as far as the database knows, and that is not here. Run it on the machine where ` +
      `they are; say where they are now with --workspace FOLDER; or, if they are gone, --workspace ${name}. Nothing was erased.`,
    { file: folder },
  )
}

async function showReceipt(id: number, { flags, environment, terminal }: Run): Promise<void> {
  await using reading = await openForReading(flags, environment)
  const { palimpsest, zone } = reading
  const receipt = await palimpsest.erasure(id)
  if (receipt === null) throw new ErasureNotFoundError(id)
  const { namespace, json } = flags
  terminal.output.write(json ? `${JSON.stringify(receipt)}\n` : receiptText(receipt, { zone, namespace }))
}
