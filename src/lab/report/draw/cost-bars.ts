import type { Prices } from '../../prices/prices.ts'
import { formatDifference, formatMoney, formatShare } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import { type MoneyShares, moneyShares, SHARE_NAMES, SHARES, type Share } from '../money-shares.ts'
import type { ShownRun } from '../run-look.ts'
import { clipLimit } from './clip-limit.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { BOLD, shorten, shortenName, textWidth } from './text-width.ts'

/** Where the parts of a row stand, from its top left corner. */
const LAYOUTS = {
  wide: { row: 46, bar: { x: 210, y: 7, width: 640, height: 26 }, name: 18, amountX: 960, nameRoom: 196 },
  narrow: { row: 60, bar: { x: 0, y: 24, width: 350, height: 24 }, name: 15, amountX: 350, nameRoom: 350 },
} as const

/** A cut bar is this much longer than the longest whole one. */
const ROOM_FOR_CUT = 0.84

export function costBars(runs: readonly ShownRun[], prices: Prices, size: PictureSize): Markup {
  const layout = LAYOUTS[size]
  const totals = runs.map(({ run }) => run.cost.total)
  const policies = runs.filter(({ run }) => run.kind === 'policy').map(({ run }) => run.cost.total)
  const limit = clipLimit(totals, policies)
  const cut = totals.some(total => total > limit)
  const perMoney = limit > 0 ? (layout.bar.width * (cut ? ROOM_FOR_CUT : 1)) / limit : 0
  const cheapest = Math.min(...totals)

  const rows = runs.map(({ run, title, subtitle }, index) => {
    const isCut = run.cost.total > limit
    const { x, y, width, height } = layout.bar
    const length = isCut ? width : Math.max(run.cost.total * perMoney, 2)
    const hatch =
      run.kind === 'baseline'
        ? markup`<rect class="hatching" x="${x}" y="${y}" width="${length}" height="${height}" fill="url(#hatching-${size})"/>
`
        : null
    const bar = stack(
      moneyShares(run, prices),
      { x, y, length, height },
      run.cost.total,
      prices.currency,
      hatch,
    )
    const amount = formatMoney(run.cost.total, prices.currency)
    const difference = run.cost.total > cheapest ? formatDifference(run.cost.total, cheapest) : null
    const oneLine = size === 'narrow' || subtitle === null
    return markup`<g class="row ${run.kind}" transform="translate(0 ${index * layout.row})">
<title>${run.name}: ${amount}</title>
${
  size === 'narrow'
    ? narrowName(
        title,
        subtitle,
        WIDTHS.narrow - textWidth(amount, 15 * BOLD) - textWidth(difference ?? '', 12) - 22,
      )
    : markup`<text class="name" y="${oneLine ? layout.name + 7 : layout.name}">${shorten(title, 15 * BOLD, layout.nameRoom)}</text>
${subtitle === null ? null : markup`<text class="note" y="${layout.name + 17}">${shortenName(subtitle, 12, layout.nameRoom)}</text>`}`
}
${bar}
${isCut ? breakMark(x + width * 0.9, y, height) : null}
${
  size === 'narrow'
    ? markup`<text class="amount" x="${layout.amountX}" y="${layout.name}" text-anchor="end">${amount}${difference === null ? null : markup`<tspan class="note" dx="6">${difference}</tspan>`}</text>`
    : markup`<text class="amount" x="${layout.amountX}" y="${difference === null ? layout.name + 7 : layout.name}" text-anchor="end">${amount}</text>
${difference === null ? null : markup`<text class="note" x="${layout.amountX}" y="${layout.name + 17}" text-anchor="end">${difference}</text>`}`
}
</g>
`
  })
  return picture(
    {
      id: `cost-bars-${size}`,
      width: WIDTHS[size],
      height: Math.max(runs.length, 1) * layout.row,
      title: 'What each run costs',
      description: runs
        .map(({ run }) => `${run.name}: ${formatMoney(run.cost.total, prices.currency)}`)
        .join('; '),
    },
    [hatchPattern(size), rows],
  )
}

function narrowName(title: string, subtitle: string | null, room: number): Markup {
  const short = shorten(title, 15 * BOLD, room)
  const rest = room - textWidth(short, 15 * BOLD) - 8
  return markup`<text class="name" y="15">${short}${subtitle === null || rest < 30 ? null : markup`<tspan class="note" dx="7">${shortenName(subtitle, 12, rest)}</tspan>`}</text>`
}

function stack(
  shares: MoneyShares,
  { x, y, length, height }: { x: number; y: number; length: number; height: number },
  total: number,
  currency: string,
  hatch: Markup | null,
): Markup {
  if (total <= 0) return markup`<rect class="nothing" x="${x}" y="${y}" width="2" height="${height}"/>`
  let end = x
  const parts = SHARES.filter(share => shares[share] > 0).map(share => {
    const width = (shares[share] / total) * length
    end += width
    return { share, width, start: end - width }
  })
  const rects = parts.map(
    ({ share, width, start }) =>
      markup`<rect class="share ${shareClass(share)}" x="${start}" y="${y}" width="${width}" height="${height}"><title>${SHARE_NAMES[share]}: ${formatMoney(shares[share], currency)}</title></rect>
`,
  )
  const percentages = parts
    .filter(({ width }) => width >= 38)
    .map(
      ({ share, width, start }) =>
        markup`<text class="inside ${shareClass(share)}" x="${start + width / 2}" y="${y + height / 2 + 4}" text-anchor="middle">${formatShare(shares[share] / total)}</text>
`,
    )
  return markup`${rects}${hatch}${percentages}`
}

export function shareClass(share: Share): string {
  return `share-${share.toLowerCase()}`
}

function breakMark(x: number, y: number, height: number): Markup {
  return markup`<path class="break" d="M${x} ${y + height + 3} l8 ${-height - 6} h6 l-8 ${height + 6} z"/>
<path class="break-edge" d="M${x} ${y + height + 3} l8 ${-height - 6} m6 0 l-8 ${height + 6}"/>`
}

function hatchPattern(size: PictureSize): Markup {
  return markup`<defs><pattern id="hatching-${size}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="2.5" height="7"/></pattern></defs>
`
}
