import { type Message, oneLine, ROLES } from '../log/index.ts'
import { dayInZone, formatDay } from '../summarizer/calendar-day.ts'
import { readableText, type SourceMessage, speakerName } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/**
 * The one form of a summary's lines, `- 2026-03-02 Ann: …`: a message that is kept whole is written so,
 * and the lines of segments are read back so when they are condensed.
 */
const LINE = /^- (?:(\d{4}-\d{2}-\d{2}) )?(?:([^:]{1,80}): )?(.*)$/
/** What was said is read as a day if it begins so and none stands before it. */
const DAY = /^\d{4}-\d{2}-\d{2} /

/**
 * Messages as they are, within so many tokens, which are those of the messages themselves, and what their days take: of
 * many short ones the names go where the one before spoke too, and then all of them. What they say stays whole, and so
 * do the days: "next Friday" means nothing without, and whoever condenses them later would have to guess.
 */
export function verbatimLinesWithin(messages: readonly Message[], zone: string, tokens: number): string {
  const days = new Set(messages.map(({ at, zone: own }) => dayOf(at, own ?? zone)))
  const most = tokens + days.size * DAY_TOKENS
  for (const names of ['all', 'changed'] as const) {
    const text = lines(messages, { zone, names })
    if (estimateTokens(text) <= most) return text
  }
  return lines(messages, { zone, names: 'none' })
}

/** `2026-03-02 `, as it is counted. */
const DAY_TOKENS = 8

function lines(
  messages: readonly Message[],
  { zone, names }: { zone: string; names: 'all' | 'changed' | 'none' },
): string {
  let text = ''
  let lastDay = ''
  let lastName = ''
  for (const message of messages) {
    const day = dayOf(message.at, message.zone ?? zone)
    const words = oneLine(readableText(message.content))
    const name = names === 'none' && !namesSomebody(words) ? '' : speakerName(message)
    const said = name === '' ? words : `${name}: ${words}`
    const isNewDay = day !== lastDay
    if (names === 'changed' && name === lastName && !isNewDay) text += ` / ${words}`
    else text += `${text && '\n'}- ${isNewDay || DAY.test(said) ? `${day} ` : ''}${said}`
    lastDay = day
    lastName = name
  }
  return text
}

/** Whether they would be read as somebody's name, and what that one said. */
function namesSomebody(words: string): boolean {
  return LINE.exec(`- ${words}`)?.[2] !== undefined
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
  for (const [, day] of text.matchAll(/^- (\d{4}-\d{2}-\d{2}) /gm)) {
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
