import { type AttachmentPart, type Content, isAttachment, type Message } from '../log/index.ts'
import type { FoldRange, SegmentLimits } from '../policy/index.ts'
import type { SourceMessage, Summarizer } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import type { FoldedSegment } from './folded-segment.ts'

/**
 * The built-in work done in another way than the engine does it by itself. `trim`: what leaves is covered without a
 * model, provisionally where there is one, and a model is asked for the memo alone. `work-through`: all that no model
 * has summarised yet, what was trimmed included, goes to the model in chunks that fit it, and what is no text in it is
 * collected. Both bring the memo up to date through the newest message.
 */
export interface BuiltInHandler {
  readonly builtIn: 'trim' | 'work-through'
  /** What is told of a part that is no text, on one line; empty: nothing. */
  readonly tellAttachment: TellAttachment
}

type TellAttachment = (part: AttachmentPart, message: { readonly content: Content }) => Promise<string>

export function isBuiltIn(handler: unknown): handler is BuiltInHandler {
  return typeof handler === 'object' && handler !== null && 'builtIn' in handler
}

/** Working through a history asks the model for all but a few words. */
const MAX_VERBATIM_TOKENS = 100

export function limitsOf(limits: SegmentLimits, handler: BuiltInHandler | null): SegmentLimits {
  if (handler?.builtIn !== 'work-through') return limits
  return { ...limits, verbatimBelowTokens: Math.min(limits.verbatimBelowTokens, MAX_VERBATIM_TOKENS) }
}

/** What provisional segments stand for, where nothing that is raw joins them. */
export function rangeOver(segments: readonly Covering[], throughTurn: number): FoldRange {
  const sum = (field: 'messageCount' | 'tokensBefore') =>
    segments.reduce((total, segment) => total + segment[field], 0)
  return {
    fromSeq: segments[0]!.fromSeq,
    toSeq: segments.at(-1)!.toSeq,
    amount: { messages: sum('messageCount'), characters: 0, tokens: sum('tokensBefore') },
    throughTurn,
  }
}

type Covering = Pick<FoldedSegment, 'fromSeq' | 'toSeq' | 'messageCount' | 'tokensBefore'>

/** The same summariser, which hears of what is no text as the handler tells it. */
export function hearing(summarizer: Summarizer, { tellAttachment }: BuiltInHandler): Summarizer {
  const told = (messages: readonly SourceMessage[]) =>
    Promise.all(messages.map(message => withTold(message, tellAttachment)))
  const { name, version, reusesPrefix, asksBeforeCalls, sourceTokens, updateMemo } = summarizer
  return {
    ...{ name, version },
    ...(reusesPrefix !== undefined && { reusesPrefix }),
    ...(asksBeforeCalls !== undefined && { asksBeforeCalls }),
    ...(sourceTokens !== undefined && { sourceTokens }),
    summarize: async request => summarizer.summarize({ ...request, messages: await told(request.messages) }),
    ...(updateMemo && {
      updateMemo: async request =>
        updateMemo.call(summarizer, { ...request, messages: await told(request.messages) }),
    }),
  }
}

async function withTold<M extends { readonly content: Content }>(
  message: M,
  tell: TellAttachment,
): Promise<M> {
  const { content } = message
  if (typeof content === 'string' || !content.some(isAttachment)) return message
  const parts = content.map(async part =>
    isAttachment(part) ? { type: 'text' as const, text: await tell(part, message) } : part,
  )
  return { ...message, content: await Promise.all(parts) }
}

/** Of what a segment takes in, so much is for the list of what is no text in it. */
const COLLECTED_SHARE = 1 / 4

/** What is no text in the messages of a segment, told in it: the newest as far as there is room, the others beside it. */
export async function withCollected(
  segment: FoldedSegment,
  messages: readonly Message[],
  { tellAttachment }: BuiltInHandler,
): Promise<FoldedSegment> {
  const { fromSeq, toSeq, level, summary, tokensBefore, details } = segment
  const { mostTokens = Number.POSITIVE_INFINITY, tokensAfter } = segment
  if (level !== 1) return segment
  const lines: string[] = []
  for (const message of messages)
    if (fromSeq <= message.seq && message.seq <= toSeq && typeof message.content !== 'string')
      for (const part of message.content)
        if (isAttachment(part)) lines.push(await tellAttachment(part, message))
  const untold = [...new Set(lines)].filter(line => line !== '' && !summary.includes(line))
  let left = Math.min(tokensBefore * COLLECTED_SHARE, mostTokens - tokensAfter) - HEADING_TOKENS
  let first = untold.length
  while (first > 0) {
    left -= estimateTokens(untold[first - 1]!) + LINE_TOKENS
    if (left < 0) break
    first -= 1
  }
  const shown = untold.slice(first).map(line => `- ${line}`)
  return {
    ...segment,
    summary: shown.length === 0 ? summary : [summary, HEADING, ...shown].join('\n'),
    details: [...details, ...untold.slice(0, first)],
  }
}

const HEADING = 'Attachments:'
const HEADING_TOKENS = 4
const LINE_TOKENS = 2
