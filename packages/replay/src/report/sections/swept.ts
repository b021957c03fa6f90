import type { Sweep } from '../../comparison.ts'
import { describeSweep } from '../describe-sweep.ts'
import { inBothSizes } from '../draw/picture.ts'
import { sweepLine } from '../draw/sweep-line.ts'
import { sweepMap } from '../draw/sweep-map.ts'
import { formatCount, formatDifference, formatMoney, formatShare, formatTokens } from '../format.ts'
import { type Markup, markup, withCode } from '../markup.ts'
import { isBest } from '../sweep-points.ts'
import { scrollable } from './scrollable.ts'

export function swept(sweep: Sweep, currency: string): Markup {
  const names = sweep.settings.map(setting => `\`${setting}\``).join(' and ')
  return markup`<section>
<h2>${withCode(`How the costs of \`${sweep.policy}\` depend on ${names}`)}</h2>
<p class="finding">${withCode(describeSweep(sweep, currency))}</p>
${drawing(sweep, currency)}
<details><summary>All values in figures</summary>${pointTable(sweep, currency)}</details>
</section>
`
}

function drawing(sweep: Sweep, currency: string): Markup | null {
  const within = formatShare(sweep.flat.within)
  if (sweep.points.every(point => point.money === 0)) return null
  if (sweep.settings.length === 1)
    return markup`<p>The ring marks the best value. Full dots and the shaded region cost at most ${within} more, up to the dashed line. The axis need not begin at zero.</p>
<figure>${inBothSizes(size => sweepLine(sweep, currency, size))}</figure>`
  if (sweep.settings.length === 2)
    return markup`<p>Each cell says how much more it costs than the best, which has the thick frame. A dashed frame: at most ${within} more.</p>
<figure>${sweepMap(sweep, currency)}</figure>`
  return null
}

function pointTable(sweep: Sweep, currency: string): Markup {
  const { settings, points, best } = sweep
  const bestPoint = isBest(sweep)
  return scrollable(
    'All values that were tried',
    markup`<table>
<thead><tr>${settings.map(setting => markup`<th scope="col">${setting}</th>`)}<th scope="col">Money</th><th scope="col">Beside the best</th><th scope="col">Mean context</th><th scope="col">Peak context</th><th scope="col">Folds</th></tr></thead>
<tbody>
${points.map(
  point =>
    markup`<tr class="${bestPoint(point) ? 'is-best' : ''}">${settings.map(setting => markup`<td>${String(point.values[setting] ?? '')}</td>`)}<td>${formatMoney(point.money, currency)}</td><td>${bestPoint(point) ? 'best' : (formatDifference(point.money, best.money) ?? '')}</td><td>${formatTokens(point.meanContext)}</td><td>${formatTokens(point.peakContext)}</td><td>${formatCount(point.folds)}</td></tr>
`,
)}</tbody>
</table>`,
  )
}
