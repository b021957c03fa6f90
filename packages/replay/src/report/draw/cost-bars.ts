import type { Prices } from '../../prices/prices.ts'
import { formatDifference, formatMoney, formatShare } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import { type MoneyShares, moneyShares, SHARE_NAMES, SHARES, type Share } from '../money-shares.ts'
import { referenceCost } from '../reference-cost.ts'
import type { ShownRun } from '../run-look.ts'
import { clipLimit } from './clip-limit.ts'
import { fitSettings } from './fit-settings.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { BOLD, shorten, textWidth } from './text-width.ts'

/** Where the parts of a row stand, from its top left corner. */
const LAYOUTS = {
  wide: { row: 46, bar: { x: 210, y: 7, width: 640, height: 26 }, name: 18, amountX: 960, nameRoom: 196 },
  narrow: { row: 60, bar: { x: 0, y: 24, width: 350, height: 24 }, name: 15, amountX: 350, nameRoom: 350 },
} as const
const NAME_SIZE = 15 * BOLD
const NOTE_SIZE = 12
const NOTE_LINE = 15

/** A cut bar is this much longer than the longest whole one. */
const ROOM_FOR_CUT = 0.84

/** What all rows share. */
interface Bars {
  readonly size: PictureSize
  readonly prices: Prices
  readonly limit: number
  readonly perMoney: number
  /** What the percentages compare with. */
  readonly reference: number
}

interface Row {
  readonly height: number
  readonly draw: (top: number) => Markup
}

export function costBars(runs: readonly ShownRun[], prices: Prices, size: PictureSize): Markup {
  const totals = runs.map(({ run }) => run.cost.total)
  const policies = runs.filter(({ run }) => run.kind === 'policy').map(({ run }) => run.cost.total)
  const limit = clipLimit(totals, policies)
  const isAnyCut = totals.some(total => total > limit)
  const perMoney = limit > 0 ? (LAYOUTS[size].bar.width * (isAnyCut ? ROOM_FOR_CUT : 1)) / limit : 0
  const reference = referenceCost(runs.map(({ run }) => run))
  const rows = runs.map(shown => layRow(shown, { size, prices, limit, perMoney, reference }))
  let bottom = 0
  const drawn = rows.map(({ height, draw }) => {
    bottom += height
    return draw(bottom - height)
  })
  return picture(
    {
      id: `cost-bars-${size}`,
      width: WIDTHS[size],
      height: Math.max(bottom, LAYOUTS[size].row),
      title: 'What each run costs',
      description: runs
        .map(({ run }) => `${run.name}: ${formatMoney(run.cost.total, prices.currency)}`)
        .join('; '),
    },
    [hatchPattern(size), drawn],
  )
}

function layRow(shown: ShownRun, bars: Bars): Row {
  const { size, prices, limit, perMoney, reference } = bars
  const { run } = shown
  const { total } = run.cost
  const layout = LAYOUTS[size]
  const amount = formatMoney(total, prices.currency)
  const difference = total === reference ? null : formatDifference(total, reference)
  const name = size === 'wide' ? wideName(shown) : narrowName(shown, amount, difference)
  const isCut = total > limit
  const { x, width, height } = layout.bar
  const y = layout.bar.y + name.aboveBar
  const length = isCut ? width : Math.max(total * perMoney, 2)
  return {
    height: layout.row + name.extra,
    draw: top => markup`<g class="row ${run.kind}" transform="translate(0 ${top})">
<title>${run.name}: ${amount}</title>
${name.drawn}
${stack(moneyShares(run, prices), { x, y, length, height }, total, prices.currency, hatch(shown, { x, y, length, height }, size))}
${isCut ? breakMark(x + width * 0.9, y, height) : null}
${drawAmount(amount, difference, size)}
</g>
`,
  }
}

interface Name {
  readonly drawn: Markup
  /** How much higher it makes the row, and how much of that lies above the bar. */
  readonly extra: number
  readonly aboveBar: number
}

function wideName({ title, subtitle }: ShownRun): Name {
  const { name, nameRoom } = LAYOUTS.wide
  const notes = subtitle === null ? [] : fitSettings(subtitle, NOTE_SIZE, nameRoom)
  const drawn = markup`<text class="name" y="${notes.length === 0 ? name + 7 : name}">${shorten(title, NAME_SIZE, nameRoom)}</text>
${noteLines(notes, name + 17)}`
  return { drawn, extra: Math.max(0, notes.length - 1) * NOTE_LINE, aboveBar: 0 }
}

/** The settings beside the name where there is room for all, else below it. */
function narrowName({ title, subtitle }: ShownRun, amount: string, difference: string | null): Name {
  const { name, nameRoom } = LAYOUTS.narrow
  const room = nameRoom - textWidth(amount, NAME_SIZE) - textWidth(difference ?? '', NOTE_SIZE) - 22
  const short = shorten(title, NAME_SIZE, room)
  const rest = room - textWidth(short, NAME_SIZE) - 8
  const isBeside = subtitle !== null && textWidth(subtitle, NOTE_SIZE) <= rest
  const notes = subtitle === null || isBeside ? [] : fitSettings(subtitle, NOTE_SIZE, nameRoom)
  const extra = notes.length * NOTE_LINE
  const drawn = markup`<text class="name" y="${name}">${short}${isBeside ? markup`<tspan class="note" dx="7">${subtitle}</tspan>` : null}</text>
${noteLines(notes, name + NOTE_LINE + 1)}`
  return { drawn, extra, aboveBar: extra }
}

function noteLines(notes: readonly string[], top: number): Markup[] {
  return notes.map(
    (note, index) => markup`<text class="note" y="${top + index * NOTE_LINE}">${note}</text>
`,
  )
}

function drawAmount(amount: string, difference: string | null, size: PictureSize): Markup {
  const { name, amountX } = LAYOUTS[size]
  if (difference === null)
    return markup`<text class="amount" x="${amountX}" y="${size === 'wide' ? name + 7 : name}" text-anchor="end">${amount}</text>`
  return size === 'narrow'
    ? markup`<text class="amount" x="${amountX}" y="${name}" text-anchor="end">${amount}<tspan class="note" dx="6">${difference}</tspan></text>`
    : markup`<text class="amount" x="${amountX}" y="${name}" text-anchor="end">${amount}</text>
<text class="note" x="${amountX}" y="${name + 17}" text-anchor="end">${difference}</text>`
}

interface Bar {
  readonly x: number
  readonly y: number
  readonly length: number
  readonly height: number
}

function hatch({ run }: ShownRun, { x, y, length, height }: Bar, size: PictureSize): Markup | null {
  if (run.kind === 'policy') return null
  return markup`<rect class="hatching" x="${x}" y="${y}" width="${length}" height="${height}" fill="url(#hatching-${size})"/>
`
}

function stack(
  shares: MoneyShares,
  { x, y, length, height }: Bar,
  total: number,
  currency: string,
  hatching: Markup | null,
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
  return markup`${rects}${hatching}${percentages}`
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
