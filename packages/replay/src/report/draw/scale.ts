/** Maps a value to a place in the picture. */
export type Scale = (value: number) => number

export function linearScale(
  [low, high]: readonly [number, number],
  [start, end]: readonly [number, number],
): Scale {
  const span = high - low
  return value => (span > 0 ? start + ((value - low) / span) * (end - start) : start)
}

/** Round numbers from 0 up to at most `limit`, roughly `about` of them. */
export function ticksUpTo(limit: number, about: number): number[] {
  return ticksBetween(0, limit, about)
}

export function ticksBetween(low: number, high: number, about: number): number[] {
  const span = high - low
  if (!(span > 0)) return [low]
  const step = roundStep(span / about)
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
}

/** The next round number above the limit, so that the topmost grid line is the top of the picture. */
export function roundUp(limit: number, about: number): number {
  if (!(limit > 0)) return 1
  const step = roundStep(limit / about)
  return Math.ceil(limit / step - 1e-9) * step
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const leading = rough / power
  return power * ([1, 2, 2.5, 5].find(step => leading <= step) ?? 10)
}
