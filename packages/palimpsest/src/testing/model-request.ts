/** The protocol of the request. `in-process`: through `scriptedModel`, without a socket. */
export type ModelProtocol = 'chat' | 'messages' | 'responses' | 'in-process'

/** One call of a model, as the script sees it. */
export interface ModelRequest {
  readonly protocol: ModelProtocol
  /** Empty for a call in process. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as it came. In process: the options of the call. */
  readonly body: ModelRequestBody
  /** The conversation in one form for all protocols. Instructions come first. */
  readonly said: readonly SaidMessage[]
  readonly tools: readonly OfferedTool[]
}

/** The fields of a request that tests use. All other fields are there too, unchanged. */
export interface ModelRequestBody {
  readonly model?: string
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
  readonly stream?: boolean
  readonly [field: string]: unknown
}

export interface SaidMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Several text parts are joined by line breaks. Other parts are left out, reasoning too. */
  readonly text: string
  /** Only in messages of an assistant. */
  readonly toolCalls?: readonly SaidToolCall[]
  /** Only in a tool's result: the call that it answers. */
  readonly toolCallId?: string
}

export interface SaidToolCall {
  readonly id: string
  readonly name: string
  /** The arguments as JSON. */
  readonly arguments: string
}

export interface OfferedTool {
  readonly name: string
  readonly description?: string
  /** A JSON schema. Empty for the provider's own tools. */
  readonly schema: Readonly<Record<string, unknown>>
}
