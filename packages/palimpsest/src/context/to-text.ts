import { InvalidArgumentError } from '../errors.ts'
import { checkOptions, optionsOf } from '../known-options.ts'
import { LANGUAGES, type Language, type Texts, textsOf } from '../language/index.ts'
import { headOf, ROLES, splitLines } from '../log/index.ts'
import { attachmentLabel } from './attachment.ts'
import type { ContextParts } from './context.ts'
import type { AssistantModelMessage, ModelMessage, UserModelMessage } from './model-message.ts'
import { closingNote } from './plan-context.ts'
import { MEMORY_CLOSING, memoryOpening } from './session-memory.ts'

const MESSAGE_CUT = ' […]'
/** Four spaces make code in Markdown, and code has no headings. */
const INDENT = '    '

export interface ToTextOptions {
  /** The most characters of the whole text, in UTF-16 units as `length` counts. Left out: no limit. */
  limit?: number
  /** Whether the text begins with the instructions, memory documents included. Left out: it does not. */
  instructions?: boolean
}

const TO_TEXT = optionsOf<ToTextOptions>({ limit: true, instructions: true })

/**
 * The context as one text, for prompts without roles. Only our own lines begin at the margin: the headings,
 * the `role: ` and the notes that something was left out. Stored text is indented wherever it could look like
 * one of these, so that it cannot forge any of them.
 *
 * Over the limit, the instructions keep their first lines, in at most half of the limit. The summary keeps
 * its newest lines, in at most half of what remains. The newest messages have the rest. The result is never
 * longer than the limit and never splits a character.
 */
export function toText(
  {
    instructions,
    messages,
    sessionMemory,
    language = 'en',
  }: Pick<ContextParts, 'instructions' | 'messages' | 'sessionMemory'> &
    Partial<Pick<ContextParts, 'language'>>,
  options: ToTextOptions = {},
): string {
  checkOptions('toText', options, TO_TEXT)
  const { limit = Number.POSITIVE_INFINITY, instructions: isInstructed = false } = options
  if (Number.isNaN(limit) || limit < 0 || typeof limit !== 'number')
    throw new InvalidArgumentError('limit', limit, 'a number of at least 0')
  const texts: PlainTexts = { language, ...textsOf(language).plainText }
  const summary = summaryLines(sessionMemory, language)
  const spoken = messagesWithout({ messages, sessionMemory, language })
    .map(message => messageText(message, language))
    .filter(Boolean)
  const rules = isInstructed ? instructionLines(instructions) : []
  const whole = joined(
    instructionsSection(rules, texts),
    summarySection(summary, texts),
    messagesSection(spoken, 0, texts),
  )
  if (whole.length <= limit) return whole
  const top = cutInstructions(rules, Math.floor(limit / 2), texts)
  const room = limit - (top === '' ? 0 : top.length + 2)
  const head = cutSummary(summary, Math.floor(room / 2), texts)
  return joined(top, head, cutMessages(spoken, room - (head === '' ? 0 : head.length + 2), texts))
}

/**
 * A line of the instructions that looks like one of our headings. Only such a line is indented: the headings
 * of documents stay.
 */
const LOOKS_LIKE_OURS = new RegExp(
  `^ {0,3}#+\\s*(?:${LANGUAGES.map(language => textsOf(language).plainText)
    .flatMap(({ instructions, summary, messages }) => [instructions, summary, messages])
    .join('|')})`,
  'i',
)

type PlainTexts = Texts['plainText'] & { readonly language: Language }

function summaryHeading({ summary, summaryIs }: PlainTexts): string {
  return `## ${summary}\n${summaryIs}`
}

function instructionLines(instructions: string): string[] {
  const text = instructions.trim()
  if (text === '') return []
  return splitLines(text.toWellFormed()).map(line => (LOOKS_LIKE_OURS.test(line) ? INDENT + line : line))
}

function instructionsSection(lines: readonly string[], texts: PlainTexts): string {
  return lines.length === 0 ? '' : [`## ${texts.instructions}`, ...lines].join('\n')
}

/** Keeps the first lines: a caller's own instructions stand before memory. */
function cutInstructions(lines: readonly string[], limit: number, texts: PlainTexts): string {
  const whole = instructionsSection(lines, texts)
  if (whole.length <= limit) return whole
  const heading = `## ${texts.instructions}`
  let room = limit - heading.length - texts.instructionsLeftOut.length - 1
  const tooLong = lines.findIndex(line => {
    room -= line.length + 1
    return room < 0
  })
  const kept = lines.slice(0, tooLong)
  return kept.length === 0 ? '' : [heading, ...kept, texts.instructionsLeftOut].join('\n')
}

function joined(...sections: string[]): string {
  return sections.filter(Boolean).join('\n\n')
}

/** Drops the message that holds the summary, so that the summary is not said twice. */
function messagesWithout({
  messages,
  sessionMemory,
  language,
}: Pick<ContextParts, 'messages' | 'sessionMemory' | 'language'>): ModelMessage[] {
  const carrier = sessionMemory ? messages.findIndex(message => plainText(message) === sessionMemory) : -1
  // The closing note is only for an API that wants a user's message last.
  const last = messages.at(-1)
  const end =
    last !== undefined && plainText(last) === closingNote(language) ? messages.length - 1 : messages.length
  return messages.filter((_, index) => index !== carrier && index < end)
}

function plainText({ content }: ModelMessage): string | null {
  if (typeof content === 'string') return content
  const [part, ...others] = content
  return part?.type === 'text' && others.length === 0 ? part.text : null
}

/** Both kinds of Markdown headings: `# …` and an underlined line. */
const LOOKS_LIKE_HEADING = /^ {0,3}(?:#|=+\s*$|-+\s*$)/

/** Only a heading can end the summary, so only a line that looks like one is indented. */
function summaryLines(sessionMemory: string | null, language: Language): string[] {
  const text = withoutFrame(sessionMemory ?? '', memoryOpening(language)).trim()
  if (text === '') return []
  return splitLines(text.toWellFormed()).map(line => (LOOKS_LIKE_HEADING.test(line) ? INDENT + line : line))
}

/** The heading of the section says what the frame says. */
function withoutFrame(sessionMemory: string, opening: string): string {
  return sessionMemory.startsWith(opening) && sessionMemory.endsWith(MEMORY_CLOSING)
    ? sessionMemory.slice(opening.length, -MEMORY_CLOSING.length)
    : sessionMemory
}

function summarySection(lines: readonly string[], texts: PlainTexts): string {
  return lines.length === 0 ? '' : [summaryHeading(texts), ...lines].join('\n')
}

/**
 * The newest lines. If the last line alone is too long, its beginning is kept: half a thought is better than
 * no summary.
 */
function cutSummary(lines: readonly string[], limit: number, texts: PlainTexts): string {
  const whole = summarySection(lines, texts)
  if (whole.length <= limit) return whole
  const heading = summaryHeading(texts)
  const room = limit - heading.length - texts.summaryLeftOut.length - 1
  const kept: string[] = []
  let length = 0
  for (const line of lines.toReversed()) {
    length += line.length + 1
    if (length > room) break
    kept.unshift(line)
  }
  if (kept.length === 0) kept.push(...[cutText(lines.at(-1)!, room - 1)].filter(Boolean))
  return kept.length === 0 ? '' : [heading, texts.summaryLeftOut, ...kept].join('\n')
}

function messagesSection(kept: readonly string[], leftOut: number, texts: PlainTexts): string {
  if (kept.length + leftOut === 0) return ''
  const notes = leftOut === 0 ? [] : [texts.messagesLeftOut(leftOut, kept.length === 0)]
  return [`## ${texts.messages}`, ...notes, ...kept].join('\n')
}

/** The newest messages, as many as fit. If the newest one alone is too long, it is cut. */
function cutMessages(spoken: readonly string[], limit: number, texts: PlainTexts): string {
  const whole = messagesSection(spoken, 0, texts)
  if (spoken.length === 0 || whole.length <= limit) return whole
  let kept = 0
  let length = 0
  for (const text of spoken.toReversed()) {
    length += text.length + 1
    const around = messagesSection([''], spoken.length - kept - 1, texts).length - 1
    if (around + length > limit) break
    kept += 1
  }
  const shown = kept > 0 ? spoken.slice(-kept) : newestCut(spoken, limit, texts)
  const section = messagesSection(shown, spoken.length - shown.length, texts)
  return section.length <= limit ? section : ''
}

const ROLES_ELSEWHERE = LANGUAGES.filter(language => language !== 'en')
  .flatMap(language => Object.values(textsOf(language).roles))
  .join('')

/** A cut inside a message with several lines may fall within a role, before the role can be read. */
const HALF_A_ROLE = new RegExp(`\\n(?:[a-z]+|[${ROLES_ELSEWHERE}]{1,4}):? ?$`)
/** A shorter rest than the role and a few characters tells nothing. */
function longestRole(language: Language): number {
  return Math.max(...ROLES.map(role => textsOf(language).roles[role].length))
}

function newestCut(spoken: readonly string[], limit: number, texts: PlainTexts): string[] {
  const around = messagesSection([''], spoken.length - 1, texts).length
  const start = cutText(spoken.at(-1)!, limit - around - MESSAGE_CUT.length)
    .replace(HALF_A_ROLE, '')
    .trimEnd()
  return start.length < longestRole(texts.language) + 7 ? [] : [start + MESSAGE_CUT]
}

/** At most `limit` characters of the text, and never half a character. */
function cutText(text: string, limit: number): string {
  return headOf(text, Math.max(0, limit))
}

/** One line for what is said, and one for each call and each result. Empty: there is nothing to show. */
function messageText(message: ModelMessage, language: Language): string {
  const { roles, messages } = textsOf(language)
  if (message.role === 'tool')
    return message.content
      .map(({ toolName, output }) => speech(roles.tool, `[${toolName}] ${output.value}`))
      .join('\n')
  const { role, content } = message
  if (typeof content === 'string') return speech(roles[role], content)
  const said: string[] = []
  const lines: string[] = []
  const say = () => lines.push(speech(roles[role], said.splice(0).join('\n')))
  for (const part of content) {
    if (part.type === 'tool-call') {
      say()
      lines.push(speech(roles[role], messages.calls(part.toolName, JSON.stringify(part.input))))
    } else said.push(partText(part, language))
  }
  say()
  return lines.filter(Boolean).join('\n')
}

type SpokenPart =
  | Exclude<UserModelMessage['content'], string>[number]
  | Exclude<AssistantModelMessage['content'], string>[number]

function partText(part: Exclude<SpokenPart, { type: 'tool-call' }>, language: Language): string {
  if (part.type === 'text') return part.text
  // The call of a tool that the provider ran has a note right after it, and the note tells enough.
  if (part.type === 'tool-result') return ''
  return part.type === 'reasoning' ? '' : attachmentLabel(part, language)
}

function speech(role: string, text: string): string {
  const said = text.trim()
  return said === '' ? '' : `${role}: ${splitLines(said.toWellFormed()).join(`\n${INDENT}`)}`
}
