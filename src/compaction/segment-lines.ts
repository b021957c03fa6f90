import type { Message } from '../log/index.ts'
import { oneLine, readableText, type SourceMessage, speakerName } from '../summarizer/index.ts'

/**
 * The one form of a summary's lines, `- 2026-03-02 Ann: …`: a message that is kept whole is written so,
 * and the lines of segments are read back so when they are condensed.
 */
const LINE = /^- (?:(\d{4}-\d{2}-\d{2}) )?([^:]{1,80}): (.*)$/

export function verbatimLines(messages: readonly Message[], zone: string): string {
  let lastDay = ''
  return messages
    .map(message => {
      const day = dayOf(message.at, message.zone ?? zone)
      const date = day === lastDay ? '' : `${day} `
      lastDay = day
      return `- ${date}${speakerName(message)}: ${oneLine(readableText(message.content))}`
    })
    .join('\n')
}

/** Each line as a message of its own, with the day that held for it. */
export function linesAsMessages(text: string, fallback: Date): SourceMessage[] {
  let at = fallback
  return text.split('\n').map((line, index) => {
    const [, day, name, words] = LINE.exec(line) ?? []
    if (day !== undefined) at = new Date(`${day}T12:00:00Z`)
    return {
      seq: index + 1,
      role: 'user',
      sender: name === undefined ? null : { id: name, name },
      content: words ?? line,
      at,
      zone: 'UTC',
    }
  })
}

function dayOf(at: Date, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at)
}
