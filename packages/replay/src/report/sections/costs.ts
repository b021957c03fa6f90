import type { Prices } from '../../prices/prices.ts'
import { costLimit } from '../draw/clip-limit.ts'
import { costBars, shareClass } from '../draw/cost-bars.ts'
import { formatCount, formatMoney } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import { moneyShares, SHARE_NAMES, SHARES } from '../money-shares.ts'
import type { ShownRun } from '../run-look.ts'
import { scrollable } from './scrollable.ts'

export function costs(runs: readonly ShownRun[], prices: Prices): Markup {
  const hasBaseline = runs.some(({ run }) => run.kind === 'baseline')
  const hasPolicy = runs.some(({ run }) => run.kind === 'policy')
  const limit = costLimit(runs)
  const present = SHARES.filter(share => runs.some(({ run }) => moneyShares(run, prices)[share] > 0))
  return markup`<section>
<h2>What each run costs</h2>
<p>${runs.length > 1 ? 'The whole replay, the cheapest first. The parts of a bar show' : 'The whole replay. The parts of the bar show'} what the money went to.${hasBaseline ? ' A baseline is a bot without a memory, for comparison.' : null}${runs.some(({ run }) => run.cost.total > limit) ? ' A bar with a gap goes on beyond the picture: its number counts, not its length.' : null}${runs.length > 1 && hasPolicy ? ' Percentages at the right compare with the cheapest policy.' : null}${tooShortNote(runs, prices)}</p>
<ul class="legend">
${present.map(share => markup`<li><span class="swatch ${shareClass(share)}"></span>${SHARE_NAMES[share]}</li>`)}
${hasBaseline ? markup`<li><span class="swatch hatched"></span>hatched: a baseline</li>` : null}
</ul>
<figure>${costBars(runs, prices)}</figure>
<details><summary>The parts in figures</summary>
${scrollable(
  'What the money went to',
  markup`<table>
<thead><tr><th scope="col">Run</th>${present.map(share => markup`<th scope="col">${SHARE_NAMES[share]}</th>`)}<th scope="col">Together</th></tr></thead>
<tbody>
${runs.map(({ run }) => {
  const shares = moneyShares(run, prices)
  return markup`<tr class="${run.kind}"><th scope="row">${run.name}</th>${present.map(share => markup`<td>${formatMoney(shares[share], prices.currency)}</td>`)}<td>${formatMoney(run.cost.total, prices.currency)}</td></tr>
`
})}</tbody>
</table>`,
)}</details>
</section>
`
}

/** Explains why a short context may cost more than a longer one. */
function tooShortNote(runs: readonly ShownRun[], { caching, leastCachedTokens }: Prices): string | null {
  const isTooShort = ({ run }: ShownRun) => run.tokens.meanContext < leastCachedTokens
  if (caching === 'none' || !runs.some(isTooShort)) return null
  return ` At these prices nothing shorter than ${formatCount(leastCachedTokens)} tokens is cached, so that a short context can cost more than a longer one.`
}
