import Table from 'cli-table3'
import { Command } from 'commander'
import { InvalidArgumentError } from '../errors.ts'
import { Replay, type ReplayResult } from '../lab/replay.ts'
import { openTranscript, type Transcript } from '../lab/transcript.ts'
import type { SessionKind } from '../log/index.ts'
import { type Policy, PRESET_NAMES } from '../policy/index.ts'
import { describePresets, jsonOption, kindOption, readPolicy, setOption } from './options.ts'
import { InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'

interface ReplayFlags {
  readonly policy?: string
  readonly set: Readonly<Record<string, string>>
  readonly kind?: SessionKind
  readonly json?: true
}

export function replayCommand(terminal: Terminal): Command {
  return new Command('replay')
    .description('Run a transcript through a policy, with no model: what would be folded, when and why.')
    .argument(
      '<file>',
      'one message a line: {"role","text","sender","at","externalId"}; - for standard input',
    )
    .option('--policy <name>', `${PRESET_NAMES.join(', ')}; without it, all of them side by side`)
    .addOption(setOption())
    .addOption(kindOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Policies and their settings (default; what is allowed):
${describePresets()}

Examples:
  palimpsest replay chat.jsonl --policy rounds --set fullContextTurns=4 --json
  palimpsest replay chat.jsonl --policy window --set tailKeepSize=20`,
    )
    .action((file: string, flags: ReplayFlags) => runReplay(file, flags, terminal))
}

async function runReplay(file: string, flags: ReplayFlags, terminal: Terminal): Promise<void> {
  // Settings are checked before a long file is read.
  const compare = flags.policy === undefined && !flags.json
  if (compare && Object.keys(flags.set).length > 0)
    throw new InvalidArgumentError('--set', Object.keys(flags.set).join(', '), 'only together with --policy')
  const names = compare ? PRESET_NAMES : [flags.policy ?? 'tokens']
  const policies = names.map(name => readPolicy(name, flags.set))
  for (const { name, warnings } of policies)
    for (const warning of warnings) terminal.error.write(`warning: ${name}: ${warning}\n`)
  const transcript = await readTranscript(file, terminal)
  const kind = flags.kind ?? transcript.kind
  const results: [Policy, ReplayResult][] = []
  for (const policy of policies)
    results.push([policy, await replayTranscript(transcript, policy, kind, terminal)])
  if (flags.json) terminal.output.write(`${JSON.stringify({ policy: names[0], ...results[0]![1] })}\n`)
  else
    terminal.output.write(
      compare ? comparison(transcript, kind, results) : foldList(transcript, kind, ...results[0]!),
    )
}

export function readTranscript(file: string, terminal: Terminal): Promise<Transcript> {
  return interruptible(async isInterrupted => {
    const progress = new Progress(terminal, 'reading')
    const onProgress = (share: number) => {
      if (isInterrupted()) throw new InterruptedError('Interrupted while reading; nothing was done.')
      progress.update(share)
    }
    try {
      return await openTranscript(file, { onProgress })
    } finally {
      progress.end()
    }
  })
}

function replayTranscript(
  transcript: Transcript,
  policy: Policy,
  kind: SessionKind,
  terminal: Terminal,
): Promise<ReplayResult> {
  return interruptible(async isInterrupted => {
    const run = new Replay({ policy, kind })
    const progress = new Progress(terminal, policy.name)
    let lines = 0
    try {
      for await (const { message, position } of transcript.read()) {
        if (isInterrupted()) throw new InterruptedError(`Interrupted after ${lines} messages.`)
        await run.append(message)
        lines += 1
        progress.update(position / transcript.bytes, `${lines} messages`)
      }
    } finally {
      progress.end()
    }
    return run.result()
  })
}

function heading({ path, messages }: Transcript, kind: SessionKind): string {
  return `${path === '-' ? 'standard input' : path}: ${count(messages)} messages, ${kind} chat\n`
}

/** A rule under the headings, none between the rows. */
const COMPACT = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' }

/** A person reads the beginning and the end; `--json` has all. */
const MOST_ROWS_AT_AN_END = 20

/** One policy: its folds. */
function foldList(transcript: Transcript, kind: SessionKind, policy: Policy, result: ReplayResult): string {
  const table = new Table({
    head: ['at message', 'folds', 'messages', 'type', 'reason', 'severity'],
    colAligns: ['right', 'right', 'right', 'left', 'left', 'right'],
    chars: COMPACT,
    style: { head: [], border: [] },
  })
  const hidden = Math.max(0, result.folds.length - 2 * MOST_ROWS_AT_AN_END)
  const shown =
    hidden === 0
      ? result.folds
      : [...result.folds.slice(0, MOST_ROWS_AT_AN_END), ...result.folds.slice(-MOST_ROWS_AT_AN_END)]
  for (const [index, { at, fromSeq, toSeq, type, reason, severity }] of shown.entries()) {
    if (hidden > 0 && index === MOST_ROWS_AT_AN_END)
      table.push(['…', `${count(hidden)} more`, '', '', '', ''])
    table.push([
      count(at),
      fromSeq === null ? 'nothing (memo only)' : `${fromSeq}–${toSeq}`,
      fromSeq === null ? '' : count(toSeq! - fromSeq + 1),
      type,
      reason,
      severity,
    ])
  }
  const { tokens } = result
  return (
    heading(transcript, kind) +
    (result.folds.length === 0 ? `${policy.name} folds nothing.\n` : `${table}\n`) +
    `context: ${count(tokens.meanContext)} tokens in the mean, ${count(tokens.peakContext)} at most; ` +
    `the whole log: ${count(tokens.log)}\n`
  )
}

/** All presets, a line each. */
function comparison(
  transcript: Transcript,
  kind: SessionKind,
  results: readonly [Policy, ReplayResult][],
): string {
  const table = new Table({
    head: ['policy', 'folds', 'first at', 'mean context', 'peak context', 'tokens folded'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    chars: COMPACT,
    style: { head: [], border: [] },
  })
  for (const [policy, { folds, tokens }] of results) {
    const moving = folds.filter(fold => fold.fromSeq !== null)
    table.push([
      policy.name,
      count(moving.length),
      moving[0] ? count(moving[0].at) : '–',
      count(tokens.meanContext),
      count(tokens.peakContext),
      count(tokens.folded),
    ])
  }
  const log = results[0]![1].tokens.log
  return (
    heading(transcript, kind) +
    `${table}\n` +
    `In tokens. Without folding the last context would hold ${count(log)}. A summary is taken to keep a fifth of\n` +
    'its source; what is shorter than 300 tokens is kept as it is.\n' +
    'Every fold of one policy: palimpsest replay FILE --policy NAME\n'
  )
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
