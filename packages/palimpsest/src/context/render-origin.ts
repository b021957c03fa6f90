import { type Language, textsOf } from '../language/index.ts'
import {
  type Answered,
  byOrigin,
  type Content,
  type ContentPart,
  hasOrigins,
  type Message,
  mayAnswer,
  nameOnly,
  type Origin,
  splitLines,
} from '../log/index.ts'
import { inert, inertName } from './inert.ts'
import { senderName } from './render-message.ts'

/**
 * Words in a message that its sender did not say. They stand under a heading in square brackets, which no
 * text of the sender can have, and each line begins with `> `.
 */

export function originHeading(origin: Origin, language: Language): string {
  return `[${originLabel(origin, language)}]:`
}

/** Whose words they are, as a person would say it: `forwarded from Petra (90211), 2026-02-08`. */
export function originLabel({ kind, from, chat, at }: Origin, language: Language): string {
  const { origins } = textsOf(language).messages
  if (kind === 'link') return origins.link(from?.name === undefined ? null : inertName(from.name))
  const who = [...namesOf(from, language), ...(chat === undefined ? [] : [inertName(chat)])].join(', ')
  const label = origins[kind](who === '' ? null : who)
  return at === undefined ? label : `${label}, ${at.slice(0, 10)}`
}

function namesOf(from: Origin['from'], language: Language): readonly string[] {
  if (from === undefined) return []
  const { id, name } = from
  const shown =
    id === undefined
      ? nameOnly(from)
      : senderName({ sender: { id, ...(name !== undefined && { name }) } }, language)
  return shown ? [shown] : []
}

export function quoted(text: string): string {
  return splitLines(text)
    .map(line => `> ${line}`)
    .join('\n')
}

/**
 * What a message answers; it stands before the message's own words. `null`: the message answers nothing, or
 * says so itself.
 */
export function answeredText(
  message: Pick<Message, 'role' | 'replyTo' | 'content' | 'answered'>,
  language: Language,
): string | null {
  const { answered } = message
  if (answered === undefined || answered.text === '' || !mayAnswer(message)) return null
  const { messages } = textsOf(language)
  return `[${messages.origins.reply(answeredName(answered, language))}]:\n${quoted(inert(answered.text))}`
}

/**
 * `Ann (u1)`, or `Ann (u1), forwarded from Petra (u9)`: whom the message answers, and whose words those are.
 */
function answeredName({ role, sender, origin }: Answered, language: Language): string {
  const name = role === 'user' ? senderName({ sender }, language) : textsOf(language).roles[role]
  return origin === undefined ? name : `${name}, ${originLabel(origin, language)}`
}

/**
 * All that a message says, under headings that its own text can never have. `null`: all of it is its sender's
 * own, and it answers nothing that is quoted.
 */
export function headedText(
  message: Pick<Message, 'role' | 'replyTo' | 'content' | 'answered'>,
  language: Language,
  textOf: (content: Content) => string,
): string | null {
  const answered = answeredText(message, language)
  if (answered === null && !hasOrigins(message.content)) return null
  const said = byOrigin(message.content).flatMap(({ origin, content }) => {
    const text = inert(textOf(origin === null ? content : withoutOrigins(content)))
    if (text.trim() === '') return []
    return origin === null ? [text] : [`${originHeading(origin, language)}\n${quoted(text)}`]
  })
  return [...(answered === null ? [] : [answered]), ...said].join('\n')
}

function withoutOrigins(content: Content): Content {
  if (typeof content === 'string') return content
  return content.map(part => ({ ...part, origin: undefined }) as unknown as ContentPart)
}
