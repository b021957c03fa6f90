import type { Sweep } from '../../comparison.ts'
import { describeSweep } from '../describe-sweep.ts'
import { formatDifference, formatMoney, formatShare } from '../format.ts'
import { type Markup, markup, withoutCode } from '../markup.ts'
import { flatStretch, isBest, isFlat, sweptValue, valuesInOrder } from '../sweep-points.ts'
import { clipLimit } from './clip-limit.ts'
import { moneyTicks } from './money-ticks.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { linearScale, type Scale, ticksBetween } from './scale.ts'
import { textWidth } from './text-width.ts'

const LAYOUTS = {
  wide: { left: 62, right: 936, height: 340 },
  narrow: { left: 50, right: 334, height: 280 },
} as const
const TOP = 46
const BOTTOM = 52
/** Small differences shall look small: the axis reaches at least so far above the best. */
const MIN_REACH = 0.25
/** Values that double each time are shown at equal steps. */
const WIDE_SPAN = 16

/** Money against one setting's value, the best marked and its flat surroundings shaded. */
export function sweepLine(sweep: Sweep, currency: string, size: PictureSize): Markup {
  const { left, right, height } = LAYOUTS[size]
  const bottom = height - BOTTOM
  const ordered = valuesInOrder(sweep)
  const values = ordered.map(point => sweptValue(sweep, point))
  const x = valueScale(values, [left + 14, right - 14])
  const { best } = sweep
  const limit = clipLimit(ordered.map(point => point.money))
  const high = Math.max(limit, best.money * (1 + MIN_REACH))
  const low = Math.max(0, best.money - (high - best.money) * 0.25)
  const y = linearScale([low, high > low ? high : low + 1], [bottom, TOP])
  const shownY = (money: number) => y(Math.min(money, high))
  const stretch = flatStretch(sweep)
  const flat = isFlat(sweep)
  const bestLook = isBest(sweep)
  const within = best.money * (1 + sweep.flat.within)
  const setting = sweep.settings[0] ?? ''

  return picture(
    {
      id: `sweep-line-${size}`,
      width: WIDTHS[size],
      height,
      title: `Money against ${setting}`,
      description: withoutCode(describeSweep(sweep, currency)),
    },
    [
      ordered.length > 1 && stretch.to > stretch.from
        ? markup`<rect class="flat" x="${x(values[stretch.from]!) - 10}" y="${TOP - 22}" width="${x(values[stretch.to]!) - x(values[stretch.from]!) + 20}" height="${bottom - TOP + 22}" rx="4"/>
${flatLabel(x(values[stretch.from]!), x(values[stretch.to]!), `at most ${formatShare(sweep.flat.within)} more`, [left, right])}
`
        : null,
      moneyTicks(ticksBetween(low, high, 5), currency).map(
        ({
          tick,
          text,
        }) => markup`<line class="grid" x1="${left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${text}</text>
`,
      ),
      best.money > 0
        ? markup`<line class="within" x1="${left}" x2="${right}" y1="${y(within)}" y2="${y(within)}"/>
`
        : null,
      markup`<polyline class="line" points="${ordered.map((point, index) => markup`${x(values[index]!)},${shownY(point.money)} `)}"/>
`,
      ordered.map((point, index) => {
        const [atX, atY] = [x(values[index]!), shownY(point.money)]
        const amount = formatMoney(point.money, currency)
        return markup`<g><title>${setting}=${values[index]!}: ${amount}${differenceNote(point.money, best.money)}</title>
${
  point.money > high
    ? markup`<path class="exit" d="M${atX - 5} ${atY + 2} l5 -9 l5 9 z"/><text class="tick strong" x="${atX}" y="${atY - 12}" text-anchor="middle">${amount}</text>`
    : markup`<circle class="${flat(point) ? 'point is-flat' : 'point'}" cx="${atX}" cy="${atY}" r="4"/>`
}
${bestLook(point) ? markup`<circle class="best" cx="${atX}" cy="${atY}" r="9"/>${bestLabel(atX, atY, `best: ${values[index]!}, ${amount}`, [left, right])}` : null}</g>
`
      }),
      valueTicks(values, x, bottom),
      markup`<text class="tick strong" x="${(left + right) / 2}" y="${height - 6}" text-anchor="middle">${setting}</text>
`,
    ],
  )
}

function differenceNote(money: number, best: number): string {
  const difference = formatDifference(money, best)
  return difference === null ? '' : ` (${difference})`
}

function valueScale(values: readonly number[], range: readonly [number, number]): Scale {
  const [low, high] = [values[0] ?? 0, values.at(-1) ?? 1]
  if (low === high) return () => (range[0] + range[1]) / 2
  if (low <= 0 || high / low < WIDE_SPAN) return linearScale([low, high], range)
  const scale = linearScale([Math.log(low), Math.log(high)], range)
  return value => scale(Math.log(value))
}

/** As many of the tried values as have room. */
function valueTicks(values: readonly number[], x: Scale, bottom: number): Markup[] {
  let free = Number.NEGATIVE_INFINITY
  return values
    .filter(value => {
      const half = textWidth(String(value), 12) / 2
      if (x(value) - half < free) return false
      free = x(value) + half + 8
      return true
    })
    .map(
      value => markup`<text class="tick" x="${x(value)}" y="${bottom + 22}" text-anchor="middle">${String(value)}</text>
`,
    )
}

function flatLabel(from: number, to: number, text: string, edges: readonly [number, number]): Markup {
  return markup`<text class="tick" x="${keepInside((from + to) / 2, text, edges)}" y="${TOP - 7}" text-anchor="middle">${text}</text>`
}

function bestLabel(x: number, y: number, text: string, edges: readonly [number, number]): Markup {
  return markup`<text class="tick strong" x="${keepInside(x, text, edges)}" y="${y + 26}" text-anchor="middle">${text}</text>`
}

function keepInside(x: number, text: string, [left, right]: readonly [number, number]): number {
  const half = textWidth(text, 12) / 2
  return Math.min(Math.max(x, left + half), right - half)
}
