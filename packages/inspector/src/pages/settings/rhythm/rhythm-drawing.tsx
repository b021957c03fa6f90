import { defineTexts, useFormats } from '../../../language/language.ts'
import { useWidth } from '../use-width.ts'
import type { Rhythm, RhythmColumn } from './rhythm.ts'
import { spreadLabels } from './spread-labels.ts'

const useTexts = defineTexts({
  en: {
    axis: 'messages →',
    turns: (name: string, count: string) => `${name} = ${count} ${count === '1' ? 'turn' : 'turns'}`,
    messages: (count: string) => `${count} ${count === '1' ? 'message' : 'messages'}`,
    segments: (count: string) => `${count} ${count === '1' ? 'summary' : 'summaries'}`,
    stays: 'in full',
    foldsNow: 'folded now',
    waits: 'waiting to be folded',
    older: 'of all before',
  },
  zh: {
    axis: '消息 →',
    turns: (name: string, count: string) => `${name} = ${count} 轮`,
    messages: (count: string) => `${count} 条消息`,
    segments: (count: string) => `${count} 份摘要`,
    stays: '保留原文',
    foldsNow: '此刻折叠',
    waits: '等待折叠',
    older: '概括此前全部',
  },
})

const TOP = 6
const PLOT = 212
const AXIS = 34
const BASE = TOP + PLOT
/** The height of a summary, in messages. A summary is shorter than what it stands for. */
const SEGMENT_UNITS = 0.5
const LABEL_SPACING = 36
const NARROW = 430

interface Label {
  readonly kind: 'tail' | 'backlog' | 'segment'
  readonly from: number
  readonly to: number
  readonly name: string
  readonly about: string
}

/** Columns that show what the model sees. Brackets beside the last column explain it. */
export function RhythmDrawing({
  rhythm,
  turns,
  alternative,
}: {
  readonly rhythm: Rhythm
  /** For a policy that counts turns; `null`: for any other. */
  readonly turns: { readonly a: number; readonly b: number } | null
  readonly alternative: string
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const [place, width] = useWidth<HTMLDivElement>()
  const { columns, groupSize, steps } = rhythm
  const margin = width < NARROW ? 118 : 140
  const step = (width - margin) / columns.length
  const gap = step > 7 ? 2 : 1
  const highest = Math.max(...columns.map(heightOf))
  const unit = Math.min(18, PLOT / highest)
  const y = (units: number) => BASE - units * unit
  const last = columns.at(-1)!
  const segmentsTop = last.segments * SEGMENT_UNITS
  const labels: readonly Label[] = (
    [
      {
        kind: 'tail',
        from: segmentsTop + last.backlog,
        to: heightOf(last),
        name:
          turns !== null && last.isFolded
            ? texts.turns('A', number(turns.a))
            : texts.messages(number(last.tail)),
        about: texts.stays,
      },
      {
        kind: 'backlog',
        from: segmentsTop,
        to: segmentsTop + last.backlog,
        name:
          turns !== null && last.isFolded
            ? texts.turns('B', number(turns.b))
            : texts.messages(number(last.backlog)),
        about: last.isFolded ? texts.foldsNow : texts.waits,
      },
      {
        kind: 'segment',
        from: 0,
        to: segmentsTop,
        name: texts.segments(number(last.segments)),
        about: texts.older,
      },
    ] as const
  ).filter(({ from, to }) => to > from)
  const places = spreadLabels(
    labels.map(({ from, to }) => (y(from) + y(to)) / 2),
    { spacing: LABEL_SPACING, top: TOP + 14, bottom: BASE - 8 },
  )
  const plotEnd = step * columns.length
  return (
    <div ref={place} class="rhythm-drawing">
      {width > 0 && (
        <svg width={width} height={BASE + AXIS} role="img" aria-label={alternative}>
          {columns.map((column, index) => (
            <Column
              key={column.messages}
              column={column}
              x={index * step}
              width={Math.max(1, step - gap)}
              unit={unit}
              brick={groupSize}
            />
          ))}
          <line class="rhythm-axis" x1={0} x2={plotEnd} y1={BASE + 0.5} y2={BASE + 0.5} />
          <Ticks rhythm={rhythm} step={step} gap={gap} format={number} />
          {(steps.length === 0 || step * columns.findIndex(({ isFolded }) => isFolded) > 90) && (
            <text class="rhythm-small" x={0} y={BASE + 22}>
              {texts.axis}
            </text>
          )}
          {labels.map((label, index) => (
            <g key={label.kind}>
              <path
                class={`rhythm-bracket ${label.kind}`}
                d={bracket({
                  x: plotEnd + 5,
                  top: y(label.to) + 1,
                  bottom: y(label.from) - 1,
                  to: places[index]!,
                })}
              />
              <text class={`rhythm-name ${label.kind}`} x={plotEnd + 24} y={places[index]! - 2}>
                {label.name}
              </text>
              <text class="rhythm-small" x={plotEnd + 24} y={places[index]! + 13}>
                {label.about}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  )
}

function heightOf({ segments, backlog, tail }: RhythmColumn): number {
  return segments * SEGMENT_UNITS + backlog + tail
}

function bracket({ x, top, bottom, to }: Record<'x' | 'top' | 'bottom' | 'to', number>): string {
  const middle = (top + bottom) / 2
  return `M${x} ${top}h4V${bottom}h-4M${x + 4} ${middle}L${x + 14} ${to}`
}

function Column({
  column,
  x,
  width,
  unit,
  brick,
}: {
  readonly column: RhythmColumn
  readonly x: number
  readonly width: number
  readonly unit: number
  readonly brick: number
}) {
  const { segments, backlog, tail, isFolded } = column
  const lower = segments * SEGMENT_UNITS
  const y = (units: number) => BASE - units * unit
  return (
    <g>
      {segments > 0 && <rect class="rhythm-segment" x={x} y={y(lower)} width={width} height={lower * unit} />}
      {backlog > 0 && (
        <rect class="rhythm-backlog" x={x} y={y(lower + backlog)} width={width} height={backlog * unit} />
      )}
      {tail > 0 && (
        <rect class="rhythm-tail" x={x} y={y(lower + backlog + tail)} width={width} height={tail * unit} />
      )}
      <path
        class="rhythm-joints"
        d={[
          ...joints({ count: segments, size: SEGMENT_UNITS, from: 0 }),
          ...joints({ count: (backlog + tail) / brick, size: brick, from: lower }),
        ]
          .filter((_, __, all) => all.length < 2 || unit * brick > 3)
          .map(units => `M${x} ${y(units)}h${width}`)
          .join('')}
      />
      {isFolded && (
        <rect class="rhythm-now" x={x} y={y(lower + backlog)} width={width} height={backlog * unit} />
      )}
    </g>
  )
}

/** The lines between one message and the next, or one segment and the next. */
function joints({ count, size, from }: Record<'count' | 'size' | 'from', number>): readonly number[] {
  return Array.from({ length: Math.max(0, Math.ceil(count) - 1) }, (_, index) => from + (index + 1) * size)
}

const TICK_SPACING = 26

/** Marks the folds. A number that would overlap another is left out. */
function Ticks({
  rhythm: { columns },
  step,
  gap,
  format,
}: {
  readonly rhythm: Rhythm
  readonly step: number
  readonly gap: number
  readonly format: (value: number) => string
}) {
  let lastNumber = -Infinity
  return (
    <>
      {columns.map(({ isFolded, messages }, index) => {
        if (!isFolded) return null
        const x = index * step + (step - gap) / 2
        const hasNumber = x - lastNumber >= TICK_SPACING
        if (hasNumber) lastNumber = x
        return (
          <g key={messages}>
            <path class="rhythm-mark" d={`M${x} ${BASE + 3}l4 6h-8z`} />
            {hasNumber && (
              <text class="rhythm-small middle" x={x} y={BASE + 22}>
                {format(messages)}
              </text>
            )}
          </g>
        )
      })}
    </>
  )
}
