import Table from 'cli-table3'
import type { Entrant, Figures, Row } from './figures.ts'

/** Columns of a size, for a terminal and for the page alike. */
export const COLUMNS: readonly { readonly head: string; readonly of: (row: Row) => string }[] = [
  { head: 'appends/s', of: row => number(row.appendRate) },
  { head: 'context p50', of: row => milliseconds(row.contextP50) },
  { head: 'p99', of: row => milliseconds(row.contextP99) },
  { head: 'written/append', of: row => bytes(row.bytesPerAppend) },
  { head: 'on disk/message', of: row => bytes(row.bytesPerMessage) },
  { head: 'first context', of: row => milliseconds(row.firstContextMs) },
  { head: 'resident', of: row => bytes(row.residentBytes) },
  { head: 'at most', of: row => bytes(row.peakBytes) },
]

export const DURABILITIES = {
  full: 'power cut',
  normal: 'process',
  unsynced: 'process, unsynced',
  none: 'nothing',
  server: 'server, power cut',
} as const

export function toReport(figures: Figures): string {
  const parts = figures.sizes.map(({ messages, rows }) => {
    const table = new Table({
      head: [`${messages.toLocaleString('en')} messages`, 'survives', ...COLUMNS.map(({ head }) => head)],
      style: { head: [], border: [], compact: true },
      colAligns: ['left', 'left', ...COLUMNS.map(() => 'right' as const)],
    })
    for (const row of rows) {
      const entrant = entrantOf(figures, row.name)
      const cells = COLUMNS.map(({ of }) => of(row))
      table.push([entrant.label, DURABILITIES[entrant.durability], ...cells])
    }
    const problems = rows.flatMap(({ name, problem }) =>
      problem === null ? [] : [`${entrantOf(figures, name).label}: ${problem}`],
    )
    return [table.toString(), ...problems].join('\n')
  })
  return [...parts, factorTable(figures), heading(figures)].join('\n\n')
}

/** How many times ours is ahead: appends a second, then context p50. */
function factorTable({ contestants, sizes, factors }: Figures): string {
  const heads = sizes.map(({ messages }) => messages.toLocaleString('en'))
  const table = new Table({
    head: [
      'ours is ahead of',
      ...heads.map(head => `appends, ${head}`),
      ...heads.map(head => `context, ${head}`),
    ],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', ...[...heads, ...heads].map(() => 'right' as const)],
  })
  for (const { name, label, role } of contestants) {
    if (role === 'ours') continue
    const own = factors.filter(factor => factor.name === name)
    table.push([
      label,
      ...own.map(({ appends }) => times(appends)),
      ...own.map(({ context }) => times(context)),
    ])
  }
  return table.toString()
}

function heading({ date, machine, nodeMs, contestants }: Figures): string {
  const versions = contestants.flatMap(({ versions: own }) => Object.entries(own))
  const distinct = [...new Map(versions)].map(([name, version]) => `${name} ${version}`)
  return [
    `${date}, ${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}; load ${machine.load.toFixed(1)} before, ${machine.loadAfter.toFixed(1)} after`,
    `Starting Node and our own file: ${milliseconds(nodeMs)}, in every first context`,
    distinct.join(', '),
    ...contestants.map(({ label, durabilityRead }) => `${label}: ${durabilityRead}`),
  ].join('\n')
}

export function entrantOf({ contestants }: Figures, name: string): Entrant {
  return contestants.find(contestant => contestant.name === name)!
}

export function times(factor: number | null): string {
  if (factor === null) return '–'
  if (factor >= 100) return `${number(Math.round(factor))}×`
  return `${factor.toFixed(factor < 10 ? 2 : 1)}×`
}

export function number(value: number | null): string {
  if (value === null) return '–'
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

export function milliseconds(value: number | null): string {
  if (value === null) return '–'
  return value >= 10_000 ? `${number(value / 1_000)} s` : `${number(value)} ms`
}

export function bytes(value: number | null): string {
  if (value === null) return '–'
  if (value >= 1e6) return `${number(value / 1e6)} MB`
  return value >= 10_000 ? `${number(value / 1e3)} kB` : `${number(Math.round(value))} B`
}
