import { renderMessage } from 'palimpsest/internals/context/index'
import type { NewMessage, SessionKind, Size } from 'palimpsest/internals/log/index'
import { MAX_AT_ONCE, runInSlices } from 'palimpsest/internals/slices'
import { MESSAGE_OVERHEAD_TOKENS, measureMessageInSteps } from 'palimpsest/internals/tokens/index'
import { Bill, type Break } from './bill/bill.ts'
import { outputTokens } from './bill/output-tokens.ts'
import { type CacheMark, PromptCache, type PromptRequest } from './bill/prompt-cache.ts'
import type { Run } from './comparison.ts'
import type { ReplayConditions } from './conditions.ts'
import { asksAt } from './replay/asks-at.ts'
import type { Conversation } from './replay/replay.ts'
import { withoutRepeats } from './without-repeats.ts'

/** A bot without a memory. It sends all messages, or only the last ones. */
export interface Baseline {
  readonly name: string
  /** The largest number of messages in one request. */
  readonly keepLast: number
}

export const NO_MEMORY: Baseline = { name: 'no memory', keepLast: Number.POSITIVE_INFINITY }

export function lastMessages(keepLast: number): Baseline {
  return { name: `last ${keepLast} messages`, keepLast }
}

const SLIDE: Break = { cause: 'slide', reason: null }

/**
 * Makes the same requests as a policy's replay. Nothing is folded, so arithmetic is enough: no engine runs.
 */
export async function replayBaseline(
  { name, keepLast }: Baseline,
  conversations: readonly Conversation[],
  { prices, assumptions }: Pick<ReplayConditions, 'prices' | 'assumptions'>,
): Promise<Run> {
  const bill = new Bill()
  let messages = 0
  let logTokens = 0
  let rawTokens = 0
  for (const conversation of conversations) {
    const cache = new PromptCache(prices)
    const sent = new SentMessages(keepLast, assumptions.overheadTokens)
    let now = 0
    for await (const message of withoutRepeats(conversation.read())) {
      const arrival = Math.max(now, message.at ?? now)
      const size = await runInSlices(measureMessageInSteps(message))
      const { calls = assumptions.calls } = conversation
      const asked = asksAt(message, { calls, lastArrival: now, arrival, messages: sent.messages })
      if (asked && asked.as !== 'after') charge(asked.at, outputTokens(message, size))
      sent.add(sentTokens(message, size, conversation.kind))
      logTokens += size.tokens
      now = arrival
      if (asked?.as === 'after') charge(asked.at, 0)
    }
    messages += sent.messages
    rawTokens += sent.keptTokens

    function charge(at: number, outputTokens: number): void {
      const request = sent.request(at, outputTokens)
      bill.addReply(request, cache.charge(request), {
        message: messages + sent.messages,
        folds: 0,
        ifBroken: SLIDE,
      })
    }
  }
  const { cost, breaks, timeline, contexts } = bill
  return {
    name,
    kind: 'baseline',
    policy: null,
    settings: {},
    messages,
    cost,
    tokens: { log: logTokens, raw: rawTokens, folded: 0, segments: 0, ...contexts },
    breaks,
    folds: [],
    timeline,
  }
}

/**
 * The size as a context shows it: in a group, with the speaker's name. In a very long message the name makes
 * no difference.
 */
function sentTokens(message: NewMessage, { tokens, characters }: Size, kind: SessionKind): number {
  if (characters > MAX_AT_ONCE) return tokens
  const at = new Date(message.at ?? 0)
  const { parts } = renderMessage(
    { ...message, at, appendedAt: at, id: '', seq: 1, version: 1, archived: false, turn: 1, tokens },
    { kind, clipTokens: Number.POSITIVE_INFINITY, reasoning: 'drop', language: 'en' },
  )
  return parts.reduce((sum, part) => sum + part.tokens, MESSAGE_OVERHEAD_TOKENS)
}

/** The last messages of a conversation. Only their sizes are kept. */
class SentMessages {
  readonly #keepLast: number
  readonly #overheadTokens: number
  #kept: number[] = []
  #lastRequest: { readonly tokens: number; readonly first: number } | null = null
  messages = 0
  keptTokens = 0

  constructor(keepLast: number, overheadTokens: number) {
    this.#keepLast = keepLast
    this.#overheadTokens = overheadTokens
  }

  add(tokens: number): void {
    this.messages += 1
    this.keptTokens += tokens
    if (this.#keepLast === Number.POSITIVE_INFINITY) return
    this.#kept.push(tokens)
    if (this.#kept.length > this.#keepLast) this.keptTokens -= this.#kept.shift()!
  }

  /** Once the window slides, a request shares only the instructions with the request before it. */
  request(at: number, outputTokens: number): PromptRequest {
    const overhead = this.#overheadTokens
    const tokens = overhead + this.keptTokens
    const first = Math.max(0, this.messages - this.#keepLast)
    const previous = this.#lastRequest
    this.#lastRequest = { tokens, first }
    const marks: CacheMark[] = [
      { tokens: overhead, blocks: 1 },
      { tokens, blocks: 1 + this.messages - first },
    ]
    const sharedTokens = previous === null ? 0 : previous.first === first ? previous.tokens : overhead
    return { at, tokens, outputTokens, sharedTokens, stableTokens: tokens, marks }
  }
}
