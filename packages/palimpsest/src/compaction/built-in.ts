import { type AttachmentPart, type Content, isAttachment, type Message } from '../log/index.ts'
import type { FoldRange, SegmentLimits } from '../policy/index.ts'
import type { SourceMessage, Summarizer } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import type { FoldedSegment } from './folded-segment.ts'

/**
 * Changes how the built-in handler works. `trim`: segments are made without a model, and the model is asked
 * only for the memo. With a model configured, these segments are provisional. `work-through`: everything that
 * no model has summarised yet goes to the model, trimmed messages included. It goes in chunks that fit into a
 * call, and attachments are collected. Both bring the memo up to date through the newest message.
 */
export interface BuiltInHandler {
  readonly builtIn: 'trim' | 'work-through'
  /** Describes an attachment on one line. An empty line means that nothing is told of it. */
  readonly tellAttachment: TellAttachment
}

type TellAttachment = (part: AttachmentPart, message: { readonly content: Content }) => Promise<string>

export function isBuiltIn(handler: unknown): handler is BuiltInHandler {
  return typeof handler === 'object' && handler !== null && 'builtIn' in handler
}

/** `work-through` asks the model to summarise all but the shortest ranges. */
const MAX_VERBATIM_TOKENS = 100

export function limitsOf(limits: SegmentLimits, handler: BuiltInHandler | null): SegmentLimits {
  if (handler?.builtIn !== 'work-through') return limits
  return { ...limits, verbatimBelowTokens: Math.min(limits.verbatimBelowTokens, MAX_VERBATIM_TOKENS) }
}

/** The range that provisional segments cover, if no raw message is folded with them. */
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

/** The same summariser. Instead of each attachment it reads the handler's description of it. */
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

/** The list of attachments may take this share of a segment's source tokens. */
const COLLECTED_SHARE = 1 / 4

/**
 * Adds the list of attachments to a segment. The summary gets the newest ones, as far as there is room. The
 * details get the others.
 */
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
