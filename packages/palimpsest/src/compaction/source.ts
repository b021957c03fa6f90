import { shownTokens } from '../context/index.ts'
import { byOrigin, hasOrigins, type Message, type SessionKind } from '../log/index.ts'
import { runInSlices } from '../slices.ts'
import { readableText, type SourceMessage, type Summarizer } from '../summarizer/index.ts'
import { estimateTokens, measureMessage, measureMessageInSteps } from '../tokens/index.ts'

/** The most tokens for one summary. A longer range becomes several segments. */
export const MAX_SOURCE_TOKENS = 24_000

/** The most tokens of one call to this summariser. */
export function sourceLimit({ sourceTokens = Infinity }: Pick<Summarizer, 'sourceTokens'>): number {
  return Math.max(1, Math.min(MAX_SOURCE_TOKENS, sourceTokens))
}

const measured = new WeakMap<Message, number>()

/** Cached for each message of a fold, since many places ask for it. */
export function messageTokens(message: Message): number {
  let tokens = measured.get(message)
  if (tokens === undefined) {
    tokens = measureMessage(message).tokens
    measured.set(message, tokens)
  }
  return tokens
}

/** Measures messages that are not measured yet, in slices. A single message may be as long as a book. */
export async function measureInSlices(messages: readonly Message[]): Promise<void> {
  for (const message of messages)
    if (!measured.has(message))
      measured.set(message, (await runInSlices(measureMessageInSteps(message))).tokens)
}

export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
}

/** The tokens of the raw messages in a context. Their segment is never larger. */
export function rawTokens(messages: readonly Message[], kind: SessionKind): number {
  return shownTokens(
    messages.map(message => ({ ...message, turn: 0, tokens: messageTokens(message) })),
    kind,
  )
}

/**
 * Splits messages into chunks of about equal size, of at most `most` tokens. A larger message is a chunk of
 * its own. A chunk that begins between two of `boundaries` ends at the next boundary. So a rollback never
 * removes only a part of the segments over that place.
 */
export function chunks(
  messages: readonly Message[],
  most: number,
  boundaries: readonly number[] = [],
): readonly (readonly Message[])[] {
  const total = tokensOf(messages)
  // The target is a little below `most`, since a message rarely ends exactly there.
  const target = total / Math.ceil(total / (most * 0.97))
  const all: Message[][] = [[]]
  let tokens = 0
  for (const message of messages) {
    const size = messageTokens(message)
    const begun = all.at(-1)![0]
    const endsHere = boundaries.includes(message.seq) && begun && !boundaries.includes(begun.seq)
    if (tokens > 0 && (endsHere || tokens + size > most || tokens + size / 2 > target)) {
      all.push([])
      tokens = 0
    }
    all.at(-1)!.push(message)
    tokens += size
  }
  return all
}

const MAX_PARTS = 8
/** So many of the parts are from the end. */
const LAST_PARTS = 2

/**
 * Splits a message that is too large for a call into parts that fit. The parts hold its text only. If it
 * would take more than `MAX_PARTS` calls, only its beginning and its end are given. The log keeps the whole
 * message.
 */
export function partsOf(
  message: Message,
  most: number,
): { parts: readonly SourceMessage[]; isWhole: boolean } {
  const { content, sender } = message
  if (hasOrigins(content)) return partsByOrigin(message, most)
  const text = typeof content === 'string' ? content : readableText(content)
  const name = sender === null ? '' : `${sender.name ?? ''} (${sender.id})`
  const room = Math.max(1, most - 8 - estimateTokens(name))
  const total = typeof message.content === 'string' ? messageTokens(message) : estimateTokens(text)
  const texts = splitText(text, room, total)
  const { answered: _, ...later } = message
  return {
    parts: texts.given.map((content, place) => ({ ...(place === 0 ? message : later), content })),
    isWhole: texts.isWhole,
  }
}

/** No part holds the words of two people. */
function partsByOrigin(
  { answered: _, ...message }: Message,
  most: number,
): { parts: readonly SourceMessage[]; isWhole: boolean } {
  const groups = byOrigin(message.content).map(({ origin, content }) => {
    const { parts, isWhole } = partsOf({ ...message, content: readableText(content) }, most)
    return { parts: parts.map(part => (origin === null ? part : { ...part, origin })), isWhole }
  })
  const isWhole = groups.every(group => group.isWhole)
  return { parts: groups.flatMap(({ parts }) => parts), isWhole }
}

/**
 * Pieces of about equal length, each within the token limit. If there are more than `MAX_PARTS`, only the
 * first and the last are given.
 */
function splitText(text: string, tokens: number, total: number): { given: string[]; isWhole: boolean } {
  const step = Math.max(1, Math.floor((text.length * tokens * 0.9) / Math.max(1, total)))
  const pieces: string[] = []
  let from = 0
  while (from < text.length && pieces.length <= MAX_PARTS) {
    const piece = pieceAt(text, from, { step, tokens })
    pieces.push(piece)
    from += piece.length
  }
  if (from >= text.length && pieces.length <= MAX_PARTS) return { given: pieces, isWhole: true }
  // The rest is not read, since it may be many megabytes and most of it is left out.
  const given = pieces.slice(0, MAX_PARTS - LAST_PARTS)
  const start = Math.max(
    given.reduce((sum, piece) => sum + piece.length, 0),
    text.length - LAST_PARTS * step,
  )
  const last: string[] = []
  for (let at = wholeCharacter(text, start); at < text.length; at += last.at(-1)!.length)
    last.push(pieceAt(text, at, { step, tokens }))
  return { given: [...given, ...last.slice(-LAST_PARTS)], isWhole: false }
}

/** The piece that begins at `from`. It never splits a character. */
function pieceAt(text: string, from: number, { step, tokens }: { step: number; tokens: number }): string {
  let to = Math.min(text.length, from + step)
  while (to - from > 1 && estimateTokens(text.slice(from, to)) > tokens)
    to = from + Math.floor((to - from) / 2)
  const isInside = wholeCharacter(text, to) !== to
  if (isInside) to += to - from > 1 ? -1 : 1
  return text.slice(from, to)
}

/** The place itself. If it is inside a character: the place right after that character. */
function wholeCharacter(text: string, place: number): number {
  const isInside = place > 0 && place < text.length && (text.charCodeAt(place) & 0xfc00) === 0xdc00
  return isInside ? place + 1 : place
}

/** A bounded part of each message. That is enough to tell the language. */
export function sampleText(messages: readonly SourceMessage[]): string {
  const each = Math.max(200, Math.floor(20_000 / Math.max(1, messages.length)))
  return messages
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ content }) => (typeof content === 'string' ? content : readableText(content)).slice(0, each))
    .join('\n')
}
