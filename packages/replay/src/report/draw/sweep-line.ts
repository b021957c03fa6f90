import type { Sweep } from '../../comparison.ts'
import { describeSweep } from '../describe-sweep.ts'
import { formatDifference, formatMoney, formatShare } from '../format.ts'
import { type Markup, markup, withoutCode } from '../markup.ts'
import { flatStretch, isBest, isFlat, sweptValue, valuesInOrder } from '../sweep-points.ts'
import { clipLimit } from './clip-limit.ts'
import { moneyTicks } from './money-ticks.ts'
import { exitMark, grid, type Plot, polyline, words } from './parts.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { linearScale, type Scale, ticksBetween } from './scale.ts'
import { textWidth } from './text-width.ts'

const LAYOUTS = {
  wide: { left: 62, right: 936, height: 340 },
  narrow: { left: 50, right: 334, height: 280 },
} as const
const TOP = 46
const BOTTOM = 52
/** Small differences should look small: the axis reaches at least this share above the best. */
const MIN_REACH = 0.25
/**
 * In a wider span than this ratio, the axis is logarithmic: values that double each time stand at equal
 * steps.
 */
const WIDE_SPAN = 16

/**
 * Draws money against the values of one setting. The best value is marked, and the flat stretch around it is
 * shaded.
 */
export function sweepLine(sweep: Sweep, currency: string, size: PictureSize): Markup {
  const { left, right, height } = LAYOUTS[size]
  const plot: Plot = { left, right, top: TOP, bottom: height - BOTTOM }
  const { best } = sweep
  const ordered = valuesInOrder(sweep)
  const values = ordered.map(point => sweptValue(sweep, point))
  const limit = clipLimit(ordered.map(point => point.money))
  const high = Math.max(limit, best.money * (1 + MIN_REACH))
  const low = Math.max(0, best.money - (high - best.money) * 0.25)
  const x = valueScale(values, [left + 14, right - 14])
  const y = linearScale([low, high > low ? high : low + 1], [plot.bottom, TOP])
  const within = y(best.money * (1 + sweep.flat.within))
  const isFlatPoint = isFlat(sweep)
  const isBestPoint = isBest(sweep)
  const setting = sweep.settings[0] ?? ''
  const places = ordered.map((point, index) => [x(values[index]!), y(Math.min(point.money, high))] as const)

  const points = ordered.map((point, index) => {
    const [atX, atY] = places[index]!
    const amount = formatMoney(point.money, currency)
    const difference = formatDifference(point.money, best.money)
    const look = isFlatPoint(point) ? 'point is-flat' : 'point'
    return markup`<g><title>${setting}=${values[index]!}: ${amount}${difference === null ? null : ` (${difference})`}</title>
${
  point.money > high
    ? markup`${exitMark(atX, atY + 2)}${words(atX, atY - 12, amount, 'middle', 'tick strong')}`
    : markup`<circle class="${look}" cx="${atX}" cy="${atY}" r="4"/>`
}
${isBestPoint(point) ? markup`<circle class="best" cx="${atX}" cy="${atY}" r="9"/>${wordsInside(atX, atY + 26, `best: ${values[index]!}, ${amount}`, plot, 'tick strong')}` : null}</g>
`
  })
  return picture(
    {
      id: `sweep-line-${size}`,
      width: WIDTHS[size],
      height,
      title: `Money against ${setting}`,
      description: withoutCode(describeSweep(sweep, currency)),
    },
    [
      flatRegion(sweep, values.map(x), plot),
      grid(moneyTicks(ticksBetween(low, high, 5), currency), y, plot),
      best.money > 0
        ? markup`<line class="within" x1="${left}" x2="${right}" y1="${within}" y2="${within}"/>
`
        : null,
      polyline(places),
      points,
      valuesWithRoom(values, x).map(value => words(x(value), plot.bottom + 22, String(value))),
      words((left + right) / 2, height - 6, setting, 'middle', 'tick strong'),
    ],
  )
}

function valueScale(values: readonly number[], range: readonly [number, number]): Scale {
  const [low, high] = [values[0] ?? 0, values.at(-1) ?? 1]
  if (low === high) return () => (range[0] + range[1]) / 2
  if (low <= 0 || high / low < WIDE_SPAN) return linearScale([low, high], range)
  const scale = linearScale([Math.log(low), Math.log(high)], range)
  return value => scale(Math.log(value))
}

function valuesWithRoom(values: readonly number[], x: Scale): readonly number[] {
  let free = Number.NEGATIVE_INFINITY
  return values.filter(value => {
    const half = textWidth(String(value), 12) / 2
    if (x(value) - half < free) return false
    free = x(value) + half + 8
    return true
  })
}

function flatRegion(sweep: Sweep, places: readonly number[], plot: Plot): Markup | null {
  const stretch = flatStretch(sweep)
  const [from, to] = [places[stretch.from]!, places[stretch.to]!]
  if (stretch.to === stretch.from) return null
  return markup`<rect class="flat" x="${from - 10}" y="${TOP - 22}" width="${to - from + 20}" height="${plot.bottom - TOP + 22}" rx="4"/>
${wordsInside((from + to) / 2, TOP - 7, `at most ${formatShare(sweep.flat.within)} more`, plot)}`
}

function wordsInside(x: number, y: number, text: string, { left, right }: Plot, look?: string): Markup {
  const half = textWidth(text, 12) / 2
  return words(Math.min(Math.max(x, left + half), right - half), y, text, 'middle', look)
}
