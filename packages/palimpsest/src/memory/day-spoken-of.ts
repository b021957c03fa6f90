import { findDates, type Moment } from '../summarizer/relative-dates.ts'

/** The day that a line speaks of, as seen from when and where it was said; `null`: none, or several. */
export function daySpokenOf(text: string, moment: Moment): string | null {
  const dates = findDates(text, moment)
  // What stands in brackets behind "tomorrow" is the same day once more.
  const meant = dates.filter((_, place) => dates[place - 1]?.resolved !== true)
  const [only] = meant
  return only && meant.length === 1 && only.from === only.to ? only.from : null
}
