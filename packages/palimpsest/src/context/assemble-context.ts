import type { Hash } from 'node:crypto'
import { textsOf } from '../language/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { clipText } from './clip-text.ts'
import type { ContextParts } from './context.ts'
import { createHash } from './create-hash.ts'
import type { ContextPlan, ContextSource } from './plan-context.ts'
import { note, type SentMessage } from './sent-message.ts'
import { renderSessionMemory } from './session-memory.ts'
import type { View, VolatileBlock } from './view.ts'

/** What all contexts with one name begin with. */
export interface Beginning {
  readonly view: string
  readonly memoryMessage: SentMessage | null
  /** The messages that an earlier context has hashed. The next hash goes on from there. */
  hashed: { readonly hash: Hash; readonly messages: number } | null
}

export interface Assembled {
  readonly parts: ContextParts
  readonly beginning: Beginning
  /** The tokens of instructions, tools and memory. */
  readonly fixedTokens: number
}

/** The main points of messages that a plan leaves out. They come from the newest `messages` of them. */
export interface InterimPoints {
  readonly text: string
  readonly messages: number
}

/** Makes the text of a context from its plan. */
export function assembleContext(
  { source, view, plan }: { source: ContextSource; view: View; plan: ContextPlan },
  {
    interim,
    earlier,
    volatile = [],
  }: {
    interim: InterimPoints | null
    earlier?: Beginning | undefined
    /** They fit the view's reserve. */
    volatile?: readonly VolatileBlock[]
  },
): Assembled {
  const { conversation, closing, fixed } = plan
  const beginning: Beginning =
    earlier?.view === plan.view
      ? earlier
      : { view: plan.view, memoryMessage: memoryNote(plan, interim), hashed: null }
  const { memoryMessage } = beginning
  const before = memoryMessage ? [memoryMessage] : []
  const current = currentMessages(source, conversation.sent)
  const raw = conversation.sent.slice(0, conversation.sent.length - current.length)
  const lastSeq = raw.at(-1)?.seq ?? 0
  const changing = volatile.map(({ text }) => note(text, lastSeq))
  const sent = [...before, ...raw, ...changing, ...current, ...(closing ? [closing] : [])]
  const stable = Math.min(
    conversation.stable,
    volatile.length > 0 ? raw.length : Number.POSITIVE_INFINITY,
    settledMessages(source, conversation.sent),
  )
  const stableMessages = before.length + stable
  const throughSeq = source.messages.at(-1)?.seq ?? source.compactedThrough
  const memoryTokens = memoryMessage?.tokens ?? 0
  const currentTokens = tokensOf(current)
  const rawTokens = tokensOf(raw)
  const blocks = [
    ...fixed.blocks,
    { name: 'session_memory' as const, tokens: memoryTokens },
    { name: 'raw' as const, tokens: rawTokens },
    ...volatile.map(({ name }, place) => ({ name, tokens: changing[place]!.tokens })),
    { name: 'current' as const, tokens: currentTokens + (closing?.tokens ?? 0) },
  ].filter(block => block.tokens > 0)
  return {
    beginning,
    fixedTokens: fixed.tokens,
    parts: {
      language: source.language,
      instructions: fixed.instructions,
      messages: sent.map(({ message }) => message),
      messageTokens: sent.map(({ tokens }) => tokens),
      messageSeqs: sent.map(({ seq }) => seq),
      breakpoints: {
        afterInstructions: fixed.instructions !== '',
        afterMessages: breakpoints(memoryMessage !== null, stableMessages),
      },
      sessionMemory: memoryMessage === null ? null : (memoryMessage.message.content as string),
      raw: plan.raw,
      report: {
        tokens: blocks.reduce((sum, block) => sum + block.tokens, 0),
        budget: view.budget,
        blocks,
        // Computed on demand: few callers ask for it, and it costs a good part of the whole work.
        get prefixHash() {
          return hashPrefix(fixed.instructions, sent.slice(0, stableMessages), beginning)
        },
        omitted: plan.omitted,
        epoch: source.epoch,
        view: volatile.length > 0 ? `${plan.view}~` : plan.view,
        stableMessages,
        throughSeq,
        beginsAfter: source.beginsAfter || null,
      },
    },
  }
}

function memoryNote(plan: ContextPlan, interim: InterimPoints | null): SentMessage | null {
  const memory = renderSessionMemory(plan.memory, withText(plan, interim), plan)
  return memory && note(memory.text, 0, memory.tokens)
}

/** The text of the interim. Messages that could not be read are at least counted in it. */
function withText({ interim, memory }: ContextPlan, points: InterimPoints | null) {
  if (interim === null) return null
  const { fromSeq, toSeq, tokens, count } = interim
  const unread = count - (points?.messages ?? 0)
  const { interimRest } = textsOf(memory.language).sessionMemory
  const note = unread > 0 || !points?.text ? `${interimRest(count)}\n` : ''
  const text = points?.text ? clipText(points.text, tokens - estimateTokens(note), () => '[…]') : ''
  return { fromSeq, toSeq, text: (note + text).trim() }
}

/** The user's message at the very end: what is asked now. */
function currentMessages({ messages }: ContextSource, sent: readonly SentMessage[]): readonly SentMessage[] {
  const newest = messages.at(-1)
  if (newest?.role !== 'user') return []
  let first = sent.length
  while (first > 0 && sent[first - 1]!.seq === newest.seq && sent[first - 1]!.message.role === 'user')
    first -= 1
  return sent.slice(first)
}

function settledMessages({ settledBelow }: ContextSource, sent: readonly SentMessage[]): number {
  const first = settledBelow === undefined ? -1 : sent.findIndex(({ seq }) => seq >= settledBelow)
  return first === -1 ? sent.length : first
}

function tokensOf(sent: readonly SentMessage[]): number {
  return sent.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** One after the session memory and one after the last stable message: providers allow few. */
function breakpoints(hasMemory: boolean, stableMessages: number): number[] {
  const after = new Set<number>()
  if (hasMemory) after.add(0)
  if (stableMessages > 0) after.add(stableMessages - 1)
  return [...after]
}

function hashPrefix(instructions: string, stable: readonly SentMessage[], beginning: Beginning): string {
  const { hashed } = beginning
  const from = hashed !== null && hashed.messages <= stable.length ? hashed : null
  const hash = from?.hash.copy() ?? createHash('sha256').update(JSON.stringify(instructions))
  for (const { message } of stable.slice(from?.messages ?? 0)) hash.update(JSON.stringify(message))
  if (from !== null || hashed === null) beginning.hashed = { hash, messages: stable.length }
  return hash.copy().digest('hex')
}
