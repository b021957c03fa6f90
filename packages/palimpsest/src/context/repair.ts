import { type Language, textsOf } from '../language/index.ts'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import { inert } from './inert.ts'
import type { AssistantModelMessage, ModelToolResultPart } from './model-message.ts'
import { type RenderedCall, type RenderedMessage, type RenderedResult, safeName } from './render-message.ts'
import { frozen, note, type SentMessage, type SpokenPart, spokenContent } from './sent-message.ts'

export interface Conversation {
  readonly sent: readonly SentMessage[]
  /** How many messages can no longer change. The rest depends on a call that may still be answered. */
  readonly stable: number
}

export interface RepairOptions {
  /** Notes replace the results of messages below this `seq`. */
  readonly stubBelowSeq: number
  /** The session memory stands before the conversation, as a user's message. */
  readonly hasMessageBefore: boolean
  readonly language: Language
}

/** A shorter result is not worth a note in its place. */
export const MIN_STUBBED_TOKENS = 60

/**
 * Makes messages follow the rules of the providers: each call has its result right after it, no result stands
 * alone, the first message is a user's. The log does not change.
 *
 * A result moves to its call if it came within the turn of the call. A later result stays where it came, as a
 * note that names its call, so that nothing before it changes. A call without a result gets a stand-in. In
 * the last turn the result may still come, so nothing is stable from that call on.
 */
export function repairConversation(
  messages: readonly RenderedMessage[],
  options: RepairOptions,
): Conversation {
  const answers = pairResults(messages)
  const lastTurn = messages.at(-1)?.turn
  const ids = new Map<string, number>()
  const sent: SentMessage[] = []
  let stable: number | null = null
  const { roles, messages: texts } = textsOf(options.language)
  for (const message of messages) {
    if (sent.length === 0 && message.role !== 'user' && !options.hasMessageBefore)
      sent.push(note(`[${roles.system}]: ${texts.conversationBegins}`, message.seq))
    if (!message.hasLinks) {
      if (message.plain) sent.push(message.plain)
      continue
    }
    const calls = message.parts.filter(part => part.type === 'call')
    const results = calls.map(call => answers.byCall.get(call) ?? null)
    const isOpen = message.turn === lastTurn && results.includes(null)
    if (isOpen) stable ??= sent.length
    sent.push(...linkedMessages(message, { answers, ids, isOpen, options }))
  }
  return { sent, stable: stable ?? sent.length }
}

interface Answer {
  readonly result: RenderedResult & { readonly tokens: number }
  readonly seq: number
}

interface Answers {
  readonly byCall: ReadonlyMap<RenderedCall, Answer>
  /** The results that stand with their call. */
  readonly paired: ReadonlySet<RenderedResult>
  readonly callOf: ReadonlyMap<RenderedResult, RenderedCall>
}

function pairResults(messages: readonly RenderedMessage[]): Answers {
  const byCall = new Map<RenderedCall, Answer>()
  const paired = new Set<RenderedResult>()
  const callOf = new Map<RenderedResult, RenderedCall>()
  const open = new Map<string, OpenCalls>()
  for (const { hasLinks, parts, turn, seq, role } of messages) {
    if (!hasLinks) continue
    for (const part of parts) {
      if (part.type === 'call' && role === 'assistant') noteOpen(open, part, turn)
      if (part.type !== 'result') continue
      const waiting = open.get(part.id)
      const call = waiting?.turn === turn ? waiting.calls[waiting.answered] : undefined
      if (!waiting || !call) continue
      waiting.answered += 1
      byCall.set(call, { result: part, seq })
      callOf.set(part, call)
      paired.add(part)
    }
  }
  return { byCall, paired, callOf }
}

/** The calls with one id in one turn. They are answered in the order in which they were made. */
interface OpenCalls {
  readonly turn: number
  readonly calls: RenderedCall[]
  answered: number
}

/** An id may be used again. Then only its calls of the same turn can still be answered. */
function noteOpen(open: Map<string, OpenCalls>, call: RenderedCall, turn: number): void {
  const waiting = open.get(call.id)
  if (waiting?.turn === turn) waiting.calls.push(call)
  else open.set(call.id, { turn, calls: [call], answered: 0 })
}

interface LinkedOptions {
  readonly answers: Answers
  readonly ids: Map<string, number>
  readonly isOpen: boolean
  readonly options: RepairOptions
}

function linkedMessages(message: RenderedMessage, linked: LinkedOptions): SentMessage[] {
  const { role, seq, parts } = message
  const isAssistant = role === 'assistant'
  const calls = isAssistant ? parts.filter(part => part.type === 'call') : []
  const isProvided = isAssistant && parts.some(part => part.type !== 'shown' && part.provided !== undefined)
  const sent: SentMessage[] = []
  const { call } = textsOf(linked.options.language).messages
  if (calls.length > 0 || isProvided) sent.push(...callsAndResults(calls, message, linked))
  else if (message.plain && parts.some(part => part.type === 'shown')) sent.push(message.plain)
  for (const part of parts) {
    if (part.type === 'call' && !isAssistant)
      sent.push(note(`[${call(part.toolName)}]: ${inert(JSON.stringify(part.input))}`, seq))
    if (part.type === 'result' && part.provided === undefined && !linked.answers.paired.has(part))
      sent.push(lateResult(part, seq, linked))
  }
  return sent
}

/** What each message with calls was sent as last: nearly always the next context sends the same. */
const lastSent = new WeakMap<RenderedMessage, { readonly basis: readonly string[]; sent: SentMessage[] }>()

function callsAndResults(
  calls: readonly (RenderedCall & { readonly tokens: number })[],
  message: RenderedMessage,
  { answers, ids, isOpen, options }: LinkedOptions,
): SentMessage[] {
  const { noResult, noResultYet } = textsOf(options.language).messages
  const clientCalls = calls.filter(({ provided }) => provided === undefined)
  const shown = shownOf(message, answers, options)
  const answered = clientCalls.map(call => {
    const answer = answers.byCall.get(call)
    const value = answer ? resultValue(answer, options) : isOpen ? noResultYet : noResult
    return { call, answer, value, toolCallId: uniqueId(call.id, message.seq, ids) }
  })
  const basis = answered.flatMap(({ toolCallId, value, answer }) => [
    toolCallId,
    value,
    String(answer?.seq ?? 0),
  ])
  for (const part of shown) basis.push(part.id)
  const last = lastSent.get(message)
  if (last?.basis.length === basis.length && last.basis.every((text, index) => text === basis[index]))
    return last.sent
  const sent = withResults(message, { answered, shown })
  lastSent.set(message, { basis, sent })
  return sent
}

interface Answered {
  readonly call: RenderedCall & { readonly tokens: number }
  readonly answer: Answer | undefined
  readonly value: string
  readonly toolCallId: string
}

/** The calls and results of the provider that are shown as they were: both, or neither. */
function shownOf(
  { parts, seq }: RenderedMessage,
  answers: Answers,
  { stubBelowSeq }: RepairOptions,
): ReadonlySet<RenderedCall | RenderedResult> {
  const shown = new Set<RenderedCall | RenderedResult>()
  for (const part of parts) {
    if (part.type === 'shown') continue
    const call = part.type === 'call' ? part : answers.callOf.get(part)
    const answer = call && answers.byCall.get(call)
    if (call?.provided?.isShown && answer?.result.provided && Math.max(seq, answer.seq) >= stubBelowSeq)
      shown.add(part)
  }
  return shown
}

interface Provided {
  readonly answered: readonly Answered[]
  readonly shown: ReadonlySet<RenderedCall | RenderedResult>
}

function withResults({ seq, parts }: RenderedMessage, { answered, shown }: Provided): SentMessage[] {
  const spoken = spokenContent(parts, part => providedPart(part, shown))
  if (answered.length === 0) {
    const isNothing = spoken.content.every(part => part.type === 'reasoning')
    const message = frozen({ role: 'assistant', content: spoken.content } as AssistantModelMessage)
    return isNothing ? [] : [{ message, tokens: MESSAGE_OVERHEAD_TOKENS + spoken.tokens, seq }]
  }
  const content = [...spoken.content] as Exclude<AssistantModelMessage['content'], string>
  const results: ModelToolResultPart[] = []
  let callTokens = MESSAGE_OVERHEAD_TOKENS + spoken.tokens
  let resultTokens = MESSAGE_OVERHEAD_TOKENS
  let through = seq
  for (const { call, answer, value, toolCallId } of answered) {
    const { toolName, input, providerOptions } = call
    content.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input,
      ...(providerOptions && { providerOptions }),
    })
    results.push({ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } })
    callTokens += call.tokens
    resultTokens += value === answer?.result.text ? answer.result.tokens : estimateTokens(value)
    through = Math.max(through, answer?.seq ?? 0)
  }
  return [
    { message: frozen({ role: 'assistant', content }), tokens: callTokens, seq },
    { message: frozen({ role: 'tool', content: results }), tokens: resultTokens, seq: through },
  ]
}

/** `null`: the part is not the provider's, or its call already tells all that is told of it. */
function providedPart(
  part: RenderedMessage['parts'][number] & (RenderedCall | RenderedResult),
  shown: ReadonlySet<RenderedCall | RenderedResult>,
): SpokenPart | null {
  if (!part.provided) return null
  if (part.type === 'result') return shown.has(part) ? part.provided : null
  const { part: call, note } = part.provided
  if (shown.has(part)) return { part: call, tokens: part.tokens }
  return { part: { type: 'text', text: note }, tokens: estimateTokens(note) }
}

function resultValue({ result, seq }: Answer, { stubBelowSeq, language }: RepairOptions): string {
  if (seq >= stubBelowSeq || result.tokens < MIN_STUBBED_TOKENS) return result.text
  return textsOf(language).messages.resultLeftOut(result.text.length, seq)
}

function lateResult(
  result: RenderedResult & { readonly tokens: number },
  seq: number,
  { options }: LinkedOptions,
): SentMessage {
  const value = resultValue({ result, seq }, options)
  const texts = textsOf(options.language).messages
  return note(`[${texts.lateResult(result.toolName, safeName(result.id))}]: ${value}`, seq)
}

/** OpenAI refuses longer ids. */
const MAX_ID_CHARACTERS = 40

/** Some models number their calls anew in every reply. Providers want each id only once. */
function uniqueId(id: string, seq: number, ids: Map<string, number>): string {
  const safe = safeName(id).slice(0, MAX_ID_CHARACTERS)
  const used = ids.get(safe) ?? 0
  ids.set(safe, used + 1)
  if (used === 0) return safe
  // The message's own `seq` keeps the id the same, whatever comes later.
  return uniqueId(`${safe.slice(0, 20)}_${seq}_${used}`, seq, ids)
}
