import type { Sweep, SweepPoint } from '../../comparison.ts'
import { describeSweep } from '../describe-sweep.ts'
import { formatDifference, formatMoney } from '../format.ts'
import { type Markup, markup, withoutCode } from '../markup.ts'
import { isBest, isFlat, pointLabel } from '../sweep-points.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { BOLD, shorten, textWidth } from './text-width.ts'

const LAYOUTS = {
  wide: { left: 76, letters: 13, row: 38, widest: 92 },
  narrow: { left: 46, letters: 11, row: 32, widest: 76 },
} as const
const TOP = 64
/** How deep the colour of the dearest is: letters must stay readable on it. */
const DEEPEST = 0.6
/** From here on all is simply dear: one outlier shall not make everything else look alike. */
const DEAR = 1

/** Two settings: a cell a combination, the deeper the dearer; each says how much more it costs. */
export function sweepMap(sweep: Sweep, currency: string, size: PictureSize): Markup {
  const [across = '', down = ''] = sweep.settings
  const columns = distinct(sweep, across)
  const rows = distinct(sweep, down)
  const { left, letters, row, widest } = LAYOUTS[size]
  const cell = Math.min(widest, (WIDTHS[size] - left - 2) / Math.max(columns.length, 1))
  const { best } = sweep
  const dearest = Math.max(...sweep.points.map(point => point.money))
  const reach = best.money > 0 ? Math.min(dearest / best.money - 1, DEAR) : 0
  const height = TOP + rows.length * row + 4
  const flat = isFlat(sweep)
  const bestPoint = isBest(sweep)

  const cells = sweep.points.map(point => {
    const x = left + columns.indexOf(point.values[across] ?? 0) * cell
    const y = TOP + rows.indexOf(point.values[down] ?? 0) * row
    const more = best.money > 0 ? Math.min(point.money / best.money - 1, DEAR) : 0
    const depth = reach > 0 ? (more / reach) * DEEPEST : 0
    const isBold = bestPoint(point)
    const fits = (text: string) => textWidth(text, isBold ? letters * BOLD : letters) <= cell - 6
    const text = cellTexts(point, sweep, currency, isBold).find(fits)
    return markup`<g class="${cellClass(flat(point), isBold)}"><title>${pointLabel(sweep, point)}: ${formatMoney(point.money, currency)}</title>
<rect class="cell" x="${x + 1.5}" y="${y + 1.5}" width="${cell - 3}" height="${row - 3}" rx="3" fill-opacity="${depth}"/>
${text ? markup`<text class="cell-text" x="${x + cell / 2}" y="${y + row / 2 + 4}" font-size="${letters}" text-anchor="middle">${text}</text>` : null}</g>
`
  })
  return picture(
    {
      id: `sweep-map-${size}`,
      width: WIDTHS[size],
      height,
      title: `Money against ${across} and ${down}`,
      description: withoutCode(describeSweep(sweep, currency)),
    },
    [
      markup`<text class="tick strong" x="0" y="12">${shorten(`→ ${across}`, 12, WIDTHS[size])}</text>
<text class="tick strong" x="0" y="30">${shorten(`↓ ${down}`, 12, WIDTHS[size])}</text>
`,
      columns.map(
        (value, index) =>
          markup`<text class="tick" x="${left + (index + 0.5) * cell}" y="${TOP - 6}" text-anchor="middle">${shorten(String(value), 12, cell - 2)}</text>
`,
      ),
      rows.map(
        (value, index) =>
          markup`<text class="tick" x="${left - 10}" y="${TOP + (index + 0.5) * row + 4}" text-anchor="end">${shorten(String(value), 12, left - 14)}</text>
`,
      ),
      cells,
    ],
  )
}

function cellClass(flat: boolean, best: boolean): string {
  return best ? 'is-best' : flat ? 'is-flat' : ''
}

/** What a cell may say, the most exact first. */
function cellTexts(point: SweepPoint, sweep: Sweep, currency: string, best: boolean): string[] {
  const money = formatMoney(point.money, currency)
  if (best) return [money, 'best']
  const difference = formatDifference(point.money, sweep.best.money)
  return difference === null
    ? [money]
    : [difference, difference.replace(/\d+\.\d+/, number => String(Math.round(Number(number))))]
}

function distinct(sweep: Sweep, setting: string): number[] {
  return [...new Set(sweep.points.map(point => point.values[setting] ?? 0))].sort((a, b) => a - b)
}
