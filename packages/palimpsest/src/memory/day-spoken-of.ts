import { findDates, type Moment } from '../summarizer/relative-dates.ts'

/** The day that a line means, seen from when and where it was said. `null`: it means no day, or several. */
export function daySpokenOf(text: string, moment: Moment): string | null {
  const dates = findDates(text, moment)
  // A day in brackets behind a word such as "tomorrow" is the same day again.
  const meant = dates.filter((_, place) => dates[place - 1]?.resolved !== true)
  const [only] = meant
  return only && meant.length === 1 && only.from === only.to ? only.from : null
}
