/*
 * The parts of the AI SDK's language model (its specification v4) that a script uses. These types are our
 * own, so that a test project compiles without the package `ai`. A test compares them with the SDK's.
 */

export interface CallOptions {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly { readonly type: string; readonly name: string }[]
  readonly abortSignal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
}

interface TextContent {
  type: 'text'
  text: string
}

interface ReasoningContent {
  type: 'reasoning'
  text: string
}

interface ToolCallContent {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  /** The input as JSON. */
  input: string
}

export type Content = TextContent | ReasoningContent | ToolCallContent

export interface FinishReason {
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
  raw: string | undefined
}

export interface Usage {
  inputTokens: {
    total: number | undefined
    noCache: number | undefined
    cacheRead: number | undefined
    cacheWrite: number | undefined
  }
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined }
}

export interface ResponseMetadata {
  id: string
  timestamp: Date
  modelId: string
}

export interface GenerateResult {
  content: Content[]
  finishReason: FinishReason
  usage: Usage
  response: ResponseMetadata
  warnings: never[]
}

export type StreamPart =
  | { type: 'stream-start'; warnings: never[] }
  | ({ type: 'response-metadata' } & ResponseMetadata)
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end' | 'tool-input-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; id: string; toolName: string }
  | ToolCallContent
  | { type: 'finish'; finishReason: FinishReason; usage: Usage }
  | { type: 'error'; error: unknown }

export interface StreamResult {
  stream: ReadableStream<StreamPart>
}
