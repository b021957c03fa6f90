import type { Sweep, SweepPoint } from '../comparison.ts'
import { effectiveSweep } from './effective-sweep.ts'
import { formatCount, formatDifference, formatList, formatMoney, formatShare } from './format.ts'
import { isSameMoney } from './same-money.ts'
import { flatStretch, pointLabel, sweptValue, valuesInOrder } from './sweep-points.ts'

/** The best values and how flat the optimum is, in words. Names of settings may stand between backticks. */
export function describeSweep(sweep: Sweep, currency: string): string {
  if (sweep.settings.length === 1) return describeBest(sweep, currency)
  const { sweep: effective, idle } = effectiveSweep(sweep)
  if (idle.length === 0) return describeBest(sweep, currency)
  const names = formatList(idle.map(setting => `\`${setting}\``))
  const noDifference = `${names} ${idle.length === 1 ? 'makes' : 'make'} no difference here`
  return effective.settings.length === 0
    ? `${noDifference}: everything that was tried costs ${formatMoney(sweep.best.money, currency)}.`
    : `${describeBest(effective, currency)} ${noDifference}.`
}

function describeBest(sweep: Sweep, currency: string): string {
  const { best, points } = sweep
  const head = `Best: ${pointLabel(sweep, best)} at ${formatMoney(best.money, currency)}.`
  if (points.length < 2) return `${head} Nothing else was tried.`
  if (points.every(point => isSameMoney(point.money, best.money)))
    return `${head} Everything else that was tried costs the same.`
  return `${head} ${sweep.settings.length === 1 ? describeLine(sweep, currency) : describeGrid(sweep, currency)}`
}

function describeLine(sweep: Sweep, currency: string): string {
  const ordered = valuesInOrder(sweep)
  const { from, to } = flatStretch(sweep)
  const within = formatShare(sweep.flat.within)
  const value = (index: number) => sweptValue(sweep, ordered[index]!)
  const at = (index: number) => `at ${value(index)} ${moreThanBest(sweep, ordered[index]!, currency)}`
  const last = ordered.length - 1
  if (from === 0 && to === last)
    return `From ${value(0)} to ${value(last)} everything costs at most ${within} more: here it hardly matters.`

  const sentences: string[] = []
  if (from < to) {
    const ends = [...(from > 0 ? [0] : []), ...(to < last ? [last] : [])]
    sentences.push(
      `From ${value(from)} to ${value(to)} it costs at most ${within} more; ${ends.map(at).join(', ')}.`,
    )
  } else {
    const beside = [from - 1, to + 1].filter(index => index in ordered)
    sentences.push(`Nothing beside it comes within ${within}: ${beside.map(at).join(', ')}.`)
  }
  const elsewhere = sweep.flat.points
    .map(point => sweptValue(sweep, point))
    .filter(other => other < value(from) || other > value(to))
  if (elsewhere.length > 0) sentences.push(`Also within ${within}: ${formatList(elsewhere.map(String))}.`)
  if (from === 0) sentences.push('Lower values were not tried.')
  if (to === last) sentences.push('Higher values were not tried.')
  return sentences.join(' ')
}

function describeGrid(sweep: Sweep, currency: string): string {
  const { points, flat, settings } = sweep
  const within = formatShare(flat.within)
  const dearest = points.reduce((a, b) => (b.money > a.money ? b : a))
  const others = points.length - 1
  const howFlat =
    flat.points.length > 1
      ? `${formatCount(flat.points.length)} of ${formatCount(points.length)} combinations cost at most ${within} more: ${formatList(settings.map(setting => spread(flat.points, setting)))}.`
      : `${others === 1 ? 'The other combination does not come' : `None of the other ${formatCount(others)} combinations comes`} within ${within}.`
  return `${howFlat} The dearest: ${pointLabel(sweep, dearest)} with ${moreThanBest(sweep, dearest, currency)}.`
}

function spread(points: readonly SweepPoint[], setting: string): string {
  const values = points.map(point => point.values[setting] ?? 0)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return low === high ? `${setting} at ${low}` : `${setting} from ${low} to ${high}`
}

function moreThanBest({ best }: Sweep, point: SweepPoint, currency: string): string {
  return formatDifference(point.money, best.money) ?? formatMoney(point.money, currency)
}
