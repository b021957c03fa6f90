import type {
  BreakCause,
  Comparison,
  Run,
  Sweep,
  TranscriptFigures,
} from '@palimpsest/replay/internals/comparison'
import { formatLifetime } from '@palimpsest/replay/internals/prices/format-lifetime'
import type { Prices } from '@palimpsest/replay/internals/prices/prices'
import { countFolds } from '@palimpsest/replay/internals/report/count-folds'
import { describeResult } from '@palimpsest/replay/internals/report/describe-result'
import { describeSweep } from '@palimpsest/replay/internals/report/describe-sweep'
import {
  formatCount,
  formatDifference,
  formatList,
  formatMoney,
  formatPlural,
  formatShare,
  formatTokens,
} from '@palimpsest/replay/internals/report/format'
import { isBest, isFlat, valuesInOrder } from '@palimpsest/replay/internals/report/sweep-points'
import type { TranscriptFormat } from '@palimpsest/replay/internals/transcript/index'
import { GROUP_TURN_MESSAGES } from 'palimpsest/internals/log/index'
import { fill } from './fill.ts'
import { drawTable, GAP, type Heading, left, right, tableWidth } from './text-layout.ts'

/** The width for a file or a pipe: most screens are at least this wide. */
const DEFAULT_COLUMNS = 100

export interface TextOptions {
  /** The width of the screen. `undefined`: the output is no screen. */
  readonly columns: number | undefined
}

/** For a single policy, the text also lists every fold. */
export function describeComparison(comparison: Comparison, { columns }: TextOptions): string {
  const { transcripts, runs, sweep } = comparison
  const isOfOne = sweep === null && runs.filter(({ kind }) => kind === 'policy').length === 1
  const prose = (sentences: readonly string[]) =>
    sentences.map(sentence => `${columns === undefined ? sentence : fill(sentence, columns)}\n`).join('')
  const parts = [
    prose(describeTranscripts(transcripts, runs)),
    ...(hasCosts(comparison)
      ? [
          ...(isOfOne ? [describeFolds(runs[0]!, transcripts.length > 1)] : []),
          describeRuns(comparison, columns ?? DEFAULT_COLUMNS),
          ...(sweep === null ? [] : [describePoints(sweep, comparison.prices.currency)]),
        ]
      : []),
    prose(describeAnswer(comparison)),
    prose(describeConditions(comparison)),
  ]
  return parts.join('\n')
}

function hasCosts({ runs }: Comparison): boolean {
  return runs.some(({ cost }) => Object.values(cost.calls).some(({ calls }) => calls > 0))
}

// What was replayed

const MAX_LISTED = 10

const FORMATS: Readonly<Record<TranscriptFormat, string | null>> = {
  palimpsest: null,
  'palimpsest-session': 'exported session',
  chatgpt: 'ChatGPT',
  telegram: 'Telegram',
  openai: 'OpenAI',
  older: 'older sessions',
  'ai-sdk': 'AI SDK',
}

function describeTranscripts(transcripts: readonly TranscriptFigures[], runs: readonly Run[]): string[] {
  const requests = formatPlural(runs[0]?.cost.calls.reply.calls ?? 0, 'request')
  const [only] = transcripts
  if (transcripts.length === 1 && only) return [`${describeTranscript(only)}, ${requests}`]
  const sum = (field: 'messages' | 'tokens') =>
    transcripts.reduce((sum, transcript) => sum + transcript[field], 0)
  const listed = transcripts.slice(0, MAX_LISTED)
  const more = transcripts.length - listed.length
  return [
    `${formatPlural(transcripts.length, 'conversation')}: ${formatPlural(sum('messages'), 'message')}, ${formatTokens(sum('tokens'))} tokens, ${requests}`,
    ...listed.map(
      (transcript, index) => `${String(index + 1).padStart(4)}  ${describeTranscript(transcript)}`,
    ),
    ...(more > 0 ? [`      and ${formatCount(more)} more`] : []),
  ]
}

function describeTranscript({ path, title, format, messages, tokens, kind }: TranscriptFigures): string {
  const name = path === '-' ? 'standard input' : path
  const label = FORMATS[format as TranscriptFormat] ?? null
  return `${name}${title === null ? '' : ` ${JSON.stringify(title)}`}${label === null ? '' : ` (${label})`}: ${formatPlural(messages, 'message')}, ${formatTokens(tokens)} tokens, ${kind} chat`
}

// Folds

/** A person reads the beginning and the end. `--json` has all rows. */
const MAX_ROWS_AT_AN_END = 10

function describeFolds({ folds, name }: Run, isOfSeveral: boolean): string {
  if (folds.length === 0) return `${name} folds nothing.\n`
  const hidden = Math.max(0, folds.length - 2 * MAX_ROWS_AT_AN_END)
  const rows = folds.map(({ transcript = 0, at, fromSeq, toSeq, type, reason, severity }) => [
    ...(isOfSeveral ? [String(transcript + 1)] : []),
    formatCount(at),
    fromSeq === null ? 'only the memo' : `${formatCount(fromSeq)}–${formatCount(toSeq!)}`,
    fromSeq === null ? '' : formatCount(toSeq! - fromSeq + 1),
    type,
    reason,
    String(severity),
  ])
  if (hidden > 0)
    rows.splice(MAX_ROWS_AT_AN_END, hidden, [
      ...(isOfSeveral ? [''] : []),
      '…',
      `${formatCount(hidden)} more`,
      ...['', '', '--json has all', ''],
    ])
  return drawTable(
    [
      ...(isOfSeveral ? [right('conversation')] : []),
      right('at message'),
      right('folds'),
      right('messages'),
      left('type'),
      left('reason'),
      right('severity'),
    ],
    rows,
  )
}

// The bill

interface RunColumn extends Heading {
  readonly cell: (run: Run) => string
  /** Where the table is too wide, the column with the highest number is dropped first. 0: never. */
  readonly leaves: number
}

function describeRuns(comparison: Comparison, columns: number): string {
  const { runs } = comparison
  const all = runColumns(comparison, columns)
  const shown = fitColumns(all, runs, columns)
  const text = drawRuns(shown, runs)
  if (shown.length === all.length) return text
  const titles = all.filter(column => !shown.includes(column)).map(({ title }) => title.replace('\n', ' '))
  return `${text}${fill(`No room for: ${formatList(titles)}. A wider terminal shows it all, as do --csv and --html.`, columns)}\n`
}

function drawRuns(columns: readonly RunColumn[], runs: readonly Run[]): string {
  return drawTable(
    columns,
    runs.map(run => columns.map(({ cell }) => cell(run))),
  )
}

function fitColumns(all: readonly RunColumn[], runs: readonly Run[], columns: number): readonly RunColumn[] {
  if (tableWidth(drawRuns(all, runs)) <= columns) return all
  const first = all.reduce((a, b) => (b.leaves > a.leaves ? b : a))
  if (first.leaves === 0) return all
  return fitColumns(
    all.filter(column => column !== first),
    runs,
    columns,
  )
}

/** The smallest width, in characters, at which prefix breaks are shown with their causes. */
const MIN_CAUSES = 20
/** A longer name is broken before its settings, on a screen of the default width. */
const MAX_NAME = 24

function runColumns({ runs, prices }: Comparison, columns: number): RunColumn[] {
  const money = (amount: number) => formatMoney(amount, prices.currency)
  const ofPolicy = (run: Run, text: () => string) => (run.kind === 'baseline' ? '–' : text())
  const longestName = MAX_NAME + Math.max(0, columns - DEFAULT_COLUMNS)
  const base: RunColumn[] = [
    { ...left('policy'), leaves: 0, cell: run => breakName(run.name, longestName) },
    { ...right('cost'), leaves: 0, cell: ({ cost }) => money(cost.total) },
    {
      ...right('of it\nmemory'),
      leaves: 2,
      cell: run => ofPolicy(run, () => money(run.cost.total - run.cost.calls.reply.money)),
    },
    { ...right('mean\ncontext'), leaves: 1, cell: ({ tokens }) => formatTokens(tokens.meanContext) },
    { ...right('peak\ncontext'), leaves: 4, cell: ({ tokens }) => formatTokens(tokens.peakContext) },
    { ...right('cached'), leaves: 3, cell: ({ tokens }) => formatShare(tokens.cachedShare) },
    { ...right('folds'), leaves: 5, cell: run => ofPolicy(run, () => formatCount(countFolds(run))) },
  ]
  if (runs.every(({ breaks }) => breaks.length === 0)) return base
  const counts = (run: Run) => formatCount(run.breaks.reduce((sum, { count }) => sum + count, 0))
  const room = columns - tableWidth(drawRuns(base, runs)) - GAP.length
  return [
    ...base,
    room < MIN_CAUSES
      ? { ...right('prefix\nbreaks'), leaves: 6, cell: counts }
      : { ...left('prefix\nbreaks'), leaves: 6, cell: run => describeBreaks(run, room) },
  ]
}

/** Puts each setting on a line below the policy. */
function breakName(name: string, longest: number): string {
  return name.length <= longest ? name : name.replace(/ (?=\S+=)/g, '\n  ')
}

/** A line break never separates a number from its cause. */
function describeBreaks({ breaks }: Run, columns: number): string {
  if (breaks.length === 0) return 'none'
  const each = breaks.map(({ cause, reason, count }) => `${formatCount(count)}\u00a0${reason ?? cause}`)
  return fill(each.join(', '), columns).replaceAll('\u00a0', ' ')
}

// The values that were tried

const CHEAPEST_SHOWN = 10
const MAX_VALUES_SHOWN = 40

function describePoints(sweep: Sweep, currency: string): string {
  const { settings, points, best } = sweep
  const isOfOne = settings.length === 1
  const shown =
    isOfOne && points.length <= MAX_VALUES_SHOWN
      ? valuesInOrder(sweep)
      : [...points].sort((a, b) => a.money - b.money).slice(0, CHEAPEST_SHOWN)
  const [isTheBest, isAsGood] = [isBest(sweep), isFlat(sweep)]
  const text = drawTable(
    [
      ...settings.map(right),
      right('cost'),
      right('to the best'),
      right('mean\ncontext'),
      right('peak\ncontext'),
      right('folds'),
    ],
    shown.map(point => [
      ...settings.map(setting => String(point.values[setting])),
      formatMoney(point.money, currency),
      isTheBest(point)
        ? 'best'
        : `${isAsGood(point) ? '≈ ' : ''}${formatDifference(point.money, best.money) ?? ''}`,
      formatTokens(point.meanContext),
      formatTokens(point.peakContext),
      formatCount(point.folds),
    ]),
  )
  const more = points.length - shown.length
  return more === 0
    ? text
    : `${text}The ${shown.length} cheapest; --csv has the other ${formatCount(more)}.\n`
}

// In words

function describeAnswer(comparison: Comparison): string[] {
  const { prices, sweep, runs, transcripts, assumptions } = comparison
  const hasMessages = transcripts.some(({ messages }) => messages > 0)
  if (hasMessages && runs.every(({ cost }) => cost.calls.reply.calls === 0))
    return [
      `No reply was asked for${assumptions.calls === 'replies' ? '' : `: there are fewer than ${formatPlural(assumptions.calls, 'message')}`}. --calls N asks for one after every N messages.`,
    ]
  const { headline, details } = describeResult(comparison)
  const swept = sweep === null ? [] : [describeSweep(sweep, prices.currency)]
  return [headline, ...details, ...swept, ...runs.flatMap(describeMemoOnly)].map(plain)
}

/** Explains why a run without a fold has a cost of its own. */
function describeMemoOnly(run: Run): string[] {
  const { memo, summary } = run.cost.calls
  if (run.kind === 'baseline' || countFolds(run) > 0 || memo.calls + summary.calls === 0) return []
  return [
    `${run.name} folded nothing: all lay in the part that it keeps, and only its memo was brought up to date, ${formatPlural(memo.calls + summary.calls, 'time')}.`,
  ]
}

function describeConditions(comparison: Comparison): string[] {
  const { prices, summarizerPrices, assumptions } = comparison
  const { overheadTokens, summarizer, summaryRatio, extraction } = assumptions
  return [
    `Prices of ${describePrice(prices)}.`,
    ...(summarizerPrices === prices ? [] : [`Summaries at prices of ${describePrice(summarizerPrices)}.`]),
    `Assumed: ${formatCount(overheadTokens)} tokens of instructions and tools (--overhead); ${describeCalls(comparison)}; ${
      summarizer === 'extractive'
        ? 'extractive summaries, which cost nothing'
        : `summaries by a model that keep ${formatShare(summaryRatio ?? 0)} of their source`
    }${extraction === 'none' ? '' : `; memory of people and projects extracted by ${extraction}`}.`,
    ...(hasCosts(comparison) ? [...describeTooShort(comparison), ...describeCauses(comparison)] : []),
    'More: --policy NAME (each fold), --sweep (a setting), --prices, --html FILE (pictures), --csv, --json, --help',
  ]
}

function describeCalls({ assumptions, transcripts }: Comparison): string {
  const { calls } = assumptions
  if (calls === 'replies')
    return `a request for each reply${transcripts.length > 1 ? `, and where nobody replies after every ${GROUP_TURN_MESSAGES} messages` : ''}`
  const isTelegram = transcripts.some(({ format }) => format === 'telegram')
  const how = isTelegram ? '--calls, or --self NAME to say who is the assistant' : '--calls'
  return `a request after every ${formatPlural(calls, 'message')} (${how})`
}

function describePrice(prices: Prices): string {
  const { name, currency, caching, cacheLifetimeSec } = prices
  const money = (field: 'input' | 'cachedInput' | 'cacheWrite' | 'output') =>
    formatMoney(prices[field], currency)
  const cache =
    caching === 'none'
      ? 'no cache'
      : `${money('cachedInput')} cached, ${money('cacheWrite')} cache write${Number.isFinite(cacheLifetimeSec) ? ` for ${formatLifetime(cacheLifetimeSec)}` : ''}`
  return `${name}: ${money('input')} input, ${cache}, ${money('output')} output per million tokens`
}

/** Explains that nothing was cached because the contexts are too short. */
function describeTooShort({ runs, prices }: Comparison): string[] {
  const { caching, leastCachedTokens } = prices
  const isTooShort = ({ tokens }: Run) => tokens.cachedShare === 0 && tokens.meanContext < leastCachedTokens
  if (caching === 'none' || !runs.some(isTooShort)) return []
  return [`At these prices nothing shorter than ${formatCount(leastCachedTokens)} tokens is cached.`]
}

const CAUSES: Readonly<Record<BreakCause, string>> = {
  fold: 'by a fold, named by its reason',
  cut: 'cut: the beginning was left out for want of room',
  slide: 'slide: the oldest messages were dropped',
  expired: 'expired: the cache had forgotten it',
}

/** Explains only the causes that occur in the table. */
function describeCauses({ runs }: Comparison): string[] {
  const found = new Set(runs.flatMap(({ breaks }) => breaks.map(({ cause }) => cause)))
  if (found.size === 0) return []
  const causes = Object.entries(CAUSES).flatMap(([cause, text]) =>
    found.has(cause as BreakCause) ? [text] : [],
  )
  return [
    `Prefix breaks are requests that find less in the cache than the one before left there (${causes.join('; ')}).`,
  ]
}

/** Plain text has no type for names, so the backticks go. */
function plain(sentence: string): string {
  return sentence.replaceAll('`', '')
}
