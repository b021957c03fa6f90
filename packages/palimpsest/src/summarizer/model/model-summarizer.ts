import { checkPositive, InvalidArgumentError } from '../../errors.ts'
import { checkOptions, optionsOf } from '../../known-options.ts'
import type { Summarizer } from '../summarizer.ts'
import { isLanguageModel, type LanguageModelLike, modelName } from './language-model.ts'
import { readPrompts } from './prompts.ts'
import type { ModelPrices } from './tally.ts'
import { MIN_WINDOW_TOKENS, sourceTokens } from './window.ts'

export interface ModelSummarizerOptions {
  /** Asked where the first model fails, and then for the rest of that request. */
  readonly fallback?: LanguageModelLike
  /** The hard limit for each call, in milliseconds. The default: 60,000. */
  readonly timeoutMs?: number
  /**
   * The window of the summariser's model, in tokens. Longer sources are worked through in pieces. The
   * default: 32,000.
   */
  readonly windowTokens?: number
  /** Prices of the first model. With them, the usage has a cost. */
  readonly prices?: ModelPrices
  /**
   * Sends what the session's own model was last sent, and the task behind it. Where the provider caches
   * prefixes by itself and the model is the same one, the conversation is read at the cached price. The
   * instructions are then the bot's own, so a hostile conversation may have an easier time with them. The
   * default: false.
   */
  readonly reusePrefix?: boolean
  /** How often a call is repeated after 429, 5xx or a broken connection. The default: 1. */
  readonly maxRetries?: number
}

/** The options, with the defaults filled in. */
export interface ModelSummarizerSettings {
  readonly model: LanguageModelLike
  readonly fallback: LanguageModelLike | null
  readonly timeoutMs: number
  readonly windowTokens: number
  readonly reusePrefix: boolean
  readonly prices: ModelPrices | null
  readonly maxRetries: number
}

/**
 * Summaries by a language model of any provider of the AI SDK. Needs the package `ai`, which is loaded with
 * the first call.
 *
 * @example modelSummarizer(anthropic('claude-haiku-4-5'), { prices: { input: 1, output: 5 } })
 */
export function modelSummarizer(
  model: LanguageModelLike,
  options: ModelSummarizerOptions = {},
): Required<Summarizer> {
  const settings = checked(model, options)
  return {
    name: modelName(model),
    reusesPrefix: settings.reusePrefix,
    asksBeforeCalls: true,
    factsReadAround: 0,
    // From the prompt files, which are read when the version is asked for.
    get version() {
      return readPrompts().version
    },
    get sourceTokens() {
      return sourceTokens(settings.windowTokens, true)
    },
    summarize: async request => {
      request.signal?.throwIfAborted()
      const { summarizePieces } = await import('./summarize-pieces.ts')
      return summarizePieces(settings, request)
    },
    updateMemo: async request => {
      request.signal?.throwIfAborted()
      const { updateMemoInPieces } = await import('./summarize-pieces.ts')
      return updateMemoInPieces(settings, request)
    },
    extractFacts: async request => {
      request.signal?.throwIfAborted()
      const { extractFactsInPieces } = await import('./extract-facts.ts')
      return extractFactsInPieces(settings, request)
    },
  }
}

const MODEL_RULE = "a language model of the AI SDK, such as anthropic('claude-haiku-4-5')"

const OPTIONS = optionsOf<ModelSummarizerOptions>({
  fallback: true,
  timeoutMs: true,
  windowTokens: true,
  prices: true,
  reusePrefix: true,
  maxRetries: true,
})
const PRICES = optionsOf<ModelPrices>({ input: true, cachedInput: true, output: true })

function checked(model: LanguageModelLike, options: ModelSummarizerOptions): ModelSummarizerSettings {
  const { fallback, timeoutMs = 60_000, windowTokens = 32_000, prices, maxRetries = 1 } = options
  if (!isLanguageModel(model)) throw new InvalidArgumentError('model', model, MODEL_RULE)
  if (fallback !== undefined && !isLanguageModel(fallback))
    throw new InvalidArgumentError('fallback', fallback, MODEL_RULE)
  checkOptions('modelSummarizer', options, OPTIONS)
  checkOptions('modelSummarizer: prices', prices, PRICES)
  checkPositive('timeoutMs', timeoutMs)
  if (!Number.isFinite(windowTokens) || windowTokens < MIN_WINDOW_TOKENS)
    throw new InvalidArgumentError('windowTokens', windowTokens, `a number of at least ${MIN_WINDOW_TOKENS}`)
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
    throw new InvalidArgumentError('maxRetries', maxRetries, 'a whole number of at least 0')
  for (const [name, price] of Object.entries(prices ?? {}))
    if (price !== undefined && !(price >= 0))
      throw new InvalidArgumentError(`prices.${name}`, price, 'a number')
  return {
    model,
    fallback: fallback ?? null,
    timeoutMs,
    windowTokens,
    reusePrefix: options.reusePrefix === true,
    prices: prices ?? null,
    maxRetries,
  }
}
