import { type Message, oneLine, ROLES } from '../log/index.ts'
import { dayInZone, formatDay } from '../summarizer/calendar-day.ts'
import { readableText, type SourceMessage, speakerName } from '../summarizer/index.ts'

/**
 * The one form of a summary's lines, `- 2026-03-02 Ann: …`: a message that is kept whole is written so,
 * and the lines of segments are read back so when they are condensed. Where days are merged, `- 2026-03-02–2026-03-09 …`.
 */
const LINE = /^- (?:(\d{4}-\d{2}-\d{2})(?:–\d{4}-\d{2}-\d{2})? )?(?:([^:]{1,80}): )?(.*)$/
/** What was said is read as a day if it begins so and none stands before it. */
const DAY = /^\d{4}-\d{2}-\d{2}(?:–\d{4}-\d{2}-\d{2})? /

/**
 * Messages as they are, in the fullest form that fits: of many short ones the names go where the one before spoke too,
 * and then all of them; where their days do not fit, they are merged into the first and the last, and go last of all.
 * What is said stays whole as long as it fits in any form. Messages that say nothing leave no line; empty where none says
 * anything.
 */
export function verbatimLines(
  messages: readonly Message[],
  zone: string,
  fits: (lines: string) => boolean,
): string {
  const said: Said[] = messages.flatMap(message => {
    const words = oneLine(readableText(message.content))
    const day = dayOf(message.at, message.zone ?? zone)
    return saysSomething(words) ? [{ day, name: speakerName(message), words }] : []
  })
  if (said.length === 0) return ''
  const forms = [
    () => lines(said, { names: 'all' }),
    () => lines(said, { names: 'changed' }),
    () => lines(said, { names: 'none' }),
    () => lines(withoutDays(said), { names: 'changed', days: mergedDays(said) }),
    () => joined(said, `${mergedDays(said)} `),
    () => joined(said),
  ]
  for (const form of forms) {
    const text = form()
    if (fits(text)) return text
  }
  return newestWords(joined(said).slice(2), fits)
}

interface Said {
  readonly day: string
  readonly name: string
  readonly words: string
}

const BETWEEN = ' / '

function lines(
  said: readonly Said[],
  { names, days = '' }: { names: 'all' | 'changed' | 'none'; days?: string },
): string {
  let text = ''
  let lastDay = ''
  let lastName = ''
  for (const [index, { day, name: speaker, words }] of said.entries()) {
    const name = names === 'none' && !namesSomebody(words) ? '' : speaker
    const line = name === '' ? words : `${name}: ${words}`
    const isNewDay = day !== lastDay
    const before = index === 0 && days !== '' ? days : isNewDay || DAY.test(line) ? day : ''
    if (names === 'changed' && name === lastName && !isNewDay) text += `${BETWEEN}${words}`
    else text += `${text && '\n'}- ${before && `${before} `}${line}`
    lastDay = day
    lastName = name
  }
  return text
}

function withoutDays(said: readonly Said[]): readonly Said[] {
  return said.map(each => ({ ...each, day: '' }))
}

/** `2026-03-02`, or `2026-03-02–2026-03-09`. */
function mergedDays(said: readonly Said[]): string {
  const days = said.map(({ day }) => day).sort()
  return days[0] === days.at(-1) ? days[0]! : `${days[0]}–${days.at(-1)}`
}

/** All on one line, and who said it left out. A mark stands before what would be read as a day or a name. */
function joined(said: readonly Said[], days = ''): string {
  const words = said.map(each => each.words).join(BETWEEN)
  return `- ${days}${namesSomebody(words) || DAY.test(words) ? ': ' : ''}${words}`
}

/** As much as fits of the end, where even the words alone do not: a tool's result may be told at greater length than it was. */
function newestWords(words: string, fits: (lines: string) => boolean): string {
  for (let length = words.length; length > 0; length = Math.floor(length * 0.8)) {
    const line = `- …${words.slice(-length).toWellFormed().replaceAll('\ufffd', '')}`
    if (fits(line)) return line
  }
  return ''
}

/** Whether they would be read as somebody's name, and what that one said. */
function namesSomebody(words: string): boolean {
  return LINE.exec(`- ${words}`)?.[2] !== undefined
}

/** Neither spaces nor marks that do not show. */
function saysSomething(words: string): boolean {
  return /[^\s\p{C}\p{Z}]/u.test(words)
}

/** Each line as a message of its own, with the day that held for it; `before`: of a text that has none. */
export function linesAsMessages(text: string, before: Date): SourceMessage[] {
  let at = before
  return text.split('\n').map((line, index) => {
    const [, day, name, words = line] = LINE.exec(line) ?? []
    const noon = day === undefined ? null : noonOf(day)
    at = noon ?? at
    return {
      seq: index + 1,
      ...speakerOf(name),
      // What the calendar does not have is a number that somebody wrote.
      content: day !== undefined && noon === null ? `${day} ${words}` : words,
      at,
      zone: 'UTC',
    }
  })
}

/** `null`: no line has one. */
export function firstDay(text: string): Date | null {
  for (const [, day] of text.matchAll(/^- (\d{4}-\d{2}-\d{2})(?:–\d{4}-\d{2}-\d{2})? /gm)) {
    const noon = noonOf(day!)
    if (noon !== null) return noon
  }
  return null
}

/** `null`: there is no such day. */
function noonOf(day: string): Date | null {
  const noon = new Date(`${day}T12:00:00Z`)
  return noon.toJSON()?.startsWith(day) ? noon : null
}

/** What a summariser is told of what came before; `null`: nothing did, or nothing is left of it. */
/** Without those that tell of a message as it was before an edit: what is told from them would stay. */
export function earlierSummary(
  segments: readonly { readonly summary: string; readonly state?: string }[],
): string | null {
  const summaries = segments
    .filter(({ state }) => state !== 'dirty')
    .map(({ summary }) => summary)
    .filter(summary => summary !== '')
  return summaries.length === 0 ? null : summaries.join('\n')
}

/** Whoever had no name stood there by his role; one who only calls himself so stands in quotes. */
function speakerOf(name: string | undefined): Pick<SourceMessage, 'role' | 'sender'> {
  const role = ROLES.find(role => role === name)
  if (role !== undefined) return { role, sender: null }
  return { role: 'user', sender: name === undefined ? null : { id: name, name } }
}

/** `YYYY-MM-DD`. */
export function dayOf(at: Date, zone: string): string {
  return formatDay(dayInZone(at, zone))
}
