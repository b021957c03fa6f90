import type { Language } from '../language/index.ts'
import { serverToolBlocks } from './anthropic-server-tools.ts'
import { attachmentLabel, readAttachment } from './attachment.ts'
import type { CacheBreakpoints, ContextParts } from './context.ts'
import { isBlank } from './is-blank.ts'
import type {
  AssistantModelMessage,
  ModelMessage,
  ModelReasoningPart,
  ToolModelMessage,
  UserModelMessage,
} from './model-message.ts'
import { isProviderCall, isProviderResult, providerCallNote, understands } from './provider-tools.ts'

export interface AnthropicRequest {
  /** `undefined` without instructions: Anthropic refuses an empty text. */
  system: AnthropicTextBlock[] | undefined
  messages: AnthropicMessage[]
}

export type AnthropicMessage =
  | { role: 'user'; content: AnthropicUserBlock[] }
  | { role: 'assistant'; content: AnthropicAssistantBlock[] }

export type AnthropicUserBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | AnthropicToolResultBlock
export type AnthropicAssistantBlock =
  | AnthropicTextBlock
  | AnthropicThinkingBlock
  | AnthropicRedactedThinkingBlock
  | AnthropicToolUseBlock
  | AnthropicServerToolUseBlock
  | AnthropicServerToolResultBlock

interface Cacheable {
  cache_control?: { type: 'ephemeral' }
}

export interface AnthropicTextBlock extends Cacheable {
  type: 'text'
  text: string
}

export interface AnthropicImageBlock extends Cacheable {
  type: 'image'
  source: { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string }
}

export interface AnthropicDocumentBlock extends Cacheable {
  type: 'document'
  source: { type: 'base64'; media_type: 'application/pdf'; data: string } | { type: 'url'; url: string }
  title?: string
}

export interface AnthropicToolUseBlock extends Cacheable {
  type: 'tool_use'
  id: string
  name: string
  input: Record<string, unknown>
}

export interface AnthropicToolResultBlock extends Cacheable {
  type: 'tool_result'
  tool_use_id: string
  /** Absent where the tool returned nothing. */
  content?: string
}

/** A call of a tool that Anthropic ran itself. */
export interface AnthropicServerToolUseBlock extends Cacheable {
  type: 'server_tool_use'
  id: string
  name: string
  input: Record<string, unknown>
}

/** The result of such a call: `web_search_tool_result` and others. */
export interface AnthropicServerToolResultBlock extends Cacheable {
  type: `${string}_tool_result`
  tool_use_id: string
  content: unknown
}

/** Thoughts are cached with what follows them. They take no mark of their own. */
export interface AnthropicThinkingBlock {
  type: 'thinking'
  thinking: string
  signature: string
}

export interface AnthropicRedactedThinkingBlock {
  type: 'redacted_thinking'
  data: string
}

const MAX_BREAKPOINTS = 4
const MAX_TITLE_CHARACTERS = 500

/**
 * The format of the Messages API. Roles have to alternate, so neighbours of one role become one message.
 * Anthropic wants the results of tools in the user's next message; so they stand first in it. What Anthropic
 * would refuse is left out: empty texts, thoughts without its signature, marks on thoughts, a fifth mark.
 */
export function toAnthropic({
  instructions,
  messages,
  breakpoints,
  language = 'en',
}: Pick<ContextParts, 'instructions' | 'messages' | 'breakpoints'> &
  Partial<Pick<ContextParts, 'language'>>): AnthropicRequest {
  const system = isBlank(instructions) ? undefined : systemBlocks(instructions, breakpoints)
  const marked = markedMessages(
    breakpoints,
    system?.[0]?.cache_control ? MAX_BREAKPOINTS - 1 : MAX_BREAKPOINTS,
  )
  const merged: AnthropicMessage[] = []
  const served = serverBlocks(messages)
  for (const [index, message] of messages.entries()) {
    const next = anthropicMessage(message, language, served)
    if (next.content.length === 0) continue
    if (marked.has(index)) mark(next.content)
    const last = merged.at(-1)
    if (last?.role === 'user' && next.role === 'user') last.content.push(...next.content)
    else if (last?.role === 'assistant' && next.role === 'assistant') last.content.push(...next.content)
    else merged.push(next)
  }
  return { system, messages: withoutTrailingSpace(merged) }
}

function systemBlocks(instructions: string, { afterInstructions }: CacheBreakpoints): AnthropicTextBlock[] {
  return [
    {
      type: 'text',
      text: instructions,
      ...(afterInstructions && { cache_control: { type: 'ephemeral' } }),
    },
  ]
}

/** Of too many marks the last ones stay: what they cover includes what the earlier ones cover. */
function markedMessages({ afterMessages }: CacheBreakpoints, most: number): ReadonlySet<number> {
  return new Set([...new Set(afterMessages)].sort((left, right) => left - right).slice(-most))
}

function mark(content: (AnthropicUserBlock | AnthropicAssistantBlock)[]): void {
  const last = content.findLast(block => block.type !== 'thinking' && block.type !== 'redacted_thinking')
  if (last) last.cache_control = { type: 'ephemeral' }
}

function anthropicMessage(
  message: ModelMessage,
  language: Language,
  served: ReadonlyMap<string, ServerBlocks>,
): AnthropicMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: userBlocks(message.content, language) }
    case 'assistant':
      return { role: 'assistant', content: assistantBlocks(message.content, language, served) }
    case 'tool':
      return { role: 'user', content: resultBlocks(message.content) }
  }
}

function resultBlocks(content: ToolModelMessage['content']): AnthropicToolResultBlock[] {
  return content.map(({ toolCallId, output }) => ({
    type: 'tool_result',
    tool_use_id: toolCallId,
    ...(!isBlank(output.value) && { content: output.value }),
  }))
}

function textBlocks(text: string): AnthropicTextBlock[] {
  return isBlank(text) ? [] : [{ type: 'text', text }]
}

function userBlocks(content: UserModelMessage['content'], language: Language): AnthropicUserBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  return content.flatMap((part): AnthropicUserBlock[] => {
    if (part.type === 'text') return textBlocks(part.text)
    const attachment = readAttachment(part)
    // Anthropic fetches only over HTTPS.
    if (!attachment || (attachment.from === 'url' && !/^https:/i.test(attachment.url)))
      return textBlocks(attachmentLabel(part, language))
    if (attachment.kind === 'image')
      return [
        {
          type: 'image',
          source:
            attachment.from === 'url'
              ? { type: 'url', url: attachment.url }
              : { type: 'base64', media_type: attachment.mediaType, data: attachment.bytes },
        },
      ]
    const title = part.type === 'file' ? (part.filename ?? '') : ''
    return [
      {
        type: 'document',
        source:
          attachment.from === 'url'
            ? { type: 'url', url: attachment.url }
            : { type: 'base64', media_type: 'application/pdf', data: attachment.bytes },
        ...(!isBlank(title) && title.length <= MAX_TITLE_CHARACTERS && { title }),
      },
    ]
  })
}

/**
 * Calls stand last, at the end or before the next thought: Anthropic refuses a text after a call. Thoughts
 * keep their places.
 */
function assistantBlocks(
  content: AssistantModelMessage['content'],
  language: Language,
  served: ReadonlyMap<string, ServerBlocks>,
): AnthropicAssistantBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  const blocks: AnthropicAssistantBlock[] = []
  const calls: AnthropicToolUseBlock[] = []
  for (const part of content) {
    if (part.type === 'text') blocks.push(...textBlocks(part.text))
    else if (part.type === 'reasoning') {
      const thought = thoughtBlocks(part)
      if (thought.length > 0) blocks.push(...calls.splice(0), ...thought)
    } else if (part.type === 'tool-result') {
      const result = served.get(part.toolCallId)?.result
      if (result) blocks.push(result)
    } else if (part.providerExecuted) {
      const use = served.get(part.toolCallId)?.use
      blocks.push(...(use ? [use] : textBlocks(providerCallNote(part, language))))
    } else calls.push({ type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input })
  }
  return [...blocks, ...calls]
}

interface ServerBlocks {
  readonly use: AnthropicServerToolUseBlock
  readonly result: AnthropicServerToolResultBlock
}

/**
 * By id, the calls that Anthropic ran itself and their results, in Anthropic's format. A result may stand in
 * a later message than its call.
 */
function serverBlocks(messages: readonly ModelMessage[]): Map<string, ServerBlocks> {
  const parts = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
  const results = new Map(parts.filter(isProviderResult).map(part => [part.toolCallId, part]))
  const served = new Map<string, ServerBlocks>()
  for (const call of parts.filter(isProviderCall)) {
    const result = results.get(call.toolCallId)
    const blocks = result && understands('anthropic', call) ? serverToolBlocks(call, result) : null
    if (blocks) served.set(call.toolCallId, { use: blocks[0], result: blocks[1] })
  }
  return served
}

function thoughtBlocks({ text, providerOptions }: ModelReasoningPart): AnthropicAssistantBlock[] {
  const { signature, redactedData } = providerOptions?.['anthropic'] ?? {}
  if (typeof signature === 'string' && signature !== '')
    return [{ type: 'thinking', thinking: text, signature }]
  if (typeof redactedData === 'string' && redactedData !== '')
    return [{ type: 'redacted_thinking', data: redactedData }]
  return []
}

/** If the model is to continue an answer of its own, that answer may not end in white space. */
function withoutTrailingSpace(messages: AnthropicMessage[]): AnthropicMessage[] {
  const block = messages.at(-1)?.role === 'assistant' ? messages.at(-1)?.content.at(-1) : undefined
  if (block?.type === 'text') block.text = block.text.trimEnd()
  return messages
}
