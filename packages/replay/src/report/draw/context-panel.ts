import type { Run, TimelinePoint } from '../../comparison.ts'
import { formatPlural, formatTokens } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import type { ShownRun } from '../run-look.ts'
import { clipLimit } from './clip-limit.ts'
import { picture } from './picture.ts'
import { linearScale, roundUp, type Scale, ticksUpTo } from './scale.ts'

const WIDTH = 300
const HEIGHT = 164
const PLOT = { left: 38, right: 292, top: 12, bottom: 128 } as const
const ROWS = 4
const FOLD_MARK = { top: 132, bottom: 140 } as const

/** What all panels share, so that they can be compared. */
export interface PanelAxes {
  readonly messages: number
  readonly tokens: number
  /** After how many messages the next transcript begins. */
  readonly beginnings: readonly number[]
}

export function panelAxes(runs: readonly Run[], beginnings: readonly number[]): PanelAxes {
  const policyPeaks = runs.filter(run => run.kind === 'policy').map(peakOf)
  return {
    messages: Math.max(1, ...runs.flatMap(run => [run.messages, run.timeline.at(-1)?.message ?? 0])),
    // The policies are what is looked at: a bot that sends everything may leave the picture.
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
  const id = `context-${index}`
  return picture(
    {
      id,
      width: WIDTH,
      height: HEIGHT,
      title: `Context of ${run.name} over time`,
      description: `${formatTokens(run.tokens.meanContext)} tokens on average, ${formatTokens(run.tokens.peakContext)} at the most, ${formatPlural(folds, 'fold')}.`,
    },
    [
      grid(y, axes),
      markup`<clipPath id="${id}-plot"><rect x="${PLOT.left}" y="${PLOT.top - 2}" width="${PLOT.right - PLOT.left + 4}" height="${PLOT.bottom - PLOT.top + 2}"/></clipPath>
`,
      axes.beginnings.map(
        message =>
          markup`<line class="beginning" x1="${x(message)}" x2="${x(message)}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>
`,
      ),
      markup`<g clip-path="url(#${id}-plot)" class="${look}">
${run.timeline.length > 1 ? lines(run.timeline, x, y) : run.timeline.map(point => markup`<circle class="dot" cx="${x(point.message)}" cy="${y(point.contextTokens)}" r="3.5"/>`)}
</g>
`,
      leavesPanel(run, axes) ? exitMark(run, x, axes) : null,
      run.timeline
        .filter(point => point.folds > 0)
        .map(
          point =>
            markup`<line class="fold" x1="${x(point.message)}" x2="${x(point.message)}" y1="${FOLD_MARK.top}" y2="${FOLD_MARK.bottom}"/>
`,
        ),
      markup`<text class="tick" x="${PLOT.left}" y="${HEIGHT - 6}">0</text>
<text class="tick" x="${PLOT.right}" y="${HEIGHT - 6}" text-anchor="end">${formatPlural(axes.messages, 'message')}</text>
`,
      run.timeline.length === 0
        ? markup`<text class="tick" x="${(PLOT.left + PLOT.right) / 2}" y="${(PLOT.top + PLOT.bottom) / 2}" text-anchor="middle">no requests</text>
`
        : null,
    ],
  )
}

function grid(y: Scale, axes: PanelAxes): Markup[] {
  return ticksUpTo(axes.tokens, ROWS).map(
    tick => markup`<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${PLOT.left - 6}" y="${y(tick) + 4}" text-anchor="end">${formatTokens(tick)}</text>
`,
  )
}

function lines(points: readonly TimelinePoint[], x: Scale, y: Scale): Markup {
  const [first, last] = [points[0]!, points.at(-1)!]
  const path = (tokens: (point: TimelinePoint) => number) =>
    points.map(point => markup`${x(point.message)},${y(tokens(point))} `)
  return markup`<polygon class="cached" points="${x(first.message)},${y(0)} ${path(point => point.cachedTokens)}${x(last.message)},${y(0)}"/>
<polyline class="line" points="${path(point => point.contextTokens)}"/>`
}

/** Where a line leaves the picture at its top. */
function exitMark(run: Run, x: Scale, axes: PanelAxes): Markup {
  const exit = run.timeline.find(point => point.contextTokens > axes.tokens)!
  const at = x(exit.message)
  const left = at < (PLOT.left + PLOT.right) / 2
  return markup`<path class="exit" d="M${at - 4} ${PLOT.top} l4 -7 l4 7 z"/>
<text class="tick strong" x="${left ? at + 9 : at - 9}" y="${PLOT.top + 3}" text-anchor="${left ? 'start' : 'end'}">up to ${formatTokens(run.tokens.peakContext)}</text>
`
}
