import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DateMention, Moment } from '../../packages/palimpsest/src/summarizer/relative-dates.ts'

/**
 * Everyday sentences of our own, and the days that they mean. In the text files a heading, `# 2026-03-04
 * Wednesday, UTC`, says when the sentences below it were written and where, at noon or at the time that ends the
 * heading (`, 23:50`). What stands in brackets names a day: `[Saturday = 2026-03-07]` means that day, `[next week =
 * 2026-03-09/15]` those days, `[Friday = ?]` cannot be told from the sentence, `[Friday = 2026-03-06 or open]` may be
 * left as it is. Nothing outside of brackets means a day that a reader could name. `## ahead` says what kind of
 * sentences follow, and `\n` is a new line.
 */

export interface Sentence {
  readonly text: string
  readonly moment: Moment
  readonly marks: readonly Mark[]
  /** `ahead`, `past` or `traps`, where the file says so. */
  readonly kind: string | null
}

interface Mark {
  readonly start: number
  readonly end: number
  readonly words: string
  /** `null`: it cannot be told. */
  readonly means: string | null
  /** Left open it is right as well. */
  readonly mayStayOpen: boolean
}

export function readSentences(file: string): Sentence[] {
  const sentences: Sentence[] = []
  let moment: Moment | null = null
  let kind: string | null = null
  for (const line of readFileSync(join(import.meta.dirname, file), 'utf8').split('\n')) {
    const heading = /^# (\d{4}-\d{2}-\d{2}) \w+, ([^\s,]+)(?:, (\d{2}:\d{2}))?$/.exec(line)
    const section = /^## (\w+)$/.exec(line)
    if (heading)
      moment = { at: instantOf(`${heading[1]}T${heading[3] ?? '12:00'}`, heading[2]!), zone: heading[2]! }
    else if (section) kind = section[1]!
    else if (moment !== null && line.trim() !== '') sentences.push(readSentence(line, moment, kind))
  }
  return sentences
}

/** The instant at which the clocks of the zone show that day and time, `2026-03-04T23:50`. */
export function instantOf(local: string, zone: string): Date {
  const shown = new Date(`${local}:00Z`)
  return new Date(2 * shown.getTime() - clockOf(shown, zone))
}

function clockOf(at: Date, zone: string): number {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return Date.parse(`${clock.format(at).replace(' ', 'T')}:00Z`)
}

function readSentence(line: string, moment: Moment, kind: string | null): Sentence {
  const marks: Mark[] = []
  let text = ''
  let from = 0
  for (const match of line.matchAll(/\[([^\]=]+) = ([^\]]+?)( or open)?\]/g)) {
    text += newLines(line.slice(from, match.index))
    const start = text.length
    text += match[1]
    marks.push({
      start,
      end: text.length,
      words: match[1]!,
      means: match[2] === '?' ? null : match[2]!,
      mayStayOpen: match[3] !== undefined,
    })
    from = match.index + match[0].length
  }
  return { text: text + newLines(line.slice(from)), moment, marks, kind }
}

function newLines(text: string): string {
  return text.replaceAll('\\n', '\n')
}

export interface Score {
  readonly sentences: number
  /** Marks that mean a day. */
  readonly decidable: number
  readonly right: number
  readonly unresolved: readonly string[]
  readonly wrong: readonly string[]
}

export function scoreDays(
  sentences: readonly Sentence[],
  find: (text: string, moment: Moment) => readonly DateMention[],
): Score {
  const wrong: string[] = []
  const unresolved: string[] = []
  let decidable = 0
  let right = 0
  for (const { text, moment, marks } of sentences) {
    const found = find(text, moment).filter(
      ({ sameDay, relative }) => !(sameDay && relative && saysToday(text)),
    )
    const describe = (what: string) => `${moment.at.toISOString().slice(0, 10)} ${text} — ${what}`
    for (const mention of found)
      if (!marks.some(mark => overlaps(mark, mention)))
        wrong.push(describe(`"${text.slice(mention.start, mention.end)}" is ${mention.label}, means no day`))
    for (const mark of marks) {
      const decided = mark.means !== null && !mark.mayStayOpen
      if (decided) decidable++
      const mention = found.find(each => overlaps(mark, each))
      if (mention === undefined) {
        if (decided) unresolved.push(describe(`"${mark.words}"`))
      } else if (mention.label === mark.means) right += decided ? 1 : 0
      else
        wrong.push(
          describe(`"${mark.words}" is ${mention.label}, means ${mark.means ?? 'what cannot be told'}`),
        )
    }
  }
  return { sentences: sentences.length, decidable, right, unresolved, wrong }
}

const TODAY = /today|tonight|this (?:morning|afternoon|evening)|今/i

function saysToday(text: string): boolean {
  return TODAY.test(text)
}

function overlaps(left: { start: number; end: number }, right: { start: number; end: number }): boolean {
  return left.start < right.end && right.start < left.end
}

export function describeScore({ sentences, decidable, right, unresolved, wrong }: Score): string {
  const share = ((100 * unresolved.length) / decidable).toFixed(1)
  return `${sentences} sentences with ${decidable} days: ${right} right, ${wrong.length} wrong, ${unresolved.length} unresolved (${share}%)`
}
