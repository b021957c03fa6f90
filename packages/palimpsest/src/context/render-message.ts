import { type Language, type Texts, textsOf } from '../language/index.ts'
import {
  type AttachmentPart,
  attachmentKind,
  attachmentMediaType,
  attachmentName,
  attachmentValues,
  type Content,
  type ContentPart,
  hasOrigins,
  interruptionOf,
  isAttachment,
  type Message,
  type Origin,
  originOf,
  ROLES,
  type SessionKind,
  type ToolCallPart,
  type ToolResultPart,
  undeliveredOf,
} from '../log/index.ts'
import { estimateTokens, FLAT_TOKENS, MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import { readAttachment } from './attachment.ts'
import { attachmentsWithin, type Clip, clipper } from './clip-parts.ts'
import { inert, inertId, inertName } from './inert.ts'
import type {
  ModelFilePart,
  ModelProviderResultPart,
  ModelReasoningPart,
  ModelTextPart,
  ModelToolCallPart,
} from './model-message.ts'
import { providerCallNote, providerOf } from './provider-tools.ts'
import { answeredText, originHeading, quoted } from './render-origin.ts'
import { plainMessage, type SentMessage } from './sent-message.ts'

/** A message of the log, with what a context needs to know of its place there. */
export interface ContextMessage extends Message {
  readonly turn: number
  /** As it was measured when it was stored. */
  readonly tokens: number
}

/**
 * What decides how a message is rendered, beside the message itself. All messages of a view have the same
 * rules.
 */
export interface RenderRules {
  readonly kind: SessionKind
  /** A message with more tokens is shown by its head, its tail and a reference. */
  readonly clipTokens: number
  readonly reasoning: 'drop' | 'keep'
  readonly language: Language
}

export interface RenderedCall {
  readonly type: 'call'
  readonly id: string
  readonly toolName: string
  readonly input: Record<string, unknown>
  readonly providerOptions?: NonNullable<ModelToolCallPart['providerOptions']>
  /** The provider ran the call. `note` stands for the call and its result where they are not shown. */
  readonly provided?: { readonly part: ModelToolCallPart; readonly note: string; readonly isShown: boolean }
}

export interface RenderedResult {
  readonly type: 'result'
  readonly id: string
  readonly toolName: string
  readonly text: string
  /**
   * The result stands in the assistant's content, in the form that the call's provider wants back. `null`: it
   * has to be left out.
   */
  readonly provided?: { readonly part: ModelProviderResultPart; readonly tokens: number } | null
}

export interface RenderedShown {
  readonly type: 'shown'
  readonly part: ModelTextPart | ModelFilePart | ModelReasoningPart
}

export type RenderedPart = (RenderedShown | RenderedCall | RenderedResult) & { readonly tokens: number }

/** A message by itself: calls and results are brought together later. */
export interface RenderedMessage {
  readonly seq: number
  readonly turn: number
  readonly role: 'user' | 'assistant' | 'tool'
  readonly parts: readonly RenderedPart[]
  readonly hasLinks: boolean
  /** What the message says, without calls and results. `null`: nothing. */
  readonly plain: SentMessage | null
  readonly isClipped: boolean
  readonly droppedReasoning: boolean
}

/** The message and the rules alone decide the result, so that nothing else can change a byte of it. */
export function renderMessage(message: ContextMessage, rules: RenderRules): RenderedMessage {
  const { language } = rules
  const texts = textsOf(language).messages
  const given = partsOf(message.content)
  const isOversized = message.tokens > rules.clipTokens
  const withoutThoughts = given.filter(part => part.type !== 'reasoning')
  const keepsThoughts =
    rules.reasoning === 'keep' && (!isOversized || thoughtTokens(given) <= rules.clipTokens / 2)
  const shown = keepsThoughts ? given : withoutThoughts
  const attachments = isOversized ? attachmentsWithin(shown, rules.clipTokens / 2) : null
  const clip = isOversized
    ? clipper(
        shown.filter(part => !isProvided(part, message)),
        rules.clipTokens,
        {
          seq: message.seq,
          all: textTokens(message),
          language,
        },
      )
    : (text: string) => text
  const parts: RenderedPart[] = []
  const answered = answeredText(message, language)
  if (answered !== null) parts.push(shownText(answered))
  let headed: Origin | null = null
  for (const part of shown) {
    const isNamed = attachments !== null && isAttachment(part) && !attachments.has(part)
    const rendered = isNamed
      ? namedAttachment(part, texts)
      : isProvided(part, message)
        ? renderProvided(part, { clip, isOversized, keepsThoughts, rules })
        : renderPart(part, message, { clip, keepsThoughts, texts })
    if (!rendered) continue
    const origin = originOf(part)
    parts.push(...(origin === null ? [rendered] : withOrigin(rendered, origin, { headed, language })))
    headed = origin
  }
  if (interruptionOf(message.content) !== null) parts.push(shownText(texts.interrupted))
  const undelivered = undeliveredOf(message.content)
  if (undelivered !== null)
    parts.push(shownText(undelivered === 'all' ? texts.undelivered : texts.undeliveredRest))
  const spoken = {
    seq: message.seq,
    role: message.role === 'system' ? ('user' as const) : message.role,
    parts: attribute(answered === null && !hasOrigins(given) ? parts : joined(parts), message, rules),
  }
  return {
    ...spoken,
    turn: message.turn,
    plain: plainMessage(spoken, texts),
    hasLinks: parts.some(part => part.type !== 'shown'),
    isClipped: isOversized,
    droppedReasoning: shown.length < given.length,
  }
}

/**
 * The tokens of the text alone, from the stored measure. `undefined`: the content has parts, so it is not
 * known.
 */
function textTokens({ content, sender, tokens }: ContextMessage): number | undefined {
  if (typeof content !== 'string') return undefined
  return tokens - MESSAGE_OVERHEAD_TOKENS - estimateTokens(sender?.name ?? sender?.id ?? '')
}

/** Neighbouring texts become one: a line may not begin in one part and end in the next. */
function partsOf(content: Content): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts: ContentPart[] = []
  for (const part of content) {
    const last = parts.at(-1)
    if (part.type === 'text' && last?.type === 'text' && isOfOneOrigin(part, last))
      parts[parts.length - 1] = { ...last, text: `${last.text}\n${part.text}` }
    else parts.push(part)
  }
  return parts
}

function isOfOneOrigin(part: ContentPart, other: ContentPart): boolean {
  const [one, two] = [originOf(part), originOf(other)]
  return one === two || JSON.stringify(one) === JSON.stringify(two)
}

/** Words that the sender did not say get a heading with their origin, and a mark before each line. */
function withOrigin(
  rendered: RenderedPart,
  origin: Origin,
  { headed, language }: { readonly headed: Origin | null; readonly language: Language },
): readonly RenderedPart[] {
  const isHeaded = headed !== null && JSON.stringify(headed) === JSON.stringify(origin)
  const heading = isHeaded ? [] : [shownText(originHeading(origin, language))]
  const isText = rendered.type === 'shown' && rendered.part.type === 'text'
  return [...heading, isText ? shownText(quoted((rendered.part as ModelTextPart).text)) : rendered]
}

/** The same for what is shown: the words and their heading become one text. */
function joined(parts: readonly RenderedPart[]): RenderedPart[] {
  const texts: RenderedPart[] = []
  for (const part of parts) {
    const last = texts.at(-1)
    const isText = part.type === 'shown' && part.part.type === 'text'
    if (isText && last?.type === 'shown' && last.part.type === 'text')
      texts[texts.length - 1] = shownText(`${last.part.text}\n${(part.part as ModelTextPart).text}`)
    else texts.push(part)
  }
  return texts
}

function thoughtTokens(parts: readonly ContentPart[]): number {
  return parts.reduce((sum, part) => sum + (renderedThought(part)?.tokens ?? 0), 0)
}

function renderedThought(part: ContentPart): RenderedPart | null {
  return part.type === 'reasoning' ? renderReasoning(part) : null
}

function renderPart(
  part: ContentPart,
  message: ContextMessage,
  { clip, keepsThoughts, texts }: { clip: Clip; keepsThoughts: boolean; texts: Texts['messages'] },
): RenderedPart | null {
  switch (part.type) {
    case 'text':
      // The clip comes first: a cut makes new line beginnings, which `inert` must see.
      return shownText(inert(clip(part.text)))
    case 'reasoning':
      return renderReasoning(part)
    case 'tool-call':
      return renderCall(part, clip, keepsThoughts)
    case 'tool-result':
      return renderResult(part, clip, texts)
    default:
      // Approvals are between the program and the person. The model sees the call and its result.
      return isAttachment(part) ? renderAttachment(part, message, texts) : null
  }
}

function shownText(text: string): RenderedPart {
  return { type: 'shown', part: { type: 'text', text }, tokens: estimateTokens(text) }
}

/** A thought is sent whole with the provider's signature, or not at all: providers refuse half a thought. */
function renderReasoning(part: Extract<ContentPart, { type: 'reasoning' }>): RenderedPart | null {
  const { providerOptions } = part as { providerOptions?: ModelReasoningPart['providerOptions'] }
  const text = part.text.toWellFormed()
  if (text === '' && providerOptions === undefined) return null
  const signature = providerOptions === undefined ? 0 : estimateTokens(JSON.stringify(providerOptions))
  return {
    type: 'shown',
    part: { type: 'reasoning', text, ...(providerOptions && { providerOptions }) },
    tokens: estimateTokens(text) + signature,
  }
}

/**
 * An attachment is sent if a provider can fetch or read it. Any other, and each one of the assistant's, is
 * named.
 */
function renderAttachment(
  part: AttachmentPart,
  { role }: ContextMessage,
  texts: Texts['messages'],
): RenderedPart {
  const filename = nameOf(part)
  const sent = role === 'user' ? sendable(part) : null
  if (sent)
    return {
      type: 'shown',
      part: { type: 'file', ...sent, ...(filename && { filename: inertName(filename) }) },
      tokens: sent.mediaType === 'application/pdf' ? FLAT_TOKENS.file : FLAT_TOKENS.image,
    }
  return namedAttachment(part, texts)
}

/** A short note: the kind of the attachment and its name. */
function namedAttachment(part: AttachmentPart, { attachments, seconds }: Texts['messages']): RenderedPart {
  const { kind, name } = isPlainAttachment(part)
    ? { kind: part.type, name: nameOf(part) ?? '' }
    : attachmentName(part)
  const { duration } = part
  const length = typeof duration === 'number' && !isPlainAttachment(part) ? seconds(duration) : ''
  const said = [name === '' ? '' : inertName(name), length].filter(Boolean).join(', ')
  const called = Object.hasOwn(attachments, kind) ? attachments[kind as keyof typeof attachments] : kind
  return shownText(`(${inertName(called)}${said && `: ${said}`})`)
}

/** The two oldest types. Contexts in use may show their notes, so the form of these notes stays as it is. */
function isPlainAttachment({ type }: AttachmentPart): boolean {
  return type === 'image' || type === 'file'
}

function sendable(part: AttachmentPart): { data: string; mediaType: string } | null {
  const mediaType = declaredType(part)
  for (const value of attachmentValues(part)) {
    const read = readAttachment({ type: 'file', data: value, mediaType })
    if (read?.from === 'bytes') return { data: read.bytes, mediaType: read.mediaType }
    if (read) return { data: read.url, mediaType: read.kind === 'pdf' ? 'application/pdf' : 'image' }
  }
  return null
}

function declaredType(part: AttachmentPart): string {
  const declared = isPlainAttachment(part) ? part['mediaType'] : attachmentMediaType(part)
  if (typeof declared === 'string') return declared
  if (attachmentKind(part) === 'image') return 'image'
  return /\.pdf$/i.test(nameOf(part) ?? '') ? 'application/pdf' : ''
}

function nameOf(part: AttachmentPart): string | undefined {
  if (!isPlainAttachment(part)) return attachmentName(part).name || undefined
  for (const field of ['filename', 'name', 'path', 'url', 'id']) {
    const value = part[field]
    if (typeof value === 'string' && value !== '' && !value.startsWith('data:')) return value
  }
  return undefined
}

/** The provider's signature of a call is part of the thoughts, so it goes with them. */
function renderCall(part: ToolCallPart, clip: Clip, keepsThoughts: boolean): RenderedPart {
  const input = inputObject(part.input)
  const json = JSON.stringify(input)
  const clipped = clip(json)
  const toolName = safeName(part.toolName)
  const { providerOptions } = part as Pick<ModelToolCallPart, 'providerOptions'>
  const isSigned = keepsThoughts && clipped === json && providerOptions !== undefined
  const signature = isSigned ? estimateTokens(JSON.stringify(providerOptions)) : 0
  return {
    type: 'call',
    id: part.toolCallId,
    toolName,
    input: clipped === json ? input : { clipped },
    ...(isSigned && { providerOptions }),
    tokens: estimateTokens(toolName) + estimateTokens(clipped) + signature,
  }
}

/**
 * Whether the provider ran this call or result. For a result in the assistant's content its call tells that.
 */
function isProvided(
  part: ContentPart,
  { role, content }: Pick<ContextMessage, 'role' | 'content'>,
): part is ToolCallPart | ToolResultPart {
  if (role !== 'assistant' || typeof content === 'string') return false
  if (part.type === 'tool-call') return part.providerExecuted === true
  if (part.type !== 'tool-result') return false
  const call = content.find(each => each.type === 'tool-call' && each.toolCallId === part.toolCallId)
  return (
    part.providerExecuted === true || call === undefined || (call as ToolCallPart).providerExecuted === true
  )
}

/**
 * A provider's call or result is shown whole, as the provider wants it back, or not at all: what the provider
 * encrypted cannot be cut, and the call is not one of our tools. OpenAI takes it only with the thoughts that
 * led to it.
 */
function renderProvided(
  part: ToolCallPart | ToolResultPart,
  {
    clip,
    isOversized,
    keepsThoughts,
    rules,
  }: { clip: Clip; isOversized: boolean; keepsThoughts: boolean; rules: RenderRules },
): RenderedPart {
  const { toolCallId, providerOptions } = part as ModelToolCallPart
  const options = providerOptions && {
    providerOptions: wellFormed(providerOptions) as typeof providerOptions,
  }
  const isShown = !isOversized && (keepsThoughts || providerOf({ toolCallId, providerOptions }) !== 'openai')
  if (part.type === 'tool-call') {
    const input = inputObject(part.input)
    const call: ModelToolCallPart = {
      ...{
        type: 'tool-call',
        toolCallId,
        toolName: part.toolName,
        input,
        providerExecuted: true,
        ...options,
      },
    }
    const note = inert(providerCallNote(call, rules.language))
    const tokens = estimateTokens(JSON.stringify([part.toolName, input, providerOptions]))
    const rendered = renderCall(part, clip, false) as RenderedCall
    return { ...rendered, provided: { part: call, note, isShown }, tokens }
  }
  const rendered = renderResult(part, clip, textsOf(rules.language).messages) as RenderedPart & RenderedResult
  const output = isShown ? providedOutput(part.output) : null
  if (output === null) return { ...rendered, provided: null }
  const { toolName = rendered.toolName } = part
  const result: ModelProviderResultPart = { type: 'tool-result', toolCallId, toolName, output, ...options }
  const tokens = estimateTokens(JSON.stringify([output, providerOptions]))
  return { ...rendered, provided: { part: result, tokens } }
}

/** The output as the AI SDK wraps it; `null`: no provider takes it back. */
function providedOutput(output: unknown): ModelProviderResultPart['output'] | null {
  if (typeof output === 'string') return { type: 'text', value: output.toWellFormed() }
  if (!isWrapper(output)) return { type: 'json', value: wellFormed(output ?? null) as never }
  const { type, value } = output
  if (type === 'json' || type === 'error-json') return { type, value: wellFormed(value ?? null) as never }
  if (type === 'text' || type === 'error-text') return { type, value: String(value ?? '').toWellFormed() }
  return null
}

/** Providers take objects only. Arguments that were cut off in the middle are shown as text. */
function inputObject(input: unknown): Record<string, unknown> {
  const value = typeof input === 'string' ? parsed(input) : input
  if (value === undefined || value === null || value === '') return {}
  const isObject = typeof value === 'object' && !Array.isArray(value)
  return wellFormed(isObject ? value : { value }) as Record<string, unknown>
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Repairs all strings inside: no half characters, and nothing that JSON cannot express. */
function wellFormed(value: unknown): unknown {
  const json = JSON.stringify(value)
  return JSON.parse(json.isWellFormed() && !json.includes('\\ud') ? json : repaired(value))
}

function repaired(value: unknown): string {
  return JSON.stringify(value, (_, item) =>
    typeof item === 'string'
      ? item.toWellFormed()
      : isRecord(item)
        ? Object.fromEntries(Object.entries(item).map(([key, entry]) => [key.toWellFormed(), entry]))
        : item,
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function renderResult(part: ToolResultPart, clip: Clip, texts: Texts['messages']): RenderedPart {
  const text = inert(clip(resultText(part.output, texts)))
  return {
    type: 'result',
    id: part.toolCallId,
    toolName: safeName(part.toolName ?? ''),
    text: text.trim() === '' ? texts.emptyResult : text,
    tokens: estimateTokens(text),
  }
}

/** How the AI SDK wraps the output of a tool. A tool's own object that only looks similar has other keys. */
const WRAPPERS = ['text', 'json', 'content', 'error-text', 'error-json', 'execution-denied']
const WRAPPER_KEYS = ['type', 'value', 'reason', 'providerOptions']

function resultText(output: unknown, texts: Texts['messages']): string {
  if (typeof output === 'string') return output
  if (output === undefined) return ''
  if (!isWrapper(output)) return contentText(output, texts) ?? JSON.stringify(output)
  const { type, value, reason } = output
  if (type === 'execution-denied') return texts.denied(typeof reason === 'string' ? reason : null)
  const text = resultText(value, texts)
  return type.startsWith('error') ? texts.failed(text) : text
}

function isWrapper(output: unknown): output is { type: string; value?: unknown; reason?: unknown } {
  if (!isRecord(output) || !WRAPPERS.includes(output['type'] as string)) return false
  return Object.keys(output).every(key => WRAPPER_KEYS.includes(key))
}

/** Images and files from a tool are named: their bytes are no text. `null`: the output is no such list. */
function contentText(output: unknown, { attachments }: Texts['messages']): string | null {
  if (!Array.isArray(output) || output.length === 0 || !output.every(isContentItem)) return null
  const named = (type: string) =>
    Object.hasOwn(attachments, type) ? attachments[type as keyof typeof attachments] : type
  return output.map(item => item.text ?? `(${named(item.type)})`).join('\n')
}

const MEDIA = ['media', 'image', 'image-data', 'image-url', 'file', 'file-data', 'file-url', 'file-id']

function isContentItem(value: unknown): value is { type: string; text?: string } {
  if (!isRecord(value)) return false
  const { type, text } = value
  return type === 'text' ? typeof text === 'string' : typeof type === 'string' && MEDIA.includes(type)
}

const MAX_NAME_CHARACTERS = 64

export function safeName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARACTERS) || 'tool'
}

/**
 * Puts the speaker before the text of a user in a group, and before what the system says everywhere: a
 * model's conversation has no system messages. A name is never an identity, so the sender's id stands beside
 * it.
 */
function attribute(
  parts: RenderedPart[],
  message: ContextMessage,
  { kind, language }: RenderRules,
): RenderedPart[] {
  const isNamed = message.role === 'system' || (message.role === 'user' && kind === 'group')
  if (!isNamed) return parts
  const name = `[${message.role === 'system' ? textsOf(language).roles.system : senderName(message, language)}]:`
  const first = parts[0]
  if (first?.type === 'shown' && first.part.type === 'text')
    return [shownText(`${name} ${first.part.text}`), ...parts.slice(1)]
  return [shownText(name), ...parts]
}

/** The name as it heads the sender's message in a group. */
export function senderName({ sender }: Pick<ContextMessage, 'sender'>, language: Language): string {
  const { roles } = textsOf(language)
  const id = inertId(sender?.id ?? '')
  const name = inertName(sender?.name ?? '')
  const shown = name === '' || name === id ? id : `${name} (${id})`
  if (shown === '') return roles.user
  // A person who calls himself "system" is not the system.
  const lower = shown.toLowerCase()
  const poses = ROLES.some(role => lower.startsWith(role) || lower.startsWith(roles[role]))
  return poses ? `"${shown}"` : shown
}
