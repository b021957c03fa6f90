import type { Row } from './steps.ts'

/**
 * If a segment's text contains the summary word for word, the summary is stored as a place in the text. This
 * place is not JSON.
 */

const WITHIN = 'in text '
/** For a shorter summary this is not worth it. */
const MIN_CHARACTERS = 40

export function summaryWithin(text: string, summary: string): string {
  const start = summary.length < MIN_CHARACTERS ? -1 : text.indexOf(summary)
  return start === -1 ? JSON.stringify(summary) : `${WITHIN}${start} ${summary.length}`
}

/** The same row with the summary itself. */
export function withSummary(row: Row): Row {
  const { summary, text } = row
  if (typeof summary !== 'string' || !summary.startsWith(WITHIN)) return row
  const [start, length] = summary.slice(WITHIN.length).split(' ').map(Number)
  const whole = JSON.parse(text as string) as string
  return { ...row, summary: JSON.stringify(whole.slice(start, start! + length!)) }
}
