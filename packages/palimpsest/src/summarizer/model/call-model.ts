import { MissingPeerError, PalimpsestError } from '../../errors.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { FACT_SECTIONS } from '../fact-sections.ts'
import type { CallGate, FactRequest, Prefix } from '../summarizer.ts'
import { SummarizerError, type SummarizerFailure } from '../summarizer-error.ts'
import { classifyError } from './classify-error.ts'
import { type LanguageModelLike, modelName } from './language-model.ts'
import { within } from './within.ts'

type Sdk = typeof import('ai')

let loading: Promise<Sdk> | null = null

/** Loading takes a sixth of a second, so the package is loaded with the first call. */
async function loadSdk(): Promise<Sdk> {
  loading ??= import('ai')
  try {
    return await loading
  } catch (cause) {
    // The package may be installed by the next call.
    loading = null
    throw new MissingPeerError('ai', 'A language model as the summariser', cause)
  }
}

export interface ModelCall {
  readonly instructions: string
  readonly prompt: string
  /** Sent before everything else. Instructions and prompt follow it as one message. */
  readonly prefix?: Prefix | undefined
  readonly asks: 'summary' | 'summary and memo' | 'memo' | 'user facts' | 'scope facts'
  /** The answer also holds extracts, beside a summary. */
  readonly withExtracts?: boolean
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly beforeCall?: CallGate | undefined
  /** Called with what was used, also where the answer cannot be used. */
  readonly onUsage: (usage: CallUsage) => void
}

export interface CallUsage {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
}

/** One answer that ended normally, as text. The output has no limit: reasoning would use it up. */
export async function callModel(model: LanguageModelLike, call: ModelCall): Promise<string> {
  const sdk = await loadSdk()
  const name = modelName(model)
  const { timeoutMs, signal } = call
  const ask = (format: Format) =>
    counted({ ...call, model: name }, onUsage =>
      within(abortSignal => generate(sdk, model, { ...call, onUsage, format, abortSignal }), {
        timeoutMs,
        signal,
        model: name,
      }),
    )
  // A format is part of what a provider caches by, so a call with a prefix has none.
  const format = call.prefix ? 'text' : formatOf(model)
  try {
    return await ask(format)
  } catch (error) {
    signal?.throwIfAborted()
    if (PalimpsestError.isInstance(error)) throw error
    const failure = classifyError(error, name)
    // A router that knows no server for the format answers with 404.
    const isRefused = failure.reason === 'request_refused' || failure.reason === 'model_not_found'
    if (format === 'text' || !isRefused || !blamesFormat(error)) throw failure
  }
  // The instructions ask for JSON too, so a server that takes no format is asked without one.
  takesNoFormat.add(model)
  return ask('text').catch((error: unknown) => {
    signal?.throwIfAborted()
    throw PalimpsestError.isInstance(error) ? error : classifyError(error, name)
  })
}

/** Where the provider turned the request away, no model read anything. */
const NOTHING_TAKEN: readonly SummarizerFailure[] = [
  'rate_limited',
  'insufficient_quota',
  'unauthorized',
  'model_not_found',
  'request_refused',
  'overflow',
]

/** One request to the provider, which `beforeCall` has let pass. */
async function counted(
  { model, beforeCall, onUsage, ...sent }: ModelCall & { readonly model: string },
  request: (onUsage: ModelCall['onUsage']) => Promise<string>,
): Promise<string> {
  if (!beforeCall) return request(onUsage)
  const settle = await beforeCall({ model, tokens: tokensSent(sent) })
  let tokens = 0
  const noteUsage: ModelCall['onUsage'] = usage => {
    tokens = usage.inputTokens + usage.outputTokens
    onUsage(usage)
  }
  try {
    return await request(noteUsage)
  } catch (error) {
    const isRefused = tokens === 0 && NOTHING_TAKEN.includes(classifyError(error, model).reason)
    if (isRefused) await settle({ tokens: 0 })
    throw error
  } finally {
    // Where a server does not count, the expected cost stands.
    if (tokens > 0) await settle({ tokens })
  }
}

function tokensSent({ instructions, prompt, prefix }: Pick<ModelCall, 'instructions' | 'prompt' | 'prefix'>) {
  const before = prefix ? prefix.instructions + JSON.stringify(prefix.messages) : ''
  return estimateTokens(instructions + prompt + before)
}

/**
 * `schema`: the provider holds the model to the schema. `json`: the provider holds it to JSON of any shape.
 * `text`: only the instructions ask for JSON.
 */
type Format = 'schema' | 'json' | 'text'

const takesNoFormat = new WeakSet<LanguageModelLike>()

/**
 * OpenAI-compatible servers are asked for a schema only where the provider was told that they support
 * schemas.
 */
function formatOf(model: LanguageModelLike): Format {
  if (takesNoFormat.has(model)) return 'text'
  return 'supportsStructuredOutputs' in model && model.supportsStructuredOutputs === false ? 'json' : 'schema'
}

function blamesFormat(error: unknown): boolean {
  const { message = '', responseBody = '' } = error as { message?: string; responseBody?: string }
  return /response_?format|json_?schema|json_?object|structured|output_(?:format|config)/i.test(
    `${message}\n${responseBody}`,
  )
}

interface Generation extends ModelCall {
  readonly format: Format
  readonly abortSignal: AbortSignal
}

async function generate(
  { generateText, Output, jsonSchema }: Sdk,
  model: LanguageModelLike,
  { instructions, prompt, prefix, asks, withExtracts = false, onUsage, format, abortSignal }: Generation,
): Promise<string> {
  const output =
    format === 'schema'
      ? Output.object({ name: 'memory', schema: jsonSchema(schemaFor(asks, withExtracts)) })
      : Output.json()
  let structured: string | null = null
  const result = await generateText({
    model: model as never,
    ...(prefix ? afterPrefix(prefix, `${instructions}\n\n${prompt}`) : { instructions, prompt }),
    abortSignal,
    // `Models` makes the retries: those of the SDK wait for two seconds and more.
    maxRetries: 0,
    // The SDK's parser would refuse answers that can be read. Only this function is told where the object
    // stands.
    ...(format !== 'text' && {
      output: {
        ...output,
        parseCompleteOutput: async ({ text }: { text: string }) => {
          structured = text
        },
      } as never,
    }),
  })
  const { usage, finishReason } = result
  onUsage({
    inputTokens: usage.inputTokens ?? 0,
    cachedInputTokens: usage.inputTokenDetails?.cacheReadTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
  })
  const name = modelName(model)
  const fail = (reason: SummarizerError['reason'], message: string) =>
    new SummarizerError(reason, message, { model: name })
  if (finishReason === 'length' || finishReason === 'interrupted')
    throw fail('cut_off', 'was cut off before the end of its answer')
  if (finishReason === 'content-filter') throw fail('content_filter', 'was stopped by a content filter')
  if (finishReason === 'error') throw fail('unavailable', 'ended with an error')
  if (finishReason === 'tool-calls' || result.toolCalls.length > 0)
    throw fail('tool_call', 'called a tool instead of answering')
  return structured ?? result.text
}

function afterPrefix({ instructions, messages }: Prefix, task: string) {
  return {
    // Some providers refuse an empty text.
    ...(instructions !== '' && { instructions }),
    messages: [...messages, { role: 'user', content: task }] as never,
  }
}

const SUMMARY_FIELDS = {
  summary: { type: 'string', description: 'The summary' },
  events: {
    type: 'array',
    description: 'What happened or will happen on a certain day',
    items: {
      type: 'object',
      properties: {
        on: { type: 'string', description: 'YYYY-MM-DD' },
        text: { type: 'string', description: 'Who said it, and what' },
        seq: { type: 'integer', description: 'The number of the message' },
      },
      required: ['on', 'text', 'seq'],
      additionalProperties: false,
    },
  },
  details: {
    type: 'array',
    description: 'Exact names, numbers, dates, links and ids that the summary leaves out',
    items: { type: 'string' },
  },
} as const

const EXTRACTS_FIELD = {
  extracts: {
    type: 'array',
    description: 'What belongs into the memory of the chat for good',
    items: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'One sentence that can be read alone' },
        seq: { type: 'integer', description: 'The number of the message' },
      },
      required: ['text', 'seq'],
      additionalProperties: false,
    },
  },
} as const

/** The memo is text: a schema that is held to strictly has no objects of any shape. */
const MEMO_FIELD = {
  memo: { type: 'string', description: 'The whole memo, a JSON object, as JSON text' },
} as const

/** An empty day means no day: not every provider knows fields of two types. */
function factsField(layer: FactRequest['layer']) {
  return {
    facts: {
      type: 'array',
      description: 'What the memory should take from the messages',
      items: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'One sentence that can be read alone' },
          section: { type: 'string', enum: FACT_SECTIONS[layer] },
          seq: { type: 'integer', description: 'The number of the message that says it' },
          on: { type: 'string', description: 'The day that it speaks of, YYYY-MM-DD, or empty' },
          replaces: {
            type: 'array',
            description: 'Numbers of lines of the memory that no longer hold',
            items: { type: 'integer' },
          },
        },
        required: ['text', 'section', 'seq', 'on', 'replaces'],
        additionalProperties: false,
      },
    },
  }
}

/** Every field is required and no other is allowed, as strict providers demand. */
function schemaFor(asks: ModelCall['asks'], withExtracts: boolean) {
  const properties = propertiesFor(asks, withExtracts)
  const required = Object.keys(properties)
  return { type: 'object', properties, required, additionalProperties: false } as never
}

function propertiesFor(asks: ModelCall['asks'], withExtracts: boolean) {
  if (asks === 'user facts' || asks === 'scope facts')
    return factsField(asks === 'user facts' ? 'user' : 'scope')
  return {
    ...(asks !== 'memo' && SUMMARY_FIELDS),
    ...(withExtracts && EXTRACTS_FIELD),
    ...(asks !== 'summary' && MEMO_FIELD),
  }
}
