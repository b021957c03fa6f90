import type { ModelRequest } from './model-request.ts'

/** A bare string is `{ text }`. All is left out: an empty answer that ended normally. */
export interface ModelReply {
  readonly text?: string | null
  /** Where the protocol has it; the clients of plain OpenAI chat completions do not look at it. */
  readonly reasoning?: string
  /** In OpenAI's protocols a field of its own; in Anthropic's an empty answer with the stop reason `refusal`. */
  readonly refusal?: string
  readonly toolCalls?: readonly ReplyToolCall[]
  /**
   * In the words of chat completions: `stop`, `length`, `tool_calls`, `content_filter`. The default: `stop`, or
   * `tool_calls` where there are any.
   */
  readonly finishReason?: string | null
  readonly usage?: ReplyUsage
  /** Before the first byte. */
  readonly delayMs?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, in place of an answer. */
  readonly body?: string
  /** In place of an answer, with the status, the shape and the words of the provider. */
  readonly error?: ModelError
  /**
   * `reset`: the connection ends before a byte. `cut_off`: in the middle of the body. `stall`: nothing comes after
   * the middle of the body, and the connection stays open. `hang`: no answer, ever.
   */
  readonly fault?: 'reset' | 'cut_off' | 'stall' | 'hang'
}

export interface ReplyToolCall {
  readonly name: string
  /** A string is sent as it is, also where it is no JSON. */
  readonly arguments: string | Readonly<Record<string, unknown>>
  /** The default: `call_<request>_<call>`, both counted from 1 over the life of the model. */
  readonly id?: string
}

export interface ReplyUsage {
  /** All of it, with what was read from a cache and what was written to it. */
  readonly input: number
  readonly cached?: number
  readonly cacheWritten?: number
  /** All of it, reasoning included. */
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
  /** In place of the provider's words. */
  readonly message?: string
  /** In a stream: after the status 200 and the text, as providers do that fail on the way. */
  readonly isLate?: boolean
}

export type ModelScript =
  | ModelReply
  | string
  | ((request: ModelRequest, index: number) => ModelReply | string | Promise<ModelReply | string>)

/** What the script says to a request; `index` counts from 0. */
export async function askScript(
  script: ModelScript,
  request: ModelRequest,
  index: number,
): Promise<ModelReply> {
  const said = typeof script === 'function' ? await script(request, index) : script
  return typeof said === 'string' ? { text: said } : said
}

/** `null`: it is an answer, or the script's own body. */
export function errorOf({ error, status = 200, body }: ModelReply): ModelError | null {
  if (error) return error
  if (status < 400 || body !== undefined) return null
  if (status === 401 || status === 403) return { kind: 'unauthorized' }
  if (status === 404) return { kind: 'not_found' }
  if (status === 429) return { kind: 'rate_limited' }
  if (status === 503 || status === 529) return { kind: 'overloaded' }
  return { kind: status < 500 ? 'invalid' : 'internal' }
}
