import type { Run, TimelinePoint } from '../../comparison.ts'
import { formatPlural, formatTokens } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import type { ShownRun } from '../run-look.ts'
import { clipLimit } from './clip-limit.ts'
import { beginningLines, clipPath, clipped, exitMark, grid, polyline, upright, words } from './parts.ts'
import { picture } from './picture.ts'
import { linearScale, roundUp, type Scale, ticksUpTo } from './scale.ts'

const WIDTH = 300
const HEIGHT = 164
const PLOT = { left: 38, right: 292, top: 12, bottom: 128 } as const
const ROWS = 4
const FOLD_MARK = { top: 132, bottom: 140 } as const

/** What all panels share, so that a reader can compare them. */
export interface PanelAxes {
  readonly messages: number
  readonly tokens: number
  /** After how many messages each later transcript begins. */
  readonly beginnings: readonly number[]
}

export function panelAxes(runs: readonly Run[], beginnings: readonly number[]): PanelAxes {
  const policyPeaks = runs.filter(run => run.kind === 'policy').map(peakOf)
  return {
    messages: Math.max(1, ...runs.flatMap(run => [run.messages, run.timeline.at(-1)?.message ?? 0])),
    // The reader looks at the policies. The line of a bot that sends everything may leave the picture.
    tokens: roundUp(Math.max(ROWS, clipLimit(policyPeaks.length > 0 ? policyPeaks : runs.map(peakOf))), ROWS),
    beginnings,
  }
}

export function leavesPanel(run: Run, axes: PanelAxes): boolean {
  return peakOf(run) > axes.tokens
}

function peakOf(run: Run): number {
  return Math.max(0, ...run.timeline.map(point => point.contextTokens))
}

export function contextPanel({ run, look }: ShownRun, index: number, axes: PanelAxes, folds: number): Markup {
  const x = linearScale([0, axes.messages], [PLOT.left, PLOT.right])
  const y = linearScale([0, axes.tokens], [PLOT.bottom, PLOT.top])
  const { timeline, name, tokens } = run
  const id = `context-${index}`
  const ticks = ticksUpTo(axes.tokens, ROWS).map(tick => ({ tick, text: formatTokens(tick) }))
  return picture(
    {
      id,
      width: WIDTH,
      height: HEIGHT,
      title: `Context of ${name} over time`,
      description: `${formatTokens(tokens.meanContext)} tokens on average, ${formatTokens(tokens.peakContext)} at the most, ${formatPlural(folds, 'fold')}.`,
    },
    [
      grid(ticks, y, PLOT),
      clipPath(id, { ...PLOT, top: PLOT.top - 2 }),
      beginningLines(axes.beginnings, x, PLOT),
      markup`<g class="${look}">${clipped(id, lines(timeline, x, y))}</g>
`,
      leavesPanel(run, axes) ? leaving(run, x, axes) : null,
      timeline.filter(point => point.folds > 0).map(point => upright('fold', x(point.message), FOLD_MARK)),
      words(PLOT.left, HEIGHT - 6, '0', 'start'),
      words(PLOT.right, HEIGHT - 6, formatPlural(axes.messages, 'message'), 'end'),
      timeline.length === 0
        ? words((PLOT.left + PLOT.right) / 2, (PLOT.top + PLOT.bottom) / 2, 'no requests')
        : null,
    ],
  )
}

function lines(points: readonly TimelinePoint[], x: Scale, y: Scale): Markup[] {
  if (points.length < 2)
    return points.map(
      point => markup`<circle class="dot" cx="${x(point.message)}" cy="${y(point.contextTokens)}" r="3.5"/>`,
    )
  const cached = points.map(point => [x(point.message), y(point.cachedTokens)] as const)
  const [start, end] = [x(points[0]!.message), x(points.at(-1)!.message)]
  return [
    polyline([[start, y(0)], ...cached, [end, y(0)]], 'cached'),
    polyline(points.map(point => [x(point.message), y(point.contextTokens)])),
  ]
}

/** A mark where a line leaves the picture at its top. */
function leaving(run: Run, x: Scale, axes: PanelAxes): Markup {
  const at = x(run.timeline.find(point => point.contextTokens > axes.tokens)!.message)
  const isLeft = at < (PLOT.left + PLOT.right) / 2
  const text = `up to ${formatTokens(run.tokens.peakContext)}`
  return markup`${exitMark(at, PLOT.top)}${words(isLeft ? at + 9 : at - 9, PLOT.top + 3, text, isLeft ? 'start' : 'end', 'tick strong')}`
}
