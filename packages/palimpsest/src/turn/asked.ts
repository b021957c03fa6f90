import type { ContextParts, ModelMessage } from '../context/index.ts'
import type { Context } from '../contexts.ts'
import { ContextOverflowError } from '../errors.ts'

/** What a turn answers, as its first context showed it. */
export interface Asked {
  /** The newest of the messages. */
  readonly seq: number
  readonly messages: readonly ModelMessage[]
  readonly tokens: number
}

/** What is sent of a context. It can also hold a question that the context no longer shows. */
export type Sent = Pick<ContextParts, 'instructions' | 'messages' | 'breakpoints'>

export interface Shown {
  readonly context: Context
  readonly sent: Sent
  /** The tokens of what is sent, as the model counts them, with the room for the reply. */
  readonly tokens: number
}

/** At most this share of the window keeps the question word for word. */
const MAX_ASKED = 0.25

/**
 * The user's messages at the end of a turn's first context; `null`: the context ends with another message.
 */
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
 * A context that keeps the question word for word, however long the loop of tool calls is: a summary of the
 * question would not work as an instruction. `contextFor` gives the same context within another budget, or
 * within its own.
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

/** Puts the question after the session memory and before what was said since. */
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

/** How many tokens of the model one of our tokens is. */
export function scaleOf({ report, estimatedInputTokens }: Context): number {
  const reserve = report.blocks.find(({ name }) => name === 'output_reserve')?.tokens ?? 0
  return (report.tokens - reserve) / Math.max(1, estimatedInputTokens)
}
