import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { ContextSizes } from './context-sizes.ts'

export interface ChartDrawing extends ContextSizes {
  /** Messages at which a fold failed. */
  readonly failedAt: readonly number[]
  /** `null`: the chart has no line for it. */
  readonly budget: number | null
  readonly writeNumber: (value: number) => string
  /** The point under the pointer; `null`: there is none. */
  readonly onPoint: (point: { readonly seq: number; readonly tokens: number } | null) => void
}

export interface Chart {
  resize(width: number): void
  destroy(): void
}

const HEIGHT = 250
/** In pixels. Closer marks would hide the curve. */
const MIN_APART = 7

export function drawChart(place: HTMLElement, drawing: ChartDrawing): Chart {
  const { points, budget, writeNumber, onPoint } = drawing
  const colour = coloursOf(place)
  const highest = Math.max(1, ...points.map(({ tokens }) => tokens))
  const seqs = points.map(({ seq }) => seq)
  const sizes = points.map(({ tokens }) => tokens)
  const font = `12px ${getComputedStyle(place).fontFamily}`
  const axis: uPlot.Axis = {
    font,
    stroke: colour('--soft'),
    grid: { stroke: colour('--grid'), width: 1 },
    ticks: { stroke: colour('--grid'), width: 1, size: 4 },
    values: (_, splits) => splits.map(value => (Number.isInteger(value) ? writeNumber(value) : '')),
  }
  const options: uPlot.Options = {
    width: Math.max(120, place.clientWidth),
    height: HEIGHT,
    padding: [10, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 7 } },
    scales: {
      x: { time: false },
      y: { range: [0, Math.max(budget ?? 0, highest) * 1.08] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 30, space: 60 },
      { ...axis, size: 56, space: 44 },
    ],
    series: [
      {},
      {
        stroke: colour('--accent'),
        width: 1.75,
        fill: colour('--accent-soft'),
        points: { show: false },
      },
    ],
    hooks: {
      draw: [
        chart => {
          drawBudget(chart, drawing, colour)
          drawMarks(chart, drawing, colour)
        },
      ],
      setCursor: [
        chart => {
          const index = chart.cursor.idx
          const point = typeof index === 'number' ? points[index] : undefined
          onPoint(point ?? null)
        },
      ],
    },
  }
  const chart = new uPlot(options, [seqs, sizes], place)
  return {
    resize: width => chart.setSize({ width: Math.max(120, width), height: HEIGHT }),
    destroy: () => chart.destroy(),
  }
}

function drawBudget(chart: uPlot, { budget }: ChartDrawing, colour: (name: string) => string): void {
  if (budget === null) return
  const { ctx, bbox } = chart
  const y = chart.valToPos(budget, 'y', true)
  ctx.save()
  ctx.lineWidth = 1.25 * devicePixelRatio
  ctx.strokeStyle = colour('--danger')
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.restore()
}

/** For each fold, the fall has its own colour and a dot at its end. A failed fold is a cross at the foot. */
function drawMarks(chart: uPlot, { marks, failedAt }: ChartDrawing, colour: (name: string) => string): void {
  const { ctx, bbox } = chart
  const ratio = devicePixelRatio
  const at = (seq: number) => chart.valToPos(seq, 'x', true)
  const height = (tokens: number) => chart.valToPos(tokens, 'y', true)
  ctx.save()
  ctx.setLineDash([])
  ctx.lineWidth = 2 * ratio
  ctx.strokeStyle = colour('--warn')
  const hasRoom = marks.length * MIN_APART * ratio <= bbox.width
  for (const { seq, before, after } of marks) {
    ctx.beginPath()
    ctx.moveTo(at(seq), height(before))
    ctx.lineTo(at(seq), height(after))
    ctx.stroke()
    if (!hasRoom) continue
    ctx.beginPath()
    ctx.arc(at(seq), height(after), 3 * ratio, 0, 2 * Math.PI)
    ctx.fillStyle = colour('--surface')
    ctx.fill()
    ctx.stroke()
  }
  ctx.strokeStyle = colour('--danger')
  const arm = 3.5 * ratio
  for (const seq of failedAt) {
    const [x, y] = [at(seq), height(0) - 2 * arm]
    ctx.beginPath()
    ctx.moveTo(x - arm, y - arm)
    ctx.lineTo(x + arm, y + arm)
    ctx.moveTo(x + arm, y - arm)
    ctx.lineTo(x - arm, y + arm)
    ctx.stroke()
  }
  ctx.restore()
}

function coloursOf(place: HTMLElement): (name: string) => string {
  const style = getComputedStyle(place)
  return name => style.getPropertyValue(name).trim()
}
