import type { ContextParts, ModelMessage } from '../context/index.ts'
import type { Context } from '../contexts.ts'
import { ContextOverflowError } from '../errors.ts'

/** What a turn answers, as its first context showed it. */
export interface Asked {
  /** The newest of them. */
  readonly seq: number
  readonly messages: readonly ModelMessage[]
  readonly tokens: number
}

/** What is sent of a context: the same, but for a question that the context no longer shows. */
export type Sent = Pick<ContextParts, 'instructions' | 'messages' | 'breakpoints'>

export interface Shown {
  readonly context: Context
  readonly sent: Sent
  /** Of what is sent, in the model's own tokens, the room for the reply included. */
  readonly tokens: number
}

/** Of what was asked, no more than this share of the window is kept word for word. */
const MAX_ASKED = 0.25

/** The user's messages at the end of what a turn began with; `null`: it ends with something else. */
export function askedIn({ messages, messageTokens, messageSeqs, report }: Context): Asked | null {
  let first = messages.length
  let tokens = 0
  while (first > 0 && messages[first - 1]!.role === 'user' && messageSeqs[first - 1] !== 0) {
    const more = tokens + messageTokens[first - 1]!
    if (first < messages.length && more > report.budget * MAX_ASKED) break
    tokens = more
    first -= 1
  }
  return first === messages.length
    ? null
    : { seq: report.throughSeq, messages: messages.slice(first), tokens }
}

/**
 * A context in which what was asked stays word for word, however long the loop of tool calls: a summary of it would
 * be no instruction. `contextFor`: the same context within another budget, or within its own.
 */
export async function showAsked(
  asked: Asked | null,
  contextFor: (budget?: number) => Promise<Context>,
): Promise<Shown> {
  const context = await contextFor()
  const whole: Shown = { context, sent: context, tokens: context.report.tokens }
  if (asked === null || context.messageSeqs.includes(asked.seq)) return whole
  const askedTokens = Math.ceil(asked.tokens * scaleOf(context))
  try {
    const rest = await contextFor(Math.max(1, context.report.budget - askedTokens))
    return { context: rest, sent: withAsked(rest, asked), tokens: rest.report.tokens + askedTokens }
  } catch (error) {
    if (error instanceof ContextOverflowError) return whole
    throw error
  }
}

/** After what is told of the time before, before what was said since. */
function withAsked({ instructions, messages, sessionMemory, breakpoints }: Context, asked: Asked): Sent {
  const place = sessionMemory === null ? 0 : 1
  const { afterInstructions, afterMessages } = breakpoints
  const moved = afterMessages.map(index => (index >= place ? index + asked.messages.length : index))
  return {
    instructions,
    messages: messages.toSpliced(place, 0, ...asked.messages),
    breakpoints: { afterInstructions, afterMessages: moved },
  }
}

/** Tokens of the model's for one of ours. */
export function scaleOf({ report, estimatedInputTokens }: Context): number {
  const reserve = report.blocks.find(({ name }) => name === 'output_reserve')?.tokens ?? 0
  return (report.tokens - reserve) / Math.max(1, estimatedInputTokens)
}
