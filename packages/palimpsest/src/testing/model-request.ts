/** How the request came. `in-process`: through `scriptedModel`, without a socket. */
export type ModelProtocol = 'chat' | 'messages' | 'responses' | 'in-process'

/** One call of a model, as the script sees it. */
export interface ModelRequest {
  readonly protocol: ModelProtocol
  /** Empty in process. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** As it came; in process the options of the call. */
  readonly body: ModelRequestBody
  /** The conversation in one form for all protocols, instructions first. */
  readonly said: readonly SaidMessage[]
  readonly tools: readonly OfferedTool[]
}

/** The part of a request that tests look at; the rest is there as it came. */
export interface ModelRequestBody {
  readonly model?: string
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
  readonly stream?: boolean
  readonly [field: string]: unknown
}

export interface SaidMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Several parts are joined by newlines; what is no text is left out, reasoning too. */
  readonly text: string
  /** Of an assistant. */
  readonly toolCalls?: readonly SaidToolCall[]
  /** Of a tool's result: the call that it answers. */
  readonly toolCallId?: string
}

export interface SaidToolCall {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly arguments: string
}

export interface OfferedTool {
  readonly name: string
  readonly description?: string
  /** A JSON schema; empty for the provider's own tools. */
  readonly schema: Readonly<Record<string, unknown>>
}
