import { type ContentPart, isAttachment, oneLine } from '../../log/index.ts'
import { dayInZone, formatDay, weekday, zonedFormat } from '../calendar-day.ts'
import { clip, clipMiddle } from '../clip.ts'
import { speakerName } from '../speaker-name.ts'
import type { SourceMessage } from '../summarizer.ts'
import { describeAttachment } from './attachment.ts'
import { neutralize, withoutBytes } from './neutralize.ts'

/** One message as a model is shown it; its text may be cut into parts, each under the same head. */
export interface Entry {
  readonly seq: number
  /** `[Monday 2026-03-02, Asia/Shanghai]`; empty for the lines of summaries. */
  readonly day: string
  /** `#12 2026-03-02 14:05 Ann`. */
  readonly head: string
  readonly text: string
}

/** What a tool was given and returned is shown up to so many characters, head and tail; the log keeps it all. */
const CALL_CHARACTERS = 1_000
const RESULT_CHARACTERS = 3_000

export function renderMessages(
  messages: readonly SourceMessage[],
  zone: string,
  inert: (text: string) => string = neutralize,
): Entry[] {
  return messages.map(message => {
    const at = localTime(message.at, message.zone ?? zone)
    return {
      seq: message.seq,
      day: `[${at.weekday} ${at.day}, ${message.zone ?? zone}]`,
      head: `#${message.seq} ${at.day} ${at.time} ${inert(speakerName(message))}`,
      text: indented(inert(messageText(message))),
    }
  })
}

const INDEX_CHARACTERS = 60

/** Each by its beginning: whoever reads this has the messages themselves. */
export function indexMessages(messages: readonly SourceMessage[], zone: string): Entry[] {
  return renderMessages(messages, zone).map(entry => ({
    ...entry,
    text: clip(oneLine(entry.text), INDEX_CHARACTERS),
  }))
}

/** Lines of earlier summaries: the day is what counts of their time. */
export function renderSummaries(lines: readonly SourceMessage[], zone: string): Entry[] {
  return lines.map(line => {
    const day = formatDay(dayInZone(line.at, line.zone ?? zone))
    return {
      seq: line.seq,
      day: '',
      head: line.sender === null ? '' : `- ${day} ${neutralize(speakerName(line))}`,
      text: indented(neutralize(messageText(line))),
    }
  })
}

/** All lines but the first, so that no text can pose as a message of its own. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n    ')
}

function messageText({ content }: SourceMessage): string {
  const text = typeof content === 'string' ? content : content.map(partText).filter(Boolean).join('\n')
  return text.trim() === '' ? '(no text)' : text.trim()
}

/** Reasoning is no part of what was said. */
function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'tool-call':
      return `[calls ${oneLine(part.toolName)} ${clipMiddle(jsonText(part.input), CALL_CHARACTERS)}]`
    case 'tool-result':
      return `[${oneLine(part.toolName ?? 'tool')} returned ${clipMiddle(jsonText(part.output), RESULT_CHARACTERS)}]`
    case 'tool-approval-request':
      return '[asks for approval]'
    case 'tool-approval-response':
      return part.approved ? '[approves]' : '[declines]'
    default:
      return isAttachment(part) ? describeAttachment(part) : ''
  }
}

function jsonText(value: unknown): string {
  if (typeof value === 'string') return withoutBytes(value)
  const json = JSON.stringify(value, (_, inner: unknown) => {
    if (ArrayBuffer.isView(inner)) return `[${inner.byteLength} bytes]`
    return typeof inner === 'string' ? withoutBytes(inner) : inner
  })
  return json ?? ''
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const clocks = new Map<string, Intl.DateTimeFormat>()

function localTime(at: Date, zone: string): { day: string; weekday: string; time: string } {
  const day = dayInZone(at, zone)
  let clock = clocks.get(zone)
  if (!clock) {
    clock = zonedFormat('en-GB', zone, { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' })
    clocks.set(zone, clock)
  }
  return { day: formatDay(day), weekday: WEEKDAYS[weekday(day)]!, time: clock.format(at) }
}
