import type { Message } from '../log/index.ts'
import { readableText, type SourceMessage, type Summarizer } from '../summarizer/index.ts'
import { estimateTokens, measureMessage } from '../tokens/index.ts'

/** What one summary is made of at most; a longer range becomes several segments. */
export const MOST_SOURCE_TOKENS = 24_000

/** What one call to this summariser takes in. */
export function sourceLimit({ sourceTokens = Infinity }: Pick<Summarizer, 'sourceTokens'>): number {
  return Math.max(1, Math.min(MOST_SOURCE_TOKENS, sourceTokens))
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

export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
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

const MOST_PARTS = 8

/**
 * A message that is larger than a call takes in, in parts that are not: its words only. Of one that would
 * take more than a handful of calls the beginning and the end are given; the log has it whole.
 */
export function partsOf(
  message: Message,
  most: number,
): { parts: readonly SourceMessage[]; isWhole: boolean } {
  const text = typeof message.content === 'string' ? message.content : readableText(message.content)
  const name = message.sender?.name ?? message.sender?.id ?? ''
  const room = Math.max(1, most - 8 - estimateTokens(name))
  const texts = splitText(text, room)
  const isWhole = texts.length <= MOST_PARTS
  const given = isWhole ? texts : [...texts.slice(0, MOST_PARTS - 2), ...texts.slice(-2)]
  return { parts: given.map(content => ({ ...message, content })), isWhole }
}

/** Pieces of about equal length, each within so many tokens, never half a character. */
function splitText(text: string, tokens: number): string[] {
  const pieces: string[] = []
  const total = Math.max(1, estimateTokens(text))
  const step = Math.max(1, Math.floor((text.length * tokens * 0.9) / total))
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + step)
    while (to - from > 1 && estimateTokens(text.slice(from, to)) > tokens)
      to = from + Math.floor((to - from) / 2)
    const isInside = to < text.length && (text.charCodeAt(to) & 0xfc00) === 0xdc00
    if (isInside) to += to - from > 1 ? -1 : 1
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}

/** The words of all of it, a bounded part of each message: enough to tell a language by. */
export function sampleText(messages: readonly SourceMessage[]): string {
  const each = Math.max(200, Math.floor(20_000 / Math.max(1, messages.length)))
  return messages
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ content }) => (typeof content === 'string' ? content : readableText(content)).slice(0, each))
    .join('\n')
}
