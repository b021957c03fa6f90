import { FALLBACK_LANGUAGE, type Language, languageOfText, textsOf } from '../language/index.ts'
import {
  type Answered,
  byOrigin,
  type ContentPart,
  contentText,
  hasOrigins,
  headOf,
  isAnswered,
  nameOnly,
  type Origin,
  ownText,
  type Sender,
  type Spoken,
  shortQuotation,
} from '../log/index.ts'
import { clip } from './clip.ts'
import { readableText } from './extractive/readable.ts'
import { type Piece, splitPasted } from './pasted.ts'
import type { SourceMessage } from './summarizer.ts'

/**
 * Messages in pieces, each with the words of one person. What the sender passed on, quoted or pasted is a
 * piece of its own, marked by `origin` or `lead`. All code that tells of messages without a model reads them
 * this way, so that no words are told as another person's. A message that is all its sender's stays as it is.
 */
export function toldApart(messages: readonly SourceMessage[]): readonly SourceMessage[] {
  return messages.flatMap(message => piecesOf(message))
}

/** Whether the words are another person's, and not the sender's. */
export function isForeign({ origin, lead }: SourceMessage): boolean {
  return origin !== undefined || lead !== undefined
}

function piecesOf(message: SourceMessage): readonly SourceMessage[] {
  if (isForeign(message) || message.role !== 'user') return [message]
  const { content } = message
  if (!hasOrigins(content)) return withPasted(message)
  const groups = byOrigin(content)
  const hasOwn = groups.some(({ origin, content }) => origin === null && contentText(content).trim() !== '')
  let answered: Answered | undefined
  const pieces = groups.flatMap<SourceMessage>(({ origin, content }) => {
    if (origin === null) return withPasted({ ...message, content })
    if (!hasOwn || !isAnswered(origin)) return [{ ...message, content, origin }]
    answered ??= toAnswered(origin, contentText(content))
    return []
  })
  const first = pieces.findIndex(piece => !isForeign(piece))
  return pieces.map((piece, index) => {
    const { answered: known, ...rest } = piece
    const says = answered ?? known
    return index === first && says ? { ...rest, answered: says } : rest
  })
}

function toAnswered({ from }: Origin, text: string): Answered | undefined {
  const sender = from ? senderOf(from) : null
  const quotation = shortQuotation(text)
  return quotation === '' ? undefined : { seq: 0, role: 'user', sender, text: quotation }
}

function senderOf(from: NonNullable<Origin['from']>): Sender | null {
  const id = from.id ?? nameOnly(from) ?? ''
  return id === ''
    ? null
    : { id, ...(from.id !== undefined && from.name !== undefined && { name: from.name }) }
}

function withPasted(message: SourceMessage): readonly SourceMessage[] {
  const { content, sender } = message
  const names = [sender?.name, sender?.id].filter(name => name !== undefined)
  if (typeof content === 'string') {
    const pieces = splitPasted(content, names)
    return pieces.every(({ isOwn }) => isOwn) ? [message] : withoutLeads(pieces).flatMap(toMessage(message))
  }
  const split = content.map(part => (part.type === 'text' ? splitPasted(part.text, names) : null))
  if (split.every(pieces => pieces === null || pieces.every(({ isOwn }) => isOwn))) return [message]
  return content.flatMap((part: ContentPart, index) => {
    const pieces = split[index]
    if (!pieces) return [{ ...message, content: [part] }]
    return withoutLeads(pieces).flatMap(piece =>
      toMessage(message)(piece).map(each => ({
        ...each,
        content: [{ ...part, text: piece.text } as ContentPart],
      })),
    )
  })
}

/**
 * Words that introduce another person's words stand before these as the speaker. They are no sentence of
 * their own, so they are cut off here.
 */
function withoutLeads(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece, index) => {
    const lead = pieces[index + 1]?.lead ?? null
    const before =
      piece.isOwn && lead !== null
        ? piece.text
            .trimEnd()
            .replace(/[:：]$/, '')
            .trimEnd()
        : ''
    return before !== '' && before.endsWith(lead!)
      ? { ...piece, text: before.slice(0, before.length - lead!.length) }
      : piece
  })
}

function toMessage(message: SourceMessage): (piece: Piece) => readonly SourceMessage[] {
  const { answered: _, ...later } = message
  let isFirst = true
  return ({ text, isOwn, lead }) => {
    if (text.trim() === '') return []
    const own = isFirst ? message : later
    if (isOwn) isFirst = false
    return [isOwn ? { ...own, content: text } : { ...later, content: text, lead }]
  }
}

const LOOKED_AT = 200
const LOOKED_AT_CHARACTERS = 200

/** The language for what is written beside the people's words. */
export function languageOfSource(messages: readonly SourceMessage[]): Language {
  const said = messages
    .slice(0, LOOKED_AT)
    .filter(({ role }) => role === 'user')
    .map(({ content }) => headOf(ownText(content), LOOKED_AT_CHARACTERS))
  const text = said.join('\n')
  return /\p{L}/u.test(text) ? languageOfText(text) : FALLBACK_LANGUAGE
}

/** With the day and the colon, this is no longer than what is read as a name when lines are condensed. */
const MAX_CHARACTERS = 78
const MAX_LEAD_CHARACTERS = 36

/** How people are called in this text. */
type NameOf = (message: Spoken) => string

/** The speaker, as the line begins: `Ann forwarded from Petra`. */
export function spokenBy(message: SourceMessage, nameOf: NameOf, language: Language): string {
  const { origin, lead } = message
  const name = nameOf(message)
  if (origin === undefined && lead === undefined) return name
  const label =
    origin === undefined ? leadLabel(lead ?? null, language) : originLabel(origin, { nameOf, language })
  return clip(`${name} ${label}`, MAX_CHARACTERS)
}

function leadLabel(lead: string | null, language: Language): string {
  return lead === null
    ? textsOf(language).messages.origins.quote(null)
    : `(${clip(withoutColons(lead), MAX_LEAD_CHARACTERS)})`
}

function originLabel(
  { kind, from, chat }: Origin,
  { nameOf, language }: { nameOf: NameOf; language: Language },
): string {
  const sender = from && senderOf(from)
  const named = sender ? [nameOf({ sender, role: 'user' })] : []
  const who = [...named, ...(chat === undefined ? [] : [withoutColons(clip(chat, MAX_LEAD_CHARACTERS))])]
  return textsOf(language).messages.origins[kind](who.length === 0 ? null : who.join(', '))
}

function withoutColons(text: string): string {
  return text.replace(/[\s:：]+/g, ' ').trim()
}

/** Stands before the words that answer it: `(Ann: “red chairs for 420”) `. */
export function answeredPrefix(
  { answered }: Pick<SourceMessage, 'answered'>,
  nameOf: NameOf,
  language: Language,
): string {
  if (answered === undefined || answered.text === '') return ''
  const { origin } = answered
  const passedOn = origin === undefined ? '' : ` ${originLabel(origin, { nameOf, language })}`
  return `(${nameOf(answered)}${passedOn}: “${answered.text.replaceAll('”', "'").replaceAll('“', "'")}”) `
}

/**
 * All that a message says. Words that are not the sender's stand behind a label that says whose they are. For
 * code that tells a message as it is.
 */
export function markedText(message: SourceMessage, language: Language, nameOf: NameOf): string {
  const groups = message.origin
    ? [{ origin: message.origin, content: message.content }]
    : byOrigin(message.content)
  const isQuoting = groups.some(({ origin }) => origin !== null && isAnswered(origin))
  const said = groups.map(({ origin, content }) => {
    const text = readableText(content)
    return origin === null || text.trim() === ''
      ? text
      : `[${originLabel(origin, { nameOf, language })}] ${text}`
  })
  return `${isQuoting ? '' : answeredPrefix(message, nameOf, language)}${said.join('\n')}`
}

/** Whether the sender said any of the words in the message. */
export function hasOwnWords(message: SourceMessage): boolean {
  return toldApart([message]).some(
    piece => !isForeign(piece) && /[\p{L}\p{N}]/u.test(contentText(piece.content)),
  )
}

/** The label in a prompt, which is in English. */
export function labelOf(origin: Origin, nameOf: NameOf): string {
  return originLabel(origin, { nameOf, language: FALLBACK_LANGUAGE })
}
