import type { TimelinePoint } from '../../comparison.ts'
import { formatCount, formatMoney } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import type { ShownRun } from '../run-look.ts'
import { clipLimit } from './clip-limit.ts'
import { moneyTicks } from './money-ticks.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { linearScale, type Scale, ticksUpTo } from './scale.ts'
import { spreadLabels } from './spread-labels.ts'
import { BOLD, shorten, shortenName, textWidth } from './text-width.ts'

const LAYOUTS = {
  wide: { left: 62, labels: 304, letters: 13, gap: 18, height: 380 },
  narrow: { left: 46, labels: 124, letters: 11, gap: 15, height: 320 },
} as const
const TOP = 22
const BOTTOM = 48

export interface MoneyLinesInput {
  readonly runs: readonly ShownRun[]
  readonly currency: string
  readonly messages: number
  readonly beginnings: readonly number[]
}

export function moneyLines(input: MoneyLinesInput, size: PictureSize): Markup {
  const { runs, currency, messages, beginnings } = input
  const layout = LAYOUTS[size]
  const width = WIDTHS[size]
  const height = Math.max(layout.height, TOP + BOTTOM + (runs.length + 1) * layout.gap)
  const right = width - layout.labels
  const bottom = height - BOTTOM
  const totals = runs.map(({ run }) => run.cost.total)
  const limit = clipLimit(
    totals,
    runs.filter(({ run }) => run.kind === 'policy').map(({ run }) => run.cost.total),
  )
  const whole = runs.filter(({ run }) => run.cost.total <= limit)
  const cut = runs.filter(({ run }) => run.cost.total > limit)
  const x = linearScale([0, Math.max(1, messages)], [layout.left, right])
  const y = linearScale([0, limit > 0 ? limit * 1.04 : 1], [bottom, TOP])
  const ends = whole.map(({ run }) => y(run.cost.total))
  const places = spreadLabels(ends, layout.gap, [TOP + cut.length * layout.gap * 0.7, bottom])
  const id = `money-lines-${size}`

  return picture(
    {
      id,
      width,
      height,
      title: 'Money spent so far, over the messages',
      description: runs
        .map(({ run }) => `${run.name} ends at ${formatMoney(run.cost.total, currency)}`)
        .join('; '),
    },
    [
      moneyTicks(ticksUpTo(limit, 4), currency).map(
        ({
          tick,
          text,
        }) => markup`<line class="grid" x1="${layout.left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${layout.left - 8}" y="${y(tick) + 4}" text-anchor="end">${text}</text>
`,
      ),
      messageTicks(x, messages, bottom, size),
      beginnings.map(
        message =>
          markup`<line class="beginning" x1="${x(message)}" x2="${x(message)}" y1="${TOP}" y2="${bottom}"/>
`,
      ),
      markup`<clipPath id="${id}-plot"><rect x="${layout.left}" y="${TOP}" width="${right - layout.left + 4}" height="${bottom - TOP + 2}"/></clipPath>
`,
      cut.map(shown => cutLine(shown, cut.indexOf(shown), { ...layout, x, y, currency, width, id })),
      whole.map((shown, index) => {
        const amount = formatMoney(shown.run.cost.total, currency)
        const value = size === 'wide' ? markup` <tspan class="value">${amount}</tspan>` : null
        const room = layout.labels - 24 - (value === null ? 0 : textWidth(amount, layout.letters * BOLD) + 8)
        const end = shown.run.timeline.at(-1)
        const from = end ? x(end.message) : layout.left
        return markup`<g class="series ${shown.look}">
<title>${shown.run.name}: ${amount}</title>
<g clip-path="url(#${id}-plot)">${line(shown, x, y)}</g>
<polyline class="leader" points="${from},${ends[index]!} ${right + 2},${ends[index]!} ${right + 16},${places[index]!}"/>
<text class="label" x="${right + 20}" y="${places[index]! + 4}" font-size="${layout.letters}">${shortenName(shown.run.name, layout.letters, room)}${value}</text>
</g>
`
      }),
    ],
  )
}

function line({ run }: ShownRun, x: Scale, y: Scale): Markup {
  const points = [{ message: 0, money: 0 }, ...run.timeline]
  return markup`<polyline class="line" points="${points.map(point => markup`${x(point.message)},${y(point.money)} `)}"/>`
}

interface Plot {
  readonly x: Scale
  readonly y: Scale
  readonly currency: string
  readonly letters: number
  readonly gap: number
  readonly width: number
  readonly id: string
}

/** A line that leaves the picture is named where it does. */
function cutLine(shown: ShownRun, row: number, { x, y, currency, letters, gap, width, id }: Plot): Markup {
  const { run, look } = shown
  const at = exitPlace(run.timeline, x, y)
  const text = `${run.name}: ${formatMoney(run.cost.total, currency)} in the end`
  const toRight = width - at - 10 >= Math.min(at - 10, textWidth(text, letters))
  const room = toRight ? width - at - 10 : at - 10
  return markup`<g class="series ${look}">
<title>${text}</title>
<g clip-path="url(#${id}-plot)">${line(shown, x, y)}</g>
<path class="exit" d="M${at - 5} ${TOP} l5 -9 l5 9 z"/>
<text class="label" x="${toRight ? at + 10 : at - 10}" y="${TOP - 4 + row * gap}" font-size="${letters}" text-anchor="${toRight ? 'start' : 'end'}">${shorten(text, letters, room)}</text>
</g>
`
}

/** Where, between two points, a line crosses the top. */
function exitPlace(timeline: readonly TimelinePoint[], x: Scale, y: Scale): number {
  const points = [{ message: 0, money: 0 }, ...timeline]
  const outside = points.findIndex(point => y(point.money) < TOP)
  if (outside < 1) return x(points.at(-1)!.message)
  const [before, after] = [points[outside - 1]!, points[outside]!]
  const share = (y(before.money) - TOP) / (y(before.money) - y(after.money))
  return x(before.message + share * (after.message - before.message))
}

function messageTicks(x: Scale, messages: number, bottom: number, size: PictureSize): Markup[] {
  const last = Math.max(1, messages)
  const ticks = ticksUpTo(last, size === 'wide' ? 5 : 3).filter(Number.isInteger)
  return [
    ...ticks.map(
      tick => markup`<text class="tick" x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${formatCount(tick)}</text>
`,
    ),
    markup`<text class="tick" x="${x(last / 2)}" y="${bottom + 38}" text-anchor="middle">messages so far</text>
`,
  ]
}
