import type { Run } from '../../comparison.ts'
import type { Prices } from '../../prices/prices.ts'
import { formatDifference, formatMoney, formatShare } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import { moneyShares, SHARE_NAMES, SHARES, type Share } from '../money-shares.ts'
import { referenceCost } from '../reference-cost.ts'
import type { ShownRun } from '../run-look.ts'
import { costLimit } from './clip-limit.ts'

/** In percent of the room. A cut bar fills the room; beside it, no whole bar is longer than this. */
const ROOM_BESIDE_CUT = 84

/**
 * A list that the style sheet draws as bars. The browser fits it to any width, and a screen reader can read
 * its words.
 */
export function costBars(runs: readonly ShownRun[], prices: Prices): Markup {
  const limit = costLimit(runs)
  const room = runs.some(({ run }) => run.cost.total > limit) ? ROOM_BESIDE_CUT : 100
  const reference = referenceCost(runs.map(({ run }) => run))
  return markup`<ul class="bars" role="list" aria-label="What each run costs">
${runs.map(({ run, title, subtitle }) => {
  const { total } = run.cost
  const amount = formatMoney(total, prices.currency)
  const difference = total === reference ? null : formatDifference(total, reference)
  const isCut = total > limit
  return markup`<li class="row ${run.kind}" title="${run.name}: ${amount}">
<span class="name">${title}${note(subtitle)}</span>
<span class="room">${stack(run, prices, isCut ? 100 : limit > 0 ? (total / limit) * room : 0)}${isCut ? markup`<span class="break"></span>` : null}</span>
<span class="amount">${amount}${note(difference)}</span>
</li>
`
})}</ul>
`
}

function note(text: string | null): Markup | null {
  return text === null ? null : markup` <small>${text}</small>`
}

function stack(run: Run, prices: Prices, length: number): Markup {
  const { total } = run.cost
  const money = moneyShares(run, prices)
  const parts = SHARES.filter(share => money[share] > 0).map(share => ({
    share,
    percent: (money[share] / total) * 100,
    words: `${SHARE_NAMES[share]}: ${formatMoney(money[share], prices.currency)}`,
  }))
  const words = parts.length === 0 ? 'nothing' : parts.map(part => part.words).join('; ')
  return markup`<span class="stack" role="img" aria-label="${words}" style="width:${length}%">${parts.map(
    ({ share, percent, words }) =>
      markup`<span class="share ${shareClass(share)}" style="width:${percent}%" title="${words}"><span class="inside">${formatShare(percent / 100)}</span></span>`,
  )}</span>`
}

export function shareClass(share: Share): string {
  return `share-${share.toLowerCase()}`
}
