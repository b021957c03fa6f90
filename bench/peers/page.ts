import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawCharts } from './chart.ts'
import type { Figures } from './figures.ts'
import { DOCS, putIntoPage } from './page-part.ts'
import { COLUMNS, DURABILITIES, entrantOf, milliseconds, times } from './report.ts'

/**
 * Puts the figures of a run into docs/benchmarks.md, between its marks, and the pictures beside it:
 * `node page.ts [FIGURES]`, which is `figures.json` here if none is named.
 */
const IMAGES = join(DOCS, 'images')

const file = process.argv[2] ?? join(import.meta.dirname, 'figures.json')
const figures = JSON.parse(readFileSync(file, 'utf8')) as Figures

const PARTS: Readonly<Record<string, () => string>> = { machine, factors, sizes, contestants }

for (const [name, make] of Object.entries(PARTS)) putIntoPage(name, make())
mkdirSync(IMAGES, { recursive: true })
for (const { file: name, svg } of drawCharts(figures)) writeFileSync(join(IMAGES, name), svg)

function machine(): string {
  const { date, machine: on, nodeMs, quick } = figures
  return [
    `${date.slice(0, 10)}, ${on.cpu}, ${on.cores} cores, ${on.system}, Node ${on.node.slice(1)}.`,
    `The load was ${on.load.toFixed(1)} before and ${on.loadAfter.toFixed(1)} after${quick ? ', and it was the short form (`--quick`)' : ''}.`,
    `Starting Node with our own small file takes ${milliseconds(nodeMs)}, which is in every "first context".`,
  ].join(' ')
}

function factors(): string {
  const heads = figures.sizes.map(({ messages }) => messages.toLocaleString('en'))
  const head = [
    'ours over',
    'ours',
    ...heads.map(size => `appends, ${size}`),
    ...heads.map(size => `context, ${size}`),
  ]
  const rows = figures.contestants
    .filter(({ role }) => role !== 'ours')
    .map(({ name, label }) => {
      const own = figures.factors.filter(factor => factor.name === name)
      const beside = entrantOf(figures, own[0]!.ours).label.replace('Palimpsest, ', '')
      return [
        label,
        beside,
        ...own.map(({ appends }) => times(appends)),
        ...own.map(({ context }) => times(context)),
      ]
    })
  return table(head, rows, 2)
}

function sizes(): string {
  return figures.sizes
    .map(({ messages, rows }) => {
      const head = ['', 'survives', ...COLUMNS.map(column => column.head)]
      const lines = rows.map(row => {
        const { label, durability } = entrantOf(figures, row.name)
        return [label, DURABILITIES[durability], ...COLUMNS.map(({ of }) => of(row))]
      })
      const problems = rows
        .filter(({ problem }) => problem !== null)
        .map(({ name, problem }) => `- ${entrantOf(figures, name).label}: ${problem}`)
      const few = rows
        .filter(
          ({ contexts, appendsPerSecond }) => contexts > 0 && contexts < 20 && appendsPerSecond.length > 0,
        )
        .map(
          ({ name, contexts, appendsPerSecond }) =>
            `${entrantOf(figures, name).label} (${appendsPerSecond.length} rounds, ${contexts} contexts)`,
        )
      return [
        `### ${messages.toLocaleString('en')} messages`,
        table(head, lines, 2),
        ...(problems.length > 0 ? [problems.join('\n')] : []),
        ...(few.length > 0
          ? [`So slow that few were measured, and p99 is the slowest: ${few.join(', ')}.`]
          : []),
      ].join('\n\n')
    })
    .join('\n\n')
}

function contestants(): string {
  const head = [
    '',
    'versions',
    'how it writes, as the opened store says',
    'how it was used, and what it does not do',
  ]
  const rows = figures.contestants.map(({ label, versions, durabilityRead, notes }) => [
    label,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    durabilityRead,
    notes,
  ])
  return table(head, rows, head.length)
}

/** Padded, as the other pages have them; numbers to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[], texts: number): string {
  const widths = head.map((cell, column) => Math.max(3, cell.length, ...rows.map(row => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column < texts ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`
  const rule = widths.map((width, column) =>
    column < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}
