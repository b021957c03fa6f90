import type { Entrant, Figures, Row } from './figures.ts'
import { milliseconds, number } from './report.ts'

interface Chart {
  readonly file: string
  readonly title: string
  readonly of: (row: Row) => number | null
  readonly format: (value: number) => string
}

const CHARTS: readonly Chart[] = [
  {
    file: 'benchmark-appends.svg',
    title: 'Appends a second, one after another (more is better)',
    of: ({ appendRate }) => appendRate,
    format: value => number(value),
  },
  {
    file: 'benchmark-contexts.svg',
    title: 'Context, p50 (shorter is better)',
    of: ({ contextP50 }) => contextP50,
    format: value => milliseconds(value),
  },
]

const WIDTH = 860
const LEFT = 285
const RIGHT = 90
const TOP = 62
const BAR = 9
const GAP = 10
const FONT = 'font-family="system-ui, sans-serif"'
/** From the smallest history to the largest. */
const SHADES: Readonly<Record<string, readonly string[]>> = {
  ours: ['#f5c08a', '#e8923c', '#b95f0e'],
  peer: ['#c3cad3', '#8b96a5', '#556070'],
  bare: ['#e3e6ea', '#cdd2d9', '#b4bbc5'],
}

/** A group of bars for each contestant, one bar for each size, on a logarithmic scale. */
export function drawCharts(figures: Figures): { file: string; svg: string }[] {
  return CHARTS.map(chart => ({ file: chart.file, svg: draw(chart, figures) }))
}

function draw({ title, of, format }: Chart, { contestants, sizes }: Figures): string {
  const valuesOf = ({ name }: Entrant) =>
    sizes.map(({ rows }) => {
      const row = rows.find(candidate => candidate.name === name)
      return row === undefined ? null : of(row)
    })
  const present = contestants.filter(entrant => valuesOf(entrant).some(value => value !== null))
  const values = present.flatMap(valuesOf).filter(value => value !== null)
  const least = Math.floor(Math.log10(Math.min(...values)) - 0.05)
  const most = Math.ceil(Math.log10(Math.max(...values)))
  const x = (value: number) => LEFT + ((Math.log10(value) - least) / (most - least)) * (WIDTH - LEFT - RIGHT)
  const groupHeight = BAR * sizes.length + GAP
  const height = TOP + present.length * groupHeight + 12
  const parts = [
    `<rect width="${WIDTH}" height="${height}" rx="6" fill="#ffffff"/>`,
    text({ x: 16, y: 24, content: title, size: 15, weight: 600 }),
    text({
      x: 16,
      y: 42,
      content: `with ${sizes.map(({ messages }) => messages.toLocaleString('en')).join(', ')} messages, from top to bottom; logarithmic scale`,
      size: 11,
    }),
  ]
  for (let power = least; power <= most; power++) {
    const at = x(10 ** power)
    parts.push(
      `<line x1="${round(at)}" x2="${round(at)}" y1="${TOP - 4}" y2="${height - 10}" stroke="#eceff2"/>`,
    )
    parts.push(text({ x: at, y: TOP - 8, content: format(10 ** power), size: 10, anchor: 'middle' }))
  }
  for (const [group, entrant] of present.entries()) {
    const top = TOP + group * groupHeight
    const middle = top + (BAR * sizes.length) / 2 + 4
    parts.push(text({ x: LEFT - 8, y: middle, content: entrant.label, size: 11.5, anchor: 'end' }))
    for (const [index, value] of valuesOf(entrant).entries()) {
      const y = top + index * BAR
      if (value === null) continue
      const end = x(value)
      parts.push(
        `<rect x="${LEFT}" y="${y}" width="${round(Math.max(1, end - LEFT))}" height="${BAR - 1}" fill="${shade(entrant, index)}"/>`,
      )
      if (index === sizes.length - 1)
        parts.push(text({ x: end + 5, y: y + BAR - 1, content: format(value), size: 10 }))
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${escapeMarkup(title)}">\n${parts.join('\n')}\n</svg>\n`
}

function shade({ role }: Entrant, index: number): string {
  const shades = SHADES[role] ?? SHADES['ours']!
  return shades[Math.min(index, shades.length - 1)]!
}

function text({
  x,
  y,
  content,
  size,
  anchor = 'start',
  weight = 400,
}: {
  x: number
  y: number
  content: string
  size: number
  anchor?: 'start' | 'middle' | 'end'
  weight?: number
}): string {
  return `<text x="${round(x)}" y="${round(y)}" ${FONT} font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="#1f2630">${escapeMarkup(content)}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeMarkup(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
