import {
  byOrigin,
  type Content,
  type ContentPart,
  isAnswered,
  isAttachment,
  oneLine,
  type Person,
  type Spoken,
  splitLines,
  type WhoIsWho,
} from '../../log/index.ts'
import { dayInZone, formatDay, weekday, zonedFormat } from '../calendar-day.ts'
import { clip, clipMiddle } from '../clip.ts'
import { speakerIn, whoSpeaks } from '../speakers.ts'
import type { SourceMessage } from '../summarizer.ts'
import { labelOf } from '../told-apart.ts'
import { describeAttachment } from './attachment.ts'
import { neutralize, withoutBytes } from './neutralize.ts'

/** One message as a model is shown it. Its text may be cut into parts, each under the same head. */
export interface Entry {
  readonly seq: number
  /** `[Monday 2026-03-02, Asia/Shanghai]`; empty for the lines of summaries. */
  readonly day: string
  /** `#12 2026-03-02 14:05 Ann`. */
  readonly head: string
  readonly text: string
}

/**
 * What a tool was given and returned is shown up to so many characters, head and tail. The log keeps it all.
 */
const CALL_CHARACTERS = 1_000
const RESULT_CHARACTERS = 3_000

export function renderMessages(
  messages: readonly SourceMessage[],
  zone: string,
  {
    people = [],
    marksAll = false,
    inert = neutralize,
  }: {
    people?: readonly Person[] | undefined
    marksAll?: boolean
    inert?: (text: string) => string
  } = {},
): Entry[] {
  const who = whoSpeaks(messages, people, { marksAll })
  return messages.map(message => {
    const at = localTime(message.at, message.zone ?? zone)
    return {
      seq: message.seq,
      day: `[${at.weekday} ${at.day}, ${message.zone ?? zone}]`,
      head: `#${message.seq} ${at.day} ${at.time} ${inert(speakerIn(who, message))}`,
      text: indented(inert(messageText(message, who))),
    }
  })
}

const INDEX_CHARACTERS = 60

/** Each message by its beginning: the model that reads this has the messages themselves, in the prefix. */
export function indexMessages(
  messages: readonly SourceMessage[],
  zone: string,
  people?: readonly Person[],
): Entry[] {
  return renderMessages(messages, zone, { people }).map(entry => ({
    ...entry,
    text: clip(oneLine(entry.text), INDEX_CHARACTERS),
  }))
}

/** Lines of earlier summaries. Of their time, only the day counts. */
export function renderSummaries(
  lines: readonly SourceMessage[],
  zone: string,
  people?: readonly Person[],
): Entry[] {
  const who = whoSpeaks(lines, people)
  return lines.map(line => {
    const day = formatDay(dayInZone(line.at, line.zone ?? zone))
    return {
      seq: line.seq,
      day: '',
      head:
        line.sender === null && line.speaker === undefined
          ? ''
          : `- ${day} ${neutralize(speakerIn(who, line))}`,
      text: indented(neutralize(messageText(line, who))),
    }
  })
}

/** Indents all lines but the first, so that no text can pose as a message of its own. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n    ')
}

function messageText(message: SourceMessage, who: WhoIsWho): string {
  const groups = message.origin
    ? [{ origin: message.origin, content: message.content }]
    : byOrigin(message.content)
  const isQuoting = groups.some(({ origin }) => origin !== null && isAnswered(origin))
  const said = groups.map(({ origin, content }) => {
    const text = contentOf(content).trim()
    return origin === null || text === ''
      ? text
      : `[${labelOf(origin, each => who.nameOf(each))}]\n${marked(text)}`
  })
  const answered = isQuoting ? '' : answeredLine(message, who)
  const text = [answered, ...said].filter(Boolean).join('\n')
  return text === '' ? '(no text)' : text
}

function contentOf(content: Content): string {
  return typeof content === 'string' ? content : content.map(partText).filter(Boolean).join('\n')
}

/** Marks another person's words. */
function marked(text: string): string {
  return splitLines(text)
    .map(line => `> ${line}`)
    .join('\n')
}

function answeredLine({ answered }: SourceMessage, who: WhoIsWho): string {
  if (answered === undefined || answered.text === '') return ''
  const nameOf = (each: Spoken) => who.nameOf(each)
  const passedOn = answered.origin === undefined ? '' : `, ${labelOf(answered.origin, nameOf)}`
  return `[answers ${nameOf(answered)}${passedOn}]\n${marked(answered.text)}`
}

/** Reasoning is left out: it is no part of what was said. */
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
