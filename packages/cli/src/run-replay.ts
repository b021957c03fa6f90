import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { candidateOf, settingNames } from '@palimpsest/replay/internals/candidate'
import { type CompareOptions, compare } from '@palimpsest/replay/internals/compare'
import type { Comparison } from '@palimpsest/replay/internals/comparison'
import type { Prices } from '@palimpsest/replay/internals/prices/prices'
import { readPrices } from '@palimpsest/replay/internals/prices/read-prices'
import type { Candidate } from '@palimpsest/replay/internals/replay/replay'
import { comparisonCsv } from '@palimpsest/replay/internals/report/csv'
import { sweptCandidates } from '@palimpsest/replay/internals/sweep'
import { openSource, type Source, type Transcript } from '@palimpsest/replay/internals/transcript/index'
import { ContextOverflowError, InvalidArgumentError, PalimpsestError } from 'palimpsest/internals/errors'
import { contextBudget, PRESET_NAMES, PRESETS, type PresetName } from 'palimpsest/internals/policy/index'
import { presetOfFlags } from './options.ts'
import { pickTranscript, readTranscripts } from './read-transcripts.ts'
import type { ReplayFlags } from './replay.ts'
import { describeComparison } from './replay-text.ts'
import { columnsOf, InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'
import { writeOutput } from './write-output.ts'

export async function runReplay(
  files: readonly string[],
  flags: ReplayFlags,
  terminal: Terminal,
): Promise<void> {
  // Every mistake in the flags is reported before a long file is read.
  const { prices, summarizerPrices } = await readAllPrices(flags)
  const candidates = readCandidates(flags, prices)
  const swept = flags.sweep ? sweptCandidates(candidates[0]!, flags.sweep) : []
  checkTogether(flags, [...candidates, ...swept.map(({ candidate }) => candidate)])
  if (flags.html !== undefined && flags.html !== '-') await checkWritable(flags.html)
  for (const { policy } of candidates)
    for (const warning of policy.warnings) terminal.error.write(`warning: ${policy.name}: ${warning}\n`)
  const comparison = await compareTranscripts(await readFiles(files, flags, terminal), terminal, {
    candidates,
    prices,
    ...(summarizerPrices && { summarizerPrices }),
    summarizer: flags.summarizer,
    ...(flags.ratio !== undefined && { summaryRatio: flags.ratio }),
    ...(flags.overhead !== undefined && { overheadTokens: flags.overhead }),
    ...(flags.calls !== undefined && { calls: flags.calls }),
    extraction: flags.extraction,
    ...(flags.keepLast !== undefined && { keepLast: flags.keepLast }),
    ...(flags.kind && { kind: flags.kind }),
    ...(flags.sweep && { sweep: flags.sweep }),
  })
  if (flags.html === '-') {
    terminal.output.write(await drawPage(comparison))
    return
  }
  if (flags.html !== undefined) await writePage(flags.html, comparison, terminal)
  terminal.output.write(
    flags.json
      ? `${toJson(candidates.length === 1 && !flags.sweep ? oneRun(comparison) : comparison)}\n`
      : flags.csv
        ? comparisonCsv(comparison)
        : describeComparison(comparison, { columns: columnsOf(terminal.output) }),
  )
  if (flags.html !== undefined) terminal.error.write(`The page is in ${flags.html}\n`)
}

async function readAllPrices(flags: ReplayFlags): Promise<{ prices: Prices; summarizerPrices?: Prices }> {
  const prices = await readPrices(flags.prices)
  if (flags.summarizerPrices === undefined) return { prices }
  return { prices, summarizerPrices: await readPrices(flags.summarizerPrices, '--summarizer-prices') }
}

/** Without `--policy`: all policies for a person, the default policy for a program. */
function readCandidates(flags: ReplayFlags, prices: Prices): readonly Candidate[] {
  const { set, sweep, json } = flags
  const policy =
    flags.policy ?? chosenByNumbers([...Object.keys(set), ...(sweep ?? []).map(({ name }) => name)])
  if (policy === undefined && (Object.keys(set).length > 0 || sweep))
    throw new InvalidArgumentError(
      sweep ? '--sweep' : '--set',
      sweep ? sweep.map(({ name }) => name).join(', ') : Object.keys(set).join(', '),
      'only together with --policy',
    )
  const names = [...new Set(policy ?? (json ? ['tokens'] : PRESET_NAMES))]
  if (sweep && names.length > 1)
    throw new InvalidArgumentError('--policy', names.join(', '), 'one policy, where its settings are swept')
  const isAlone = names.length === 1
  const candidates = names.map(name => candidateOf(name, { shared: set, prices, isAlone }))
  if (!isAlone) checkKnownToOne(Object.keys(set), candidates)
  return candidates
}

function chosenByNumbers(names: readonly string[]): readonly string[] | undefined {
  const preset = presetOfFlags(names)
  return preset === null ? undefined : [preset]
}

/**
 * Each policy takes the shared settings that it knows. A setting that no policy knows would have no effect,
 * so it is refused.
 */
function checkKnownToOne(settings: readonly string[], candidates: readonly Candidate[]): void {
  const presets = [...new Set(candidates.map(({ policy }) => policy.name as PresetName))]
  const unknown = settings.find(name => !presets.some(preset => settingNames(preset).includes(name)))
  if (unknown === undefined) return
  const known = new Set(presets.flatMap(preset => Object.keys(PRESETS[preset])))
  throw new InvalidArgumentError(
    '--set',
    unknown,
    `the settings of ${presets.join(' and ')}: ${[...known].join(', ')}`,
  )
}

/** Refuses flags that are right by themselves but do not fit together. */
function checkTogether(flags: ReplayFlags, candidates: readonly Candidate[]): void {
  const { html, json, csv, ratio, summarizer, overhead } = flags
  if (html === '') throw new InvalidArgumentError('--html', html, 'the name of a file, or -')
  if (html === '-' && (json || csv))
    throw new InvalidArgumentError('--html', html, `the name of a file, beside ${json ? '--json' : '--csv'}`)
  if (ratio !== undefined && summarizer !== 'simulated')
    throw new InvalidArgumentError('--ratio', ratio, 'only with --summarizer simulated')
  if (overhead === undefined) return
  for (const { name, policy } of candidates) {
    const budget = contextBudget(policy)?.tokens ?? Number.POSITIVE_INFINITY
    if (overhead >= budget)
      throw new InvalidArgumentError('--overhead', overhead, `less than the budget of ${name}, ${budget}`)
  }
}

/** A missing file is reported before any other file is read. */
async function readFiles(
  files: readonly string[],
  flags: ReplayFlags,
  terminal: Terminal,
): Promise<readonly Transcript[]> {
  if (files.filter(file => file === '-').length > 1)
    throw new InvalidArgumentError('file', '-', 'once: standard input can be read only once')
  const sources: (string | Source)[] = []
  for (const file of files) sources.push(file === '-' ? file : await openSource(file))
  const transcripts: Transcript[] = []
  const { self, conversation } = flags
  for (const source of sources)
    transcripts.push(...(await readTranscripts(source, terminal, self === undefined ? {} : { self })))
  return conversation === undefined ? transcripts : [pickTranscript(transcripts, conversation)]
}

/** The first reading of all messages, and the two bots without a memory. */
const OTHER_RUNS = 3

function compareTranscripts(
  transcripts: readonly Transcript[],
  terminal: Terminal,
  options: CompareOptions,
): Promise<Comparison> {
  const { candidates, sweep = [] } = options
  const points = sweep.length === 0 ? 0 : sweep.reduce((product, { values }) => product * values.length, 1)
  const runs = OTHER_RUNS + candidates.length + points
  return interruptible(async isInterrupted => {
    const progress = new Progress(terminal, 'replaying')
    let running = ''
    let done = -1
    try {
      return await compare(transcripts, {
        ...options,
        onProgress: (run, share) => {
          if (isInterrupted()) throw new InterruptedError('Interrupted; nothing was written.')
          if (run !== running) done += 1
          running = run
          progress.update((done + share) / runs, run)
        },
      })
    } catch (error) {
      throw error instanceof ContextOverflowError ? namedAfter(running, error) : error
    } finally {
      progress.end()
    }
  })
}

/** Adds the name of the run that failed. */
function namedAfter(run: string, { code, message, details, cause }: ContextOverflowError): PalimpsestError {
  return new PalimpsestError(code, `${run}: ${message}`, details, { cause })
}

async function drawPage(comparison: Comparison): Promise<string> {
  const { comparisonPage } = await import('@palimpsest/replay/internals/report/page')
  return comparisonPage(comparison)
}

/** Ctrl-C takes effect only after the whole page is written. */
async function writePage(file: string, comparison: Comparison, terminal: Terminal): Promise<void> {
  const page = await drawPage(comparison)
  await interruptible(async () => writeOutput(file, page, terminal)).catch(error => {
    throw notWritten(file, error)
  })
}

/** Fails before the long work rather than after it. */
async function checkWritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found?.isDirectory()) throw notWritten(file, new Error('it is a folder'))
  // A slip in the command line must not overwrite a transcript.
  if (found?.isFile() && !/\.html?$/i.test(file))
    throw notWritten(file, new Error('it is there already, and no .html file'))
  await access(found ? file : dirname(file), constants.W_OK).catch(error => {
    throw notWritten(file, error)
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'it may not be written to',
  EPERM: 'it may not be written to',
  EROFS: 'it may not be written to',
  ENOSPC: 'the disk is full',
}

function notWritten(file: string, cause: NodeJS.ErrnoException): PalimpsestError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message
  return new PalimpsestError(
    'file_not_written',
    `${file} cannot be written: ${reason}. Name a new file in a folder that is there.`,
    { file },
    { cause },
  )
}

/** The figures of the policy stand at the top level, where programs expect them. */
function oneRun({ runs: [run, ...baselines], ...rest }: Comparison) {
  const { name: _, kind: __, ...figures } = run!
  return { ...figures, baselines, ...rest, sweep: undefined }
}

/** JSON has no infinity. The reader of prices accepts the word. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => (item === Number.POSITIVE_INFINITY ? 'Infinity' : item))
}
