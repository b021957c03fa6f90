import type { BreakCause, CallKind, Comparison, Run, Sweep, SweepPoint } from '../comparison.ts'
import type { Prices } from '../prices/prices.ts'
import { countFolds } from './count-folds.ts'
import { moneyShares } from './money-shares.ts'
import { pointLabel } from './sweep-points.ts'

type Row = Readonly<Partial<Record<string, string | number>>>

const CALL_KINDS: readonly CallKind[] = ['reply', 'summary', 'memo', 'extraction']
const BREAK_CAUSES: readonly BreakCause[] = ['fold', 'cut', 'slide', 'expired']

/** The names are a promise to readers of the file: new columns come last. */
export const COLUMNS: readonly string[] = [
  'kind',
  'name',
  'policy',
  'settings',
  'currency',
  'money',
  'mean_context_tokens',
  'peak_context_tokens',
  'folds',
  'messages',
  'cached_share',
  'input_money',
  'cache_write_money',
  'cached_input_money',
  'output_money',
  'memory_money',
  ...CALL_KINDS.flatMap(kind => [
    `${kind}_calls`,
    `${kind}_input_tokens`,
    `${kind}_cached_tokens`,
    `${kind}_cache_write_tokens`,
    `${kind}_output_tokens`,
    `${kind}_money`,
  ]),
  'log_tokens',
  'raw_tokens',
  'folded_tokens',
  'segment_tokens',
  ...BREAK_CAUSES.flatMap(cause => [`${cause}_breaks`, `${cause}_break_tokens`]),
]

/** RFC 4180: a row for each run, then a row for each point of a sweep, with what is known of that point. */
export function comparisonCsv({ prices, runs, sweep }: Comparison): string {
  const rows = [
    ...runs.map(run => runRow(run, prices)),
    ...(sweep?.points ?? []).map(point => pointRow(point, sweep!, prices)),
  ]
  const lines = [COLUMNS, ...rows.map(row => COLUMNS.map(column => toCell(row[column] ?? '')))]
  return lines.map(cells => `${cells.join(',')}\r\n`).join('')
}

function runRow(run: Run, prices: Prices): Row {
  const shares = moneyShares(run, prices)
  return {
    kind: run.kind,
    name: run.name,
    policy: run.policy ?? '',
    settings: Object.entries(run.settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    currency: prices.currency,
    money: run.cost.total,
    mean_context_tokens: run.tokens.meanContext,
    peak_context_tokens: run.tokens.peakContext,
    folds: countFolds(run),
    messages: run.messages,
    cached_share: run.tokens.cachedShare,
    input_money: shares.input,
    cache_write_money: shares.cacheWrite,
    cached_input_money: shares.cachedInput,
    output_money: shares.output,
    memory_money: shares.memory,
    ...callFigures(run),
    log_tokens: run.tokens.log,
    raw_tokens: run.tokens.raw,
    folded_tokens: run.tokens.folded,
    segment_tokens: run.tokens.segments,
    ...breakFigures(run),
  }
}

function pointRow(point: SweepPoint, sweep: Sweep, prices: Prices): Row {
  const settings = pointLabel(sweep, point)
  return {
    kind: 'sweep',
    name: `${sweep.policy} ${settings}`,
    policy: sweep.policy,
    settings,
    currency: prices.currency,
    money: point.money,
    mean_context_tokens: point.meanContext,
    peak_context_tokens: point.peakContext,
    folds: point.folds,
  }
}

function callFigures({ cost }: Run): Row {
  return Object.fromEntries(
    CALL_KINDS.flatMap(kind => {
      const call = cost.calls[kind]
      return [
        [`${kind}_calls`, call.calls],
        [`${kind}_input_tokens`, call.inputTokens],
        [`${kind}_cached_tokens`, call.cachedTokens],
        [`${kind}_cache_write_tokens`, call.cacheWriteTokens],
        [`${kind}_output_tokens`, call.outputTokens],
        [`${kind}_money`, call.money],
      ]
    }),
  )
}

function breakFigures({ breaks }: Run): Row {
  return Object.fromEntries(
    BREAK_CAUSES.flatMap(cause => {
      const those = breaks.filter(found => found.cause === cause)
      return [
        [`${cause}_breaks`, those.reduce((sum, found) => sum + found.count, 0)],
        [`${cause}_break_tokens`, those.reduce((sum, found) => sum + found.tokens, 0)],
      ]
    }),
  )
}

/** Writes no exponents, which some readers take for text, and no 0.30000000000000004. */
const plain = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 })

function toCell(value: string | number): string {
  if (typeof value === 'number') return plain.format(value)
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
