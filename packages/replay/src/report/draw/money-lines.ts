import type { TimelinePoint } from '../../comparison.ts'
import { formatCount, formatMoney } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import type { ShownRun } from '../run-look.ts'
import { costLimit } from './clip-limit.ts'
import { fitSettings } from './fit-settings.ts'
import { moneyTicks } from './money-ticks.ts'
import { beginningLines, clipPath, clipped, exitMark, grid, polyline, words } from './parts.ts'
import { type PictureSize, picture, WIDTHS } from './picture.ts'
import { linearScale, type Scale, ticksUpTo } from './scale.ts'
import { spreadLabels } from './spread-labels.ts'
import { BOLD, textWidth } from './text-width.ts'

const LAYOUTS = {
  wide: { left: 62, labels: 304, letters: 13, notes: 12, gap: 18, height: 380, ticks: 5 },
  narrow: { left: 46, labels: 124, letters: 11, notes: 10, gap: 15, height: 320, ticks: 3 },
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
  const { runs, currency, beginnings } = input
  const layout = LAYOUTS[size]
  const width = WIDTHS[size]
  const labels = runs.map(shown => layLabel(shown, currency, size))
  const labelled = labels.reduce((sum, label) => sum + label.height, 0)
  const height = Math.max(layout.height, TOP + BOTTOM + labelled + layout.gap)
  const plot = { left: layout.left, right: width - layout.labels, top: TOP, bottom: height - BOTTOM }
  const limit = costLimit(runs)
  const messages = Math.max(1, input.messages)
  const x = linearScale([0, messages], [plot.left, plot.right])
  const y = linearScale([0, limit > 0 ? limit * 1.04 : 1], [plot.bottom, TOP])
  const id = `money-lines-${size}`

  let cutRows = 0
  const cutLines = runs
    .filter(({ run }) => run.cost.total > limit)
    .map(shown => {
      const name = `${shown.run.name}: ${formatMoney(shown.run.cost.total, currency)} in the end`
      const at = exitPlace(shown, x, y)
      const { lines, ...where } = layExitLabel(name, at, width, layout.letters)
      const drawn = lines.map((text, index) =>
        label(where.x, TOP - 4 + (cutRows + index) * layout.gap, text, layout.letters, where.anchor),
      )
      cutRows += lines.length
      return series(shown, name, [clipped(id, line(shown, x, y)), exitMark(at, TOP), drawn])
    })

  const whole = labels.filter(({ shown }) => shown.run.cost.total <= limit)
  const ends = whole.map(({ shown }) => y(shown.run.cost.total))
  const heights = whole.map(each => each.height)
  const room = [TOP + cutRows * layout.gap * 0.7, plot.bottom + layout.gap] as const
  const places = spreadLabels(ends, heights, room)
  const wholeLines = whole.map(({ shown, lines }, index) => {
    const [end, place] = [ends[index]!, places[index]!]
    const last = shown.run.timeline.at(-1)
    const leader = [
      [last ? x(last.message) : plot.left, end],
      [plot.right + 2, end],
      [plot.right + 16, place],
    ] as const
    return series(shown, `${shown.run.name}: ${formatMoney(shown.run.cost.total, currency)}`, [
      clipped(id, line(shown, x, y)),
      polyline(leader, 'leader'),
      lines.map(({ text, letters }, row) =>
        label(plot.right + 20, place + 4 + row * noteLine(size), text, letters),
      ),
    ])
  })

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
      grid(moneyTicks(ticksUpTo(limit, 4), currency), y, plot),
      ticksUpTo(messages, layout.ticks)
        .filter(Number.isInteger)
        .map(tick => words(x(tick), plot.bottom + 18, formatCount(tick))),
      words(x(messages / 2), plot.bottom + 38, 'messages so far'),
      beginningLines(beginnings, x, plot),
      clipPath(id, plot),
      cutLines,
      wholeLines,
    ],
  )
}

function series({ look }: ShownRun, title: string, content: readonly (Markup | readonly Markup[])[]): Markup {
  return markup`<g class="series ${look}">
<title>${title}</title>
${content}</g>
`
}

function label(x: number, y: number, text: string | Markup, letters: number, anchor = 'start'): Markup {
  return markup`<text class="label" x="${x}" y="${y}" font-size="${letters}" text-anchor="${anchor}">${text}</text>
`
}

interface Label {
  readonly shown: ShownRun
  /** The name, and the amount if it fits. Below it stand the settings that do not fit beside the name. */
  readonly lines: readonly { readonly text: string | Markup; readonly letters: number }[]
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
  const first = amount === null ? name : markup`${name} <tspan class="value">${amount}</tspan>`
  return {
    shown,
    lines: [{ text: first, letters }, ...notes.map(text => ({ text, letters: noteLetters }))],
    height: gap + notes.length * noteLine(size),
  }
}

function noteLine(size: PictureSize): number {
  return LAYOUTS[size].notes + 3
}

function pointsOf({ run }: ShownRun): readonly Pick<TimelinePoint, 'message' | 'money'>[] {
  return [{ message: 0, money: 0 }, ...run.timeline]
}

function line(shown: ShownRun, x: Scale, y: Scale): Markup {
  return polyline(pointsOf(shown).map(point => [x(point.message), y(point.money)]))
}

/** Places the label on the right if it fits there, and otherwise on the side with more room. */
function layExitLabel(text: string, at: number, width: number, letters: number) {
  const isRight = width - at - 10 >= Math.min(at - 10, textWidth(text, letters))
  return isRight
    ? { x: at + 10, anchor: 'start', lines: fitSettings(text, letters, width - at - 10) }
    : { x: at - 10, anchor: 'end', lines: fitSettings(text, letters, at - 10) }
}

/** Where a line crosses the top, between two points. */
function exitPlace(shown: ShownRun, x: Scale, y: Scale): number {
  const points = pointsOf(shown)
  const outside = points.findIndex(point => y(point.money) < TOP)
  if (outside < 1) return x(points.at(-1)!.message)
  const [before, after] = [points[outside - 1]!, points[outside]!]
  const share = (y(before.money) - TOP) / (y(before.money) - y(after.money))
  return x(before.message + share * (after.message - before.message))
}
