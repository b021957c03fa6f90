import type { ModelProviderResultPart, ModelToolCallPart } from './model-message.ts'
import type { AnthropicServerToolResultBlock, AnthropicServerToolUseBlock } from './to-anthropic.ts'

type Fields = Readonly<Record<string, unknown>>

/** The AI SDK marks the kinds of code execution with a field of the input. */
const CODE_KINDS = ['bash_code_execution', 'text_editor_code_execution']

/**
 * A call that Anthropic ran and its result, back in Anthropic's own format; `null`: a kind that we do not
 * know.
 */
export function serverToolBlocks(
  call: ModelToolCallPart,
  { output }: ModelProviderResultPart,
): [AnthropicServerToolUseBlock, AnthropicServerToolResultBlock] | null {
  const result = output.type === 'json' ? resultOf(output.value) : errorOf(output)
  if (result === null) return null
  const id = call.toolCallId
  const { type: kind, ...input } = call.input
  const isCode = result.name === 'code_execution' && typeof kind === 'string'
  const name = isCode && CODE_KINDS.includes(kind) ? kind : result.name
  const use = { type: 'server_tool_use' as const, id, name, input: isCode ? input : call.input }
  return [
    use,
    {
      type: `${result.name === 'code_execution' ? name : result.name}_tool_result`,
      tool_use_id: id,
      content: result.content,
    },
  ]
}

interface Result {
  readonly name: string
  readonly content: unknown
}

function resultOf(value: unknown): Result | null {
  if (Array.isArray(value))
    return value.every(item => typeOf(item) === 'web_search_result')
      ? { name: 'web_search', content: value.map(searchResult) }
      : null
  const type = typeOf(value)
  if (type === 'web_fetch_result') return { name: 'web_fetch', content: fetchResult(value as Fields) }
  if (/^(?:encrypted_|bash_|text_editor_)?code_execution_\w+$/.test(type))
    return { name: 'code_execution', content: value }
  return null
}

/** Reads the spelling of the AI SDK and Anthropic's own. */
function searchResult(item: Fields): Fields {
  const { url, title, encryptedContent, pageAge } = item
  return {
    type: 'web_search_result',
    url,
    title,
    encrypted_content: encryptedContent ?? item['encrypted_content'],
    page_age: pageAge ?? item['page_age'] ?? null,
  }
}

function fetchResult({ url, retrievedAt, retrieved_at: retrieved, content }: Fields): Fields {
  const { title, citations, source } = (content ?? {}) as Fields
  const { type, mediaType, media_type: media, data } = (source ?? {}) as Fields
  return {
    type: 'web_fetch_result',
    url,
    retrieved_at: retrievedAt ?? retrieved ?? null,
    content: {
      type: 'document',
      title: title ?? null,
      ...(citations != null && { citations }),
      source: { type, media_type: mediaType ?? media, data },
    },
  }
}

function errorOf({ type, value }: ModelProviderResultPart['output']): Result | null {
  if (type !== 'error-json') return null
  const error = (typeof value === 'string' ? parsed(value) : value) as Fields
  const kind = typeOf(error)
  const name = /^(web_search|web_fetch|(?:bash_|text_editor_)?code_execution)_tool_result_error$/.exec(
    kind,
  )?.[1]
  if (!name) return null
  const code = error['errorCode'] ?? error['error_code'] ?? 'unavailable'
  const isCode = name.endsWith('code_execution')
  return { name: isCode ? 'code_execution' : name, content: { type: kind, error_code: code } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function typeOf(value: unknown): string {
  const { type } = (value ?? {}) as Fields
  return typeof type === 'string' ? type : ''
}
