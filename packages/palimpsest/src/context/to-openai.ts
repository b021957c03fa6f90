import type { Language } from '../language/index.ts'
import { attachmentLabel, readAttachment } from './attachment.ts'
import type { ContextParts } from './context.ts'
import { isBlank } from './is-blank.ts'
import type { AssistantModelMessage, ModelMessage, UserModelMessage } from './model-message.ts'
import { withoutProviderTools } from './provider-tools.ts'

export type OpenAIMessage =
  | OpenAISystemMessage
  | OpenAIUserMessage
  | OpenAIAssistantMessage
  | OpenAIToolMessage

export interface OpenAISystemMessage {
  role: 'system'
  content: string
}

export interface OpenAIUserMessage {
  role: 'user'
  content: string | OpenAIContentPart[]
}

export type OpenAIContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

export interface OpenAIAssistantMessage {
  role: 'assistant'
  /** `null` only beside tool calls. */
  content: string | null
  /** Never empty: OpenAI refuses an empty list. */
  tool_calls?: OpenAIToolCall[]
}

export interface OpenAIToolCall {
  id: string
  type: 'function'
  function: {
    name: string
    /** The text of a JSON object. */
    arguments: string
  }
}

export interface OpenAIToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

export interface OpenAIRequest {
  messages: OpenAIMessage[]
}

/**
 * The chat-completions format of OpenAI, which most others speak too. The format has no reasoning, so it is
 * left out. The provider caches by itself, so the breakpoints are not needed. A message with nothing left to
 * say is left out, since OpenAI refuses an empty one.
 */
export function toOpenAI({
  instructions,
  messages,
  language = 'en',
}: Pick<ContextParts, 'instructions' | 'messages'> & Partial<Pick<ContextParts, 'language'>>): OpenAIRequest {
  const system: OpenAIMessage[] = isBlank(instructions) ? [] : [{ role: 'system', content: instructions }]
  return { messages: [...system, ...messages.flatMap(message => openAIMessages(message, language))] }
}

function openAIMessages(message: ModelMessage, language: Language): OpenAIMessage[] {
  switch (message.role) {
    case 'user': {
      const content = userContent(message.content, language)
      return content.length === 0 ? [] : [{ role: 'user', content }]
    }
    case 'assistant':
      return assistantMessages(message.content, language)
    case 'tool':
      return message.content.map(result => ({
        role: 'tool',
        tool_call_id: result.toolCallId,
        content: result.output.value,
      }))
  }
}

function userContent(content: UserModelMessage['content'], language: Language): string | OpenAIContentPart[] {
  if (typeof content === 'string') return isBlank(content) ? '' : content
  return content
    .filter(part => part.type !== 'text' || !isBlank(part.text))
    .map(part => contentPart(part, language))
}

function contentPart(
  part: Exclude<UserModelMessage['content'], string>[number],
  language: Language,
): OpenAIContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const attachment = readAttachment(part)
  if (attachment?.kind === 'image')
    return {
      type: 'image_url',
      image_url: { url: attachment.from === 'url' ? attachment.url : dataUrl(attachment) },
    }
  // This format has no way to link a PDF.
  if (attachment?.from !== 'bytes') return { type: 'text', text: attachmentLabel(part, language) }
  const filename = part.type === 'file' ? part.filename : undefined
  return { type: 'file', file: { filename: filename || 'document.pdf', file_data: dataUrl(attachment) } }
}

function dataUrl({ mediaType, bytes }: { mediaType: string; bytes: string }): string {
  return `data:${mediaType};base64,${bytes}`
}

function assistantMessages(
  given: AssistantModelMessage['content'],
  language: Language,
): OpenAIAssistantMessage[] {
  if (typeof given === 'string') return isBlank(given) ? [] : [{ role: 'assistant', content: given }]
  // The format knows only calls that the client runs.
  const content = withoutProviderTools(given, () => false, language)
  const text = content
    .filter(part => part.type === 'text')
    .map(part => part.text)
    .filter(piece => !isBlank(piece))
    .join('\n')
  const calls = content
    .filter(part => part.type === 'tool-call')
    .map(
      (call): OpenAIToolCall => ({
        id: call.toolCallId,
        type: 'function',
        function: { name: call.toolName, arguments: JSON.stringify(call.input) },
      }),
    )
  if (calls.length > 0) return [{ role: 'assistant', content: text || null, tool_calls: calls }]
  return text === '' ? [] : [{ role: 'assistant', content: text }]
}
