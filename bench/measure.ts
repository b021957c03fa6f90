/** The value below which the share `p` of them lies; the nearest one, so it is always one that occurred. */
export function percentile(values: readonly number[], p: number): number {
  if (values.length === 0) throw new Error('Nothing was measured.')
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/**
 * Runs the contestants in turn, round after round, so that whatever else the machine does meets all of
 * them. The order is reversed in every other round. The first round warms up and is dropped.
 */
export async function interleave<Name extends string, Value>(
  rounds: number,
  contestants: Readonly<Record<Name, () => Promise<Value> | Value>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(contestants) as Name[]
  const values = Object.fromEntries(names.map(name => [name, [] as Value[]])) as Record<Name, Value[]>
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await contestants[name]()
      if (round > 0) values[name].push(value)
    }
  }
  return values
}

/** The median of the rounds' own ratios: the two sides of each were measured side by side. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / theirs[round]!))
}

export async function perSecond(operations: number, action: () => Promise<void> | void): Promise<number> {
  const start = performance.now()
  await action()
  return (operations * 1000) / (performance.now() - start)
}

/** So many calls in all, by so many callers, each of whom begins the next when the one before has ended. */
export async function atOnce(callers: number, total: number, action: () => Promise<unknown>): Promise<void> {
  let begun = 0
  const call = async () => {
    while (begun++ < total) await action()
  }
  await Promise.all(Array.from({ length: callers }, call))
}

/** How long each of so many calls took, in milliseconds. */
export async function timeEach(calls: number, action: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const start = performance.now()
    await action()
    times.push(performance.now() - start)
  }
  return times
}
