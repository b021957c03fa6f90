import type { ModelRequest } from './model-request.ts'

/** A bare string means `{ text }`. If all fields are left out, the answer is empty and ends normally. */
export interface ModelReply {
  readonly text?: string | null
  /** Sent if the protocol supports it. Clients of plain OpenAI chat completions ignore it. */
  readonly reasoning?: string
  /**
   * In OpenAI's protocols, a field of its own. In Anthropic's, an empty answer with the stop reason
   * `refusal`.
   */
  readonly refusal?: string
  readonly toolCalls?: readonly ReplyToolCall[]
  /**
   * In the words of chat completions: `stop`, `length`, `tool_calls`, `content_filter`. Default: `stop`, or
   * `tool_calls` if there are tool calls.
   */
  readonly finishReason?: string | null
  readonly usage?: ReplyUsage
  /** The wait before the first byte, in milliseconds. */
  readonly delayMs?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A body to send as it is, instead of an answer. */
  readonly body?: string
  /** An error instead of an answer, with the status, the form and the words of the provider. */
  readonly error?: ModelError
  /**
   * `reset`: the connection ends before the first byte. `cut_off`: it ends in the middle of the body.
   * `stall`: nothing follows after the middle of the body, and the connection stays open. `hang`: no answer
   * ever comes.
   */
  readonly fault?: 'reset' | 'cut_off' | 'stall' | 'hang'
}

export interface ReplyToolCall {
  readonly name: string
  /** A string is sent as it is, even if it is no JSON. */
  readonly arguments: string | Readonly<Record<string, unknown>>
  /** The default: `call_<request>_<call>`, both counted from 1 over the life of the model. */
  readonly id?: string
}

export interface ReplyUsage {
  /** All input tokens. Those read from a cache and written to it are included. */
  readonly input: number
  readonly cached?: number
  readonly cacheWritten?: number
  /** All output tokens. Reasoning is included. */
  readonly output: number
  readonly reasoning?: number
}

export interface ModelError {
  /** `overflow`: the request is longer than the model's window. */
  readonly kind:
    | 'overflow'
    | 'rate_limited'
    /** The account has nothing left to spend. */
    | 'no_quota'
    | 'overloaded'
    | 'internal'
    | 'unauthorized'
    | 'invalid'
    | 'not_found'
  /** Replaces the words of the provider. */
  readonly message?: string
  /**
   * In a stream, the error comes after the status 200 and the text, like an error of a provider during its
   * answer.
   */
  readonly isLate?: boolean
}

export type ModelScript =
  | ModelReply
  | string
  | ((request: ModelRequest, index: number) => ModelReply | string | Promise<ModelReply | string>)

/** The reply of the script to a request. `index` counts from 0. */
export async function askScript(
  script: ModelScript,
  request: ModelRequest,
  index: number,
): Promise<ModelReply> {
  const said = typeof script === 'function' ? await script(request, index) : script
  return typeof said === 'string' ? { text: said } : said
}

/** `null`: the reply is an answer, or the script's own body. */
export function errorOf({ error, status = 200, body }: ModelReply): ModelError | null {
  if (error) return error
  if (status < 400 || body !== undefined) return null
  if (status === 401 || status === 403) return { kind: 'unauthorized' }
  if (status === 404) return { kind: 'not_found' }
  if (status === 429) return { kind: 'rate_limited' }
  if (status === 503 || status === 529) return { kind: 'overloaded' }
  return { kind: status < 500 ? 'invalid' : 'internal' }
}
