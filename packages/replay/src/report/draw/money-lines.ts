import type { TimelinePoint } from '../../comparison.ts'
import { formatCount, formatMoney } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import type { ShownRun } from '../run-look.ts'
import { clipLimit } from './clip-limit.ts'
import { fitSettings } from './fit-settings.ts'
import { moneyTicks } from './money-ticks.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { linearScale, type Scale, ticksUpTo } from './scale.ts'
import { spreadLabels } from './spread-labels.ts'
import { BOLD, textWidth } from './text-width.ts'

const LAYOUTS = {
  wide: { left: 62, labels: 304, letters: 13, notes: 12, gap: 18, height: 380 },
  narrow: { left: 46, labels: 124, letters: 11, notes: 10, gap: 15, height: 320 },
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
  const labels = runs.map(shown => layLabel(shown, currency, size))
  const labelled = labels.reduce((sum, label) => sum + label.height, 0)
  const height = Math.max(layout.height, TOP + BOTTOM + labelled + layout.gap)
  const right = width - layout.labels
  const bottom = height - BOTTOM
  const totals = runs.map(({ run }) => run.cost.total)
  const limit = clipLimit(
    totals,
    runs.filter(({ run }) => run.kind === 'policy').map(({ run }) => run.cost.total),
  )
  const whole = labels.filter(({ shown }) => shown.run.cost.total <= limit)
  const cut = labels.filter(({ shown }) => shown.run.cost.total > limit).map(({ shown }) => shown)
  const x = linearScale([0, Math.max(1, messages)], [layout.left, right])
  const y = linearScale([0, limit > 0 ? limit * 1.04 : 1], [bottom, TOP])
  const id = `money-lines-${size}`
  let cutRows = 0
  const cutLines = cut.map(shown => {
    const drawn = cutLine(shown, cutRows, { ...layout, x, y, currency, width, id })
    cutRows += drawn.rows
    return drawn.drawn
  })
  const ends = whole.map(({ shown }) => y(shown.run.cost.total))
  const places = spreadLabels(
    ends,
    whole.map(label => label.height),
    [TOP + cutRows * layout.gap * 0.7, bottom + layout.gap],
  )

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
      cutLines,
      whole.map((label, index) => {
        const { shown } = label
        const end = shown.run.timeline.at(-1)
        const from = end ? x(end.message) : layout.left
        const place = places[index]!
        return markup`<g class="series ${shown.look}">
<title>${shown.run.name}: ${formatMoney(shown.run.cost.total, currency)}</title>
<g clip-path="url(#${id}-plot)">${line(shown, x, y)}</g>
<polyline class="leader" points="${from},${ends[index]!} ${right + 2},${ends[index]!} ${right + 16},${place}"/>
${drawLabel(label, right + 20, place + 4, size)}
</g>
`
      }),
    ],
  )
}

interface Label {
  readonly shown: ShownRun
  readonly name: string
  /** A narrow picture has no room for it. */
  readonly amount: string | null
  /** What has no room in the first line, above all settings. */
  readonly notes: readonly string[]
  readonly height: number
}

function layLabel(shown: ShownRun, currency: string, size: PictureSize): Label {
  const { labels, letters, notes: noteLetters, gap } = LAYOUTS[size]
  const { run, title, subtitle } = shown
  const amount = size === 'wide' ? formatMoney(run.cost.total, currency) : null
  const room = labels - 24 - (amount === null ? 0 : textWidth(amount, letters * BOLD) + 8)
  const isWhole = run.kind === 'baseline' || subtitle === null || textWidth(run.name, letters) <= room
  const [name = '', ...rest] = fitSettings(isWhole ? run.name : title, letters, room)
  const notes = isWhole ? rest : [...rest, ...fitSettings(subtitle, noteLetters, labels - 24)]
  return {
    shown,
    name,
    amount,
    notes,
    height: gap + notes.length * noteLine(size),
  }
}

function noteLine(size: PictureSize): number {
  return LAYOUTS[size].notes + 3
}

function drawLabel({ name, amount, notes }: Label, x: number, y: number, size: PictureSize): Markup {
  const { letters, notes: noteLetters } = LAYOUTS[size]
  return markup`<text class="label" x="${x}" y="${y}" font-size="${letters}">${name}${amount === null ? null : markup` <tspan class="value">${amount}</tspan>`}</text>
${notes.map(
  (
    note,
    index,
  ) => markup`<text class="label" x="${x}" y="${y + (index + 1) * noteLine(size)}" font-size="${noteLetters}">${note}</text>
`,
)}`
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
function cutLine(
  shown: ShownRun,
  row: number,
  { x, y, currency, letters, gap, width, id }: Plot,
): { readonly drawn: Markup; readonly rows: number } {
  const { run, look } = shown
  const at = exitPlace(run.timeline, x, y)
  const text = `${run.name}: ${formatMoney(run.cost.total, currency)} in the end`
  const toRight = width - at - 10 >= Math.min(at - 10, textWidth(text, letters))
  const lines = fitSettings(text, letters, toRight ? width - at - 10 : at - 10)
  const drawn = markup`<g class="series ${look}">
<title>${text}</title>
<g clip-path="url(#${id}-plot)">${line(shown, x, y)}</g>
<path class="exit" d="M${at - 5} ${TOP} l5 -9 l5 9 z"/>
${lines.map(
  (
    words,
    index,
  ) => markup`<text class="label" x="${toRight ? at + 10 : at - 10}" y="${TOP - 4 + (row + index) * gap}" font-size="${letters}" text-anchor="${toRight ? 'start' : 'end'}">${words}</text>
`,
)}</g>
`
  return { drawn, rows: lines.length }
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
