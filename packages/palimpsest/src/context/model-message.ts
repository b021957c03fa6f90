/**
 * What a model is sent: the part of the AI SDK's `ModelMessage` that a context uses. A caller can pass it to
 * `generateText` as it is. There are no system messages: the SDK refuses them inside a conversation.
 */
export type ModelMessage = UserModelMessage | AssistantModelMessage | ToolModelMessage

export interface UserModelMessage {
  role: 'user'
  content: string | (ModelTextPart | ModelImagePart | ModelFilePart)[]
}

export interface AssistantModelMessage {
  role: 'assistant'
  content: string | (ModelTextPart | ModelReasoningPart | ModelToolCallPart | ModelProviderResultPart)[]
}

/** The results of the calls in the assistant's message right before it: all of them, and no others. */
export interface ToolModelMessage {
  role: 'tool'
  content: ModelToolResultPart[]
}

export interface ModelTextPart {
  type: 'text'
  text: string
}

export interface ModelImagePart {
  type: 'image'
  /** A URL, a data URL, or bytes in base64. */
  image: string
  mediaType?: string
}

export interface ModelFilePart {
  type: 'file'
  /** A URL, a data URL, or bytes in base64. */
  data: string
  mediaType: string
  filename?: string
}

export interface ModelReasoningPart {
  type: 'reasoning'
  text: string
  /**
   * By provider, as it came with the answer. `anthropic.signature`: Anthropic refuses a thought without it.
   */
  providerOptions?: Record<string, Record<string, JsonValue>>
}

export interface ModelToolCallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  /** Always an object: some providers take nothing else. */
  input: Record<string, unknown>
  /**
   * The provider ran the call itself. Its result stands in the assistant's own content, and it has no other
   * result.
   */
  providerExecuted?: true
  /** As it came with the call. Some providers refuse a thinking model's call without its signature. */
  providerOptions?: Record<string, Record<string, JsonValue>>
}

export interface ModelToolResultPart {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'text'; value: string }
}

/**
 * The result of a tool that the provider ran. It stays as it came, since only the provider can read all of
 * it.
 */
export interface ModelProviderResultPart {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'text' | 'error-text'; value: string } | { type: 'json' | 'error-json'; value: JsonValue }
  providerOptions?: Record<string, Record<string, JsonValue>>
}

export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue }
