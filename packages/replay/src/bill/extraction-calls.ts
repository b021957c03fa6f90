import type { Assumptions } from '../comparison.ts'
import type { Prices } from '../prices/prices.ts'
import type { Bill } from './bill.ts'
import { PromptCache } from './prompt-cache.ts'

/**
 * Assumed sizes in tokens: of the instructions, of the memory as it stands, and of what the call adds to it.
 */
const INSTRUCTION_TOKENS = 500
const MEMORY_TOKENS = 400
const OUTPUT_TOKENS = 80
/** In turns: 20 turns are 40 messages, the size of a batch in the engine. */
const TURNS_OF_A_BATCH = 20

/**
 * Calls that read turns and extract what is worth remembering about people and projects: after each turn, or
 * after several turns at once.
 */
export class ExtractionCalls {
  readonly #bill: Bill
  readonly #cache: PromptCache
  readonly #turnsEach: number
  #readTurns = 0
  #unreadTokens = 0

  constructor(bill: Bill, prices: Prices, extraction: Assumptions['extraction']) {
    this.#bill = bill
    this.#cache = new PromptCache(prices)
    this.#turnsEach = { none: Infinity, turn: 1, batch: TURNS_OF_A_BATCH }[extraction]
  }

  /** A message of `tokens` tokens has come. With it, `completeTurns` turns are complete. */
  note(completeTurns: number, tokens: number, at: number): void {
    this.#unreadTokens += tokens
    if (completeTurns - this.#readTurns < this.#turnsEach) return
    const request = {
      at,
      tokens: INSTRUCTION_TOKENS + MEMORY_TOKENS + this.#unreadTokens,
      outputTokens: OUTPUT_TOKENS,
      sharedTokens: INSTRUCTION_TOKENS,
      stableTokens: INSTRUCTION_TOKENS,
      marks: [],
    }
    this.#bill.add('extraction', request, this.#cache.charge(request))
    this.#readTurns = completeTurns
    this.#unreadTokens = 0
  }
}
