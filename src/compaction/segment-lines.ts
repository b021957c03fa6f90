import { type Message, ROLES } from '../log/index.ts'
import { dayInZone, formatDay } from '../summarizer/calendar-day.ts'
import { oneLine, readableText, type SourceMessage, speakerName } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/**
 * The one form of a summary's lines, `- 2026-03-02 Ann: …`: a message that is kept whole is written so,
 * and the lines of segments are read back so when they are condensed.
 */
const LINE = /^- (?:(\d{4}-\d{2}-\d{2}) )?([^:]{1,80}): (.*)$/

/**
 * Messages as they are, within so many tokens, which are those of the messages themselves: of many short
 * ones the dates go, and then the names where the one before spoke too. What they say stays whole.
 */
export function verbatimLinesWithin(messages: readonly Message[], zone: string, tokens: number): string {
  const forms = [
    { zone, dates: true, names: true },
    { zone, dates: false, names: true },
    { zone, dates: false, names: false },
  ]
  for (const form of forms) {
    const text = lines(messages, form)
    if (estimateTokens(text) <= tokens) return text
  }
  return messages.map(({ content }) => `- ${oneLine(readableText(content))}`).join('\n')
}

function lines(
  messages: readonly Message[],
  { zone, dates, names }: { zone: string; dates: boolean; names: boolean },
): string {
  let text = ''
  let lastDay = ''
  let lastName = ''
  for (const message of messages) {
    const day = dates ? dayOf(message.at, message.zone ?? zone) : lastDay
    const name = speakerName(message)
    const words = oneLine(readableText(message.content))
    if (!names && name === lastName) text += ` / ${words}`
    else text += `${text === '' ? '' : '\n'}- ${day === lastDay ? '' : `${day} `}${name}: ${words}`
    lastDay = day
    lastName = name
  }
  return text
}

/** Each line as a message of its own, with the day that held for it. */
export function linesAsMessages(text: string, fallback: Date): SourceMessage[] {
  let at = fallback
  return text.split('\n').map((line, index) => {
    const [, day, name, words] = LINE.exec(line) ?? []
    if (day !== undefined) at = new Date(`${day}T12:00:00Z`)
    return {
      seq: index + 1,
      ...speakerOf(name),
      content: words ?? line,
      at,
      zone: 'UTC',
    }
  })
}

/** What a summariser is told of what came before; `null`: nothing did, or nothing is left of it. */
export function earlierSummary(segments: readonly { readonly summary: string }[]): string | null {
  const summaries = segments.map(({ summary }) => summary).filter(summary => summary !== '')
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
