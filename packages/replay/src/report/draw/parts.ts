import { type Content, type Markup, markup } from '../markup.ts'
import type { Scale } from './scale.ts'

/** The area where lines are drawn. The words stand around it. */
export interface Plot {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export interface Tick {
  readonly tick: number
  readonly text: string
}

/** A horizontal line for each tick, with its words at the left. */
export function grid(ticks: readonly Tick[], y: Scale, { left, right }: Plot): Markup[] {
  return ticks.map(
    ({ tick, text }) => markup`<line class="grid" x1="${left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}"/>
${words(left - 7, y(tick) + 4, text, 'end')}`,
  )
}

export function words(
  x: number,
  y: number,
  text: Content,
  anchor: 'start' | 'middle' | 'end' = 'middle',
  look = 'tick',
): Markup {
  return markup`<text class="${look}" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>
`
}

/** A line where each later transcript begins. */
export function beginningLines(beginnings: readonly number[], x: Scale, plot: Plot): Markup[] {
  return beginnings.map(message => upright('beginning', x(message), plot))
}

export function upright(look: string, x: number, { top, bottom }: Pick<Plot, 'top' | 'bottom'>): Markup {
  return markup`<line class="${look}" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/>
`
}

/** Keeps lines inside the plot. Their round ends may reach a little over its right and lower edge. */
export function clipPath(id: string, { left, right, top, bottom }: Plot): Markup {
  return markup`<clipPath id="${id}-plot"><rect x="${left}" y="${top}" width="${right - left + 4}" height="${bottom - top + 2}"/></clipPath>
`
}

/** Content of the plot. Any part outside it is cut off. */
export function clipped(id: string, content: Content): Markup {
  return markup`<g clip-path="url(#${id}-plot)">${content}</g>
`
}

export function polyline(points: readonly (readonly [x: number, y: number])[], look = 'line'): Markup {
  return markup`<polyline class="${look}" points="${points.map(([x, y]) => markup`${x},${y} `)}"/>`
}

/** An arrow upwards: the line goes on beyond the top. */
export function exitMark(x: number, y: number): Markup {
  return markup`<path class="exit" d="M${x - 5} ${y} l5 -9 l5 9 z"/>
`
}
