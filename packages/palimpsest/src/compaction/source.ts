import { shownTokens } from '../context/index.ts'
import { byOrigin, hasOrigins, type Message, type SessionKind } from '../log/index.ts'
import { runInSlices } from '../slices.ts'
import { readableText, type SourceMessage, type Summarizer } from '../summarizer/index.ts'
import { estimateTokens, measureMessage, measureMessageInSteps } from '../tokens/index.ts'

/** What one summary is made of at most; a longer range becomes several segments. */
export const MAX_SOURCE_TOKENS = 24_000

/** What one call to this summariser takes in. */
export function sourceLimit({ sourceTokens = Infinity }: Pick<Summarizer, 'sourceTokens'>): number {
  return Math.max(1, Math.min(MAX_SOURCE_TOKENS, sourceTokens))
}

const measured = new WeakMap<Message, number>()

/** Measured once for each message of a fold: it is asked for at every turn. */
export function messageTokens(message: Message): number {
  let tokens = measured.get(message)
  if (tokens === undefined) {
    tokens = measureMessage(message).tokens
    measured.set(message, tokens)
  }
  return tokens
}

/** The same in slices, for those that nobody has measured yet: one of them may be as long as a book. */
export async function measureInSlices(messages: readonly Message[]): Promise<void> {
  for (const message of messages)
    if (!measured.has(message))
      measured.set(message, (await runInSlices(measureMessageInSteps(message))).tokens)
}

export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
}

/** What they take in a context as they are: a segment of theirs is never larger. */
export function rawTokens(messages: readonly Message[], kind: SessionKind): number {
  return shownTokens(
    messages.map(message => ({ ...message, turn: 0, tokens: messageTokens(message) })),
    kind,
  )
}

/**
 * In stretches of about equal size, of at most so many tokens; a message that is larger on its own stands
 * alone. A stretch that began between two of `boundaries` ends at the next one: so a rollback never takes
 * away half of what stands for what lay there before.
 */
export function chunks(
  messages: readonly Message[],
  most: number,
  boundaries: readonly number[] = [],
): readonly (readonly Message[])[] {
  const total = tokensOf(messages)
  // A little below the most: messages do not end where a share of the whole does.
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
/** Of those, so many are of the end. */
const LAST_PARTS = 2

/**
 * A message that is larger than a call takes in, in parts that are not: its words only. Of one that would
 * take more than a handful of calls the beginning and the end are given; the log has it whole.
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

/** Pieces of about equal length, each within so many tokens; of more than a handful the first and the last. */
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
  // The rest is not looked at: it may be many megabytes, and most of it is left out.
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

/** What begins here, never half a character. */
function pieceAt(text: string, from: number, { step, tokens }: { step: number; tokens: number }): string {
  let to = Math.min(text.length, from + step)
  while (to - from > 1 && estimateTokens(text.slice(from, to)) > tokens)
    to = from + Math.floor((to - from) / 2)
  const isInside = wholeCharacter(text, to) !== to
  if (isInside) to += to - from > 1 ? -1 : 1
  return text.slice(from, to)
}

/** At a place, or right after it where a character goes on there. */
function wholeCharacter(text: string, place: number): number {
  const isInside = place > 0 && place < text.length && (text.charCodeAt(place) & 0xfc00) === 0xdc00
  return isInside ? place + 1 : place
}

/** The words of all of it, a bounded part of each message: enough to tell a language by. */
export function sampleText(messages: readonly SourceMessage[]): string {
  const each = Math.max(200, Math.floor(20_000 / Math.max(1, messages.length)))
  return messages
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ content }) => (typeof content === 'string' ? content : readableText(content)).slice(0, each))
    .join('\n')
}
