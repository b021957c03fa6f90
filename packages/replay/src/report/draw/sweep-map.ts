import type { Sweep, SweepPoint } from '../../comparison.ts'
import { formatDifference, formatMoney } from '../format.ts'
import { type Content, type Markup, markup } from '../markup.ts'
import { scrollable } from '../sections/scrollable.ts'
import { isBest, isFlat, pointLabel } from '../sweep-points.ts'

/** In percent: the depth of the colour in the dearest cell. Letters must stay readable on it. */
const DEEPEST = 60
/**
 * From this share above the best on, all cells have the same colour. Otherwise one outlier would make all
 * other cells look alike.
 */
const DEAR = 1

/**
 * For two settings: one cell for each combination. A deeper colour means a higher cost, and each cell says
 * how much more it costs.
 */
export function sweepMap(sweep: Sweep, currency: string): Markup {
  const [across = '', down = ''] = sweep.settings
  const columns = distinct(sweep, across)
  const { best } = sweep
  const more = ({ money }: SweepPoint) => (best.money > 0 ? Math.min(money / best.money - 1, DEAR) : 0)
  const reach = Math.max(...sweep.points.map(more))
  const isBestPoint = isBest(sweep)
  const isFlatPoint = isFlat(sweep)

  const cell = (point: SweepPoint): Markup => {
    const look = isBestPoint(point) ? 'is-best' : isFlatPoint(point) ? 'is-flat' : ''
    const money = formatMoney(point.money, currency)
    const depth = reach > 0 ? (more(point) / reach) * DEEPEST : 0
    const difference = isBestPoint(point) ? null : formatDifference(point.money, best.money)
    return markup`<td class="${look}" style="--depth:${depth}%" title="${pointLabel(sweep, point)}: ${money}">${difference === null ? money : inBothLengths(difference)}</td>`
  }
  const table = markup`<table class="map" id="sweep-map">
<caption>→ ${across}<br>↓ ${down}</caption>
<thead><tr><td></td>${columns.map(value => markup`<th scope="col">${String(value)}</th>`)}</tr></thead>
<tbody>
${distinct(sweep, down).map(value => {
  const row = sweep.points.filter(point => point.values[down] === value)
  return markup`<tr><th scope="row">${String(value)}</th>${columns.map(column => {
    const point = row.find(({ values }) => values[across] === column)
    return point ? cell(point) : markup`<td></td>`
  })}</tr>
`
})}</tbody>
</table>`
  return scrollable(`Money against ${across} and ${down}`, table)
}

/** A narrow screen has no room for decimals. */
function inBothLengths(difference: string): Content {
  const whole = difference.replace(/(?<![<>])\b\d+\.\d+/, number => String(Math.round(Number(number))))
  return whole === difference
    ? difference
    : markup`<span class="wide">${difference}</span><span class="narrow">${whole}</span>`
}

function distinct(sweep: Sweep, setting: string): number[] {
  return [...new Set(sweep.points.map(point => point.values[setting] ?? 0))].sort((a, b) => a - b)
}
