import type { Usage } from '../summarizer.ts'
import type { CallUsage } from './call-model.ts'
import { type LanguageModelLike, modelName } from './language-model.ts'

/** Prices per million tokens, in any currency. */
export interface ModelPrices {
  readonly input: number
  /** Left out: the same as `input`. */
  readonly cachedInput?: number
  readonly output: number
}

/**
 * Adds up what the calls for one request took. Calls without a usable answer count too: they cost the same.
 */
export class Tally {
  readonly #prices: ModelPrices | null
  readonly #priced: LanguageModelLike
  #model: LanguageModelLike
  #calls = 0
  #inputTokens = 0
  #cachedInputTokens = 0
  #outputTokens = 0
  #cost: number | null

  /** The prices are the first model's: the cost of another model is not known. */
  constructor(model: LanguageModelLike, prices: ModelPrices | null) {
    this.#priced = model
    this.#model = model
    this.#prices = prices
    this.#cost = prices === null ? null : 0
  }

  add(model: LanguageModelLike, { inputTokens, cachedInputTokens, outputTokens }: CallUsage): void {
    this.#calls += 1
    this.#model = model
    this.#inputTokens += inputTokens
    this.#cachedInputTokens += cachedInputTokens
    this.#outputTokens += outputTokens
    if (this.#prices === null || this.#cost === null) return
    const { input, cachedInput = input, output } = this.#prices
    const read = (inputTokens - cachedInputTokens) * input + cachedInputTokens * cachedInput
    this.#cost = model === this.#priced ? this.#cost + (read + outputTokens * output) / 1_000_000 : null
  }

  /** `model` is the model that answered last. */
  total(): Usage {
    return {
      model: modelName(this.#model),
      calls: this.#calls,
      inputTokens: this.#inputTokens,
      cachedInputTokens: this.#cachedInputTokens,
      outputTokens: this.#outputTokens,
      cost: this.#cost,
    }
  }
}
