import { median } from '../measure.ts'
import { oursBeside } from './contestants.ts'
import type { Factor, Figures, Row } from './figures.ts'

/**
 * How far ours is ahead of each, with the same durability. The median of the rounds' own ratios: the two sides of
 * each were measured one after the other.
 */
export function toFactors({ contestants, sizes }: Omit<Figures, 'factors'>): Factor[] {
  return contestants
    .filter(({ role }) => role !== 'ours')
    .flatMap(({ name, durability }) =>
      sizes.map(({ messages, rows }) => {
        const ours = oursBeside(durability)
        const own = rows.find(row => row.name === ours)
        const other = rows.find(row => row.name === name)
        return {
          name,
          ours,
          messages,
          appends: ratio(own, other, row => row.appendsPerSecond),
          context: ratio(other, own, row => row.contextMedians),
        }
      }),
    )
}

function ratio(
  larger: Row | undefined,
  smaller: Row | undefined,
  roundsOf: (row: Row) => readonly number[],
): number | null {
  if (larger === undefined || smaller === undefined) return null
  const [above, below] = [roundsOf(larger), roundsOf(smaller)]
  // Whoever took too long has fewer rounds; they are the first ones.
  const rounds = Math.min(above.length, below.length)
  if (rounds === 0) return null
  return median(above.slice(0, rounds).map((value, round) => value / below[round]!))
}
