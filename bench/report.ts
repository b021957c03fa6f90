import Table from 'cli-table3'
import { type Figure, type Result, reachesAim } from './benchmark.ts'

const DIGITS = {
  ratio: 2,
  'per second': 0,
  ms: 3,
  bytes: 0,
  MB: 0,
  'MB/s': 2,
  tokens: 0,
  folds: 0,
  rows: 0,
  processes: 1,
} as const

export function toTable(results: Readonly<Record<string, Result>>): string {
  const table = new Table({ head: ['', 'figure', 'value', 'aim', ''], style: { head: [], border: [] } })
  for (const [name, { figures }] of Object.entries(results)) {
    for (const [index, figure] of figures.entries())
      table.push([
        index === 0 ? name : '',
        figure.name,
        formatValue(figure),
        formatAim(figure),
        verdict(figure),
      ])
  }
  return table.toString()
}

function format(value: number, unit: Figure['unit']): string {
  const digits = DIGITS[unit]
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function formatValue({ value, unit }: Figure): string {
  return unit === 'ratio' ? format(value, unit) : `${format(value, unit)} ${unit}`
}

function formatAim({ aim }: Figure): string {
  if (aim === undefined) return ''
  return 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`
}

function verdict(figure: Figure): string {
  const reached = reachesAim(figure)
  return reached === null ? '' : reached ? 'reached' : 'missed'
}
