import type { ContentPart, Interruption } from '../log/index.ts'
import { toInput } from './response-messages.ts'
import type { StepFigures } from './sdk.ts'

/** What was read of a stream: all of it, or the part before it broke. */
export interface Said {
  readonly interrupted: Interruption | null
  readonly error: unknown
  /** The results of calls that a person allowed. The SDK runs these calls before the first step. */
  readonly before: readonly SaidMessage[]
  /** What was said in each step. The last step may have been cut off. */
  readonly steps: readonly (readonly SaidMessage[])[]
  /** What each finished step took, as far as the stream tells it. */
  readonly figures: readonly StepFigures[]
}

export interface SaidMessage {
  readonly role: 'assistant' | 'tool'
  readonly content: ContentPart[]
}

export type StreamPart = { readonly type: string } & Readonly<Record<string, unknown>>

/**
 * Reads a result's stream from its beginning to its end: the SDK keeps what other readers have read. If the
 * stream was stopped or broke, this is all that remains of the reply: the SDK keeps only whole messages.
 */
export async function readStream(stream: AsyncIterable<unknown>): Promise<Said> {
  const collector = new Collector({ hasStepStarts: true })
  try {
    for await (const part of stream) collector.take(part as StreamPart)
  } catch (error) {
    collector.end('failed', error)
  }
  return collector.said()
}

/** Puts the parts of a stream together. It takes streams of the SDK and streams of the models below it. */
export class Collector {
  readonly #before: ContentPart[] = []
  readonly #steps: SaidMessage[][] = []
  readonly #figures: StepFigures[] = []
  readonly #open = new Map<string, { type: 'text' | 'reasoning'; text: string }>()
  #content: ContentPart[] = []
  #results: ContentPart[] = []
  readonly #hasStepStarts: boolean
  #isBeforeSteps: boolean
  #interrupted: Interruption | null = null
  #error: unknown

  /**
   * `hasStepStarts`: the stream marks where a step begins. Streams of the SDK do, streams of models do not.
   */
  constructor({ hasStepStarts = false } = {}) {
    this.#hasStepStarts = hasStepStarts
    this.#isBeforeSteps = hasStepStarts
  }

  take(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part)
        break
      case 'text-delta':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#extend(part)
        break
      case 'tool-call':
        this.#content.push({
          type: 'tool-call',
          toolCallId: String(part['toolCallId']),
          toolName: String(part['toolName']),
          input: inputOf(part['input']),
          ...(part['providerExecuted'] === true && { providerExecuted: true }),
          ...signature(part),
        } as ContentPart)
        break
      case 'tool-result':
        if (part['preliminary'] !== true) this.#answer(part, outputOf(part))
        break
      case 'file':
      case 'reasoning-file':
      case 'custom':
        this.#content.push(...asStored(part))
        break
      case 'tool-error':
        this.#answer(part, errorOutput(part))
        break
      case 'start-step':
        this.#isBeforeSteps = false
        break
      case 'finish-step':
        this.#figures.push(part as unknown as StepFigures)
        this.#endStep()
        break
      case 'abort':
        this.end('aborted', part['reason'])
        break
      case 'error':
        this.end('failed', part['error'])
        break
    }
  }

  /** Takes a complete part, as a model without streaming gives it. */
  takeWhole(part: StreamPart): void {
    if (part.type === 'text' || part.type === 'reasoning')
      this.#content.push({ type: part.type, text: String(part['text']), ...signature(part) })
    else this.take(part)
  }

  end(interrupted: Interruption, error: unknown): void {
    this.#interrupted ??= interrupted
    this.#error ??= error
  }

  said(): Said {
    const interrupted = this.#interrupted
    if (this.#content.length + this.#results.length > 0) this.#endStep()
    if (interrupted !== null) markLast(this.#steps.at(-1)?.at(-1), interrupted)
    const before: SaidMessage[] = this.#before.length > 0 ? [{ role: 'tool', content: this.#before }] : []
    return { interrupted, error: this.#error, before, steps: this.#steps, figures: this.#figures }
  }

  #begin(part: StreamPart): void {
    this.#open.delete(String(part['id']))
    this.#extend(part)
  }

  #extend(part: StreamPart): void {
    const opened = this.#opened(part)
    opened.text += String(part['text'] ?? part['delta'] ?? '')
    Object.assign(opened, opened.type === 'reasoning' && signature(part))
  }

  #opened(part: StreamPart): { type: 'text' | 'reasoning'; text: string } {
    const id = String(part['id'])
    const known = this.#open.get(id)
    if (known) return known
    const opened = {
      type: part.type.startsWith('text') ? ('text' as const) : ('reasoning' as const),
      text: '',
    }
    this.#open.set(id, opened)
    this.#content.push(opened)
    return opened
  }

  #answer(part: StreamPart, output: unknown): void {
    const [toolCallId, toolName] = [String(part['toolCallId']), String(part['toolName'])]
    const ran = this.#isBeforeSteps ? this.#before : this.#results
    // A result of the provider's own tool is part of what the model said. A model's stream has no other
    // results.
    if (part['providerExecuted'] === true || !this.#hasStepStarts)
      this.#content.push({
        ...{ type: 'tool-result', toolCallId, toolName, output, providerExecuted: true },
        ...signature(part),
      })
    else ran.push({ type: 'tool-result', toolCallId, toolName, output })
  }

  #endStep(): void {
    const content = this.#content.filter(part => part.type !== 'text' || part.text !== '')
    const messages: SaidMessage[] = []
    if (content.length > 0) messages.push({ role: 'assistant', content })
    if (this.#results.length > 0) messages.push({ role: 'tool', content: this.#results })
    this.#steps.push(messages)
    this.#content = []
    this.#results = []
    this.#open.clear()
  }
}

/** Marks the text that was cut off. If the last part is no text, there is nothing to mark. */
function markLast(message: SaidMessage | undefined, interrupted: Interruption): void {
  const last = message?.role === 'assistant' ? message.content.at(-1) : undefined
  if (last?.type === 'text') message!.content.splice(-1, 1, { ...last, interrupted })
}

/** The form that the SDK gives to a tool's output when it makes messages of it. */
function asOutput(output: unknown): unknown {
  if (typeof output === 'string') return { type: 'text', value: output }
  return { type: 'json', value: plain(output) }
}

function outputOf(part: StreamPart): unknown {
  const output = part['output'] ?? part['result']
  return part['isError'] === true ? { type: 'error-json', value: plain(output) } : asOutput(output)
}

/** The provider wants its own error back as it was. */
function errorOutput(part: StreamPart): unknown {
  const { error } = part
  if (part['providerExecuted'] === true) return { type: 'error-json', value: plain(error) }
  return { type: 'error-text', value: String(error) }
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null) ?? 'null')
}

/** A file in a stream holds its bytes in a form of its own. */
function asStored(part: StreamPart): readonly ContentPart[] {
  const { type, file, ...rest } = part as StreamPart & { file?: { base64?: string; mediaType?: string } }
  const content = file
    ? [{ type, data: file.base64, mediaType: file.mediaType, ...signature(part) }]
    : [{ type, ...rest }]
  const stored = toInput({ role: 'assistant', content })?.content ?? []
  return typeof stored === 'string' ? [] : stored
}

/** Models send the input as JSON, the SDK as a value. Text that is no JSON is kept as it came. */
function inputOf(input: unknown): unknown {
  if (typeof input !== 'string') return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

/** The fields that the provider wants to see again with a thought or a call. */
function signature({ providerMetadata }: StreamPart): object {
  return providerMetadata ? { providerOptions: providerMetadata } : {}
}
