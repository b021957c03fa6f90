import type { Past, PastSummary } from './past.ts'

/**
 * What stands for the messages of a range: the older system's words; or `null`, where an extract is to be
 * made.
 */
export interface Cover {
  readonly from: number
  /** Excluded. */
  readonly to: number
  readonly text: string | null
  readonly at: number | null
}

export interface CoverPlan {
  /** The covers follow each other from 0 through the cursor, with no gap and no overlap. */
  readonly covers: readonly Cover[]
  /** Summaries whose messages are not in the file. */
  readonly homeless: readonly PastSummary[]
  readonly notes: readonly string[]
}

/**
 * Segments must follow each other, but the summaries of older systems may overlap. A summary that overlaps
 * the one before covers only the rest of its range. The text of a summary inside another is added to that
 * one. A range without a summary gets an extract. No words are lost.
 */
export function planCover({
  folded,
  summaries,
  window,
}: Pick<Past, 'folded' | 'summaries' | 'window'>): CoverPlan {
  const homeless = summaries.filter(({ from, to }) => to <= from)
  const ranged = summaries.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from || b.to - a.to)
  const covers: Cover[] = []
  let overlapping = 0
  let through = 0
  for (const { from, to, text, at } of ranged) {
    if (from < through) overlapping += 1
    if (to <= through) {
      const place = covers.findIndex(cover => from < cover.to && cover.text !== null)
      const holder = covers[place]!
      if (!holder.text!.includes(text)) covers[place] = { ...holder, text: `${holder.text}\n\n${text}` }
      continue
    }
    if (from > through) covers.push({ from: through, to: from, text: null, at: null })
    covers.push({ from: Math.max(from, through), to, text, at })
    through = to
  }
  if (through < folded) covers.push({ from: through, to: folded, text: null, at: null })
  const notes: string[] = []
  if (overlapping > 0)
    notes.push(`${overlapping} of ${summaries.length} summaries overlap another: no message is covered twice`)
  // The window covers the range. The summaries are kept beside it.
  if (window !== null && folded > 0) return { covers: [], homeless: summaries, notes }
  return { covers, homeless, notes }
}
