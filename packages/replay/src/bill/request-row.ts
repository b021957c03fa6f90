import type { ContextParts, ModelMessage } from 'palimpsest/internals/context/index'
import { estimateTokens } from 'palimpsest/internals/tokens/index'
import type { CacheMark, PromptRequest } from './prompt-cache.ts'

type Sent = Pick<ContextParts, 'messages' | 'messageTokens' | 'breakpoints' | 'report'>

/**
 * The requests for replies in one session. For each, the row tells what it shares with the request before it.
 * Messages that a context took over from the last one are the same objects, so a comparison costs almost
 * nothing.
 */
export class RequestRow {
  readonly #overheadTokens: number
  #previous: readonly ModelMessage[] = []
  #previousEnds: Float64Array = new Float64Array()

  /** The instructions stand first and stay the same. */
  constructor(instructions: string) {
    this.#overheadTokens = estimateTokens(instructions)
  }

  next(context: Sent, { at, outputTokens }: { at: number; outputTokens: number }): PromptRequest {
    const { messages, breakpoints, report } = context
    const overhead = this.#overheadTokens
    const ends = this.#ends(context.messageTokens)
    const isFirst = this.#previous.length === 0
    const sharedTokens = isFirst ? 0 : this.#sharedTokens(messages, ends)
    this.#previous = messages
    this.#previousEnds = ends
    const endOf = (count: number) => (count === 0 ? overhead : ends[count - 1]!)
    const instructions: CacheMark = { tokens: overhead, blocks: 1 }
    return {
      at,
      tokens: endOf(messages.length),
      outputTokens,
      sharedTokens,
      stableTokens: endOf(report.stableMessages),
      marks: [
        ...(breakpoints.afterInstructions ? [instructions] : []),
        ...breakpoints.afterMessages.map(index => ({ tokens: ends[index]!, blocks: index + 2 })),
      ],
    }
  }

  /** Where each message ends, in tokens from the beginning of the request. */
  #ends(messageTokens: readonly number[]): Float64Array {
    const ends = new Float64Array(messageTokens.length)
    let tokens = this.#overheadTokens
    for (const [index, size] of messageTokens.entries()) {
      tokens += size
      ends[index] = tokens
    }
    return ends
  }

  #sharedTokens(messages: readonly ModelMessage[], ends: Float64Array): number {
    const previous = this.#previous
    const most = Math.min(messages.length, previous.length)
    let same = 0
    while (same < most && isSame(previous[same]!, messages[same]!)) same += 1
    const whole = same === 0 ? this.#overheadTokens : ends[same - 1]!
    if (same === most) return whole
    const part = Math.floor((ends[same]! - whole) * sharedShare(previous[same]!, messages[same]!))
    // The shared part of a message is a share of its text, so its end is only approximate. It stays before
    // the end of the old message: otherwise a mark at that end would count as found.
    return Math.max(whole, Math.min(whole + part, this.#previousEnds[same]! - 1))
  }
}

function isSame(one: ModelMessage, other: ModelMessage): boolean {
  return one === other || (one.role === other.role && bytesOf(one) === bytesOf(other))
}

function bytesOf({ content }: ModelMessage): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** In characters. Two versions of a memory are mostly the same, so a comparison by strides is faster. */
const STRIDE = 256

/** The share of a message, from 0 to 1, that is the beginning of the message that was in its place before. */
function sharedShare(previous: ModelMessage, message: ModelMessage): number {
  if (previous.role !== message.role) return 0
  const [before, now] = [bytesOf(previous), bytesOf(message)]
  let length = 0
  while (length < now.length && before.startsWith(now.slice(length, length + STRIDE), length))
    length += STRIDE
  while (length < now.length && before.charCodeAt(length) === now.charCodeAt(length)) length += 1
  return Math.min(length, now.length) / now.length
}
