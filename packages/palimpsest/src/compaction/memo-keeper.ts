import type { Memo, Person } from '../log/index.ts'
import type { MemoRequest, SourceMessage, Summarizer } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/** The instructions for the summariser about the memo, and the form of its answer. */
export interface MemoRules {
  readonly instructions: readonly string[]
  /**
   * A Standard Schema (zod and others) checks the answers. A plain JSON schema is only shown to the model.
   */
  readonly schema?: unknown
}

export const MEMO_INSTRUCTIONS: readonly string[] = [
  'Update the memo from the new messages.',
  'Keep stable preferences, constraints and facts.',
  'Add or change keys as needed.',
  'Return the whole memo.',
]

/**
 * Folding itself writes this key into each stored memo. The summariser never sees it and cannot change it.
 */
export const LAST_RESIZE = 'last_resize'

/** Used for a summariser that does not state its `sourceTokens`. */
const DEFAULT_SOURCE_TOKENS = 32_000
/** A memo may always take this many tokens, unless that would leave no room for messages. */
const MIN_LIMIT = 200

/** `given`: the most tokens of a memo in a call. `stored`: the most tokens of a new memo. This is less. */
function memoLimits({ sourceTokens = DEFAULT_SOURCE_TOKENS }: Pick<Summarizer, 'sourceTokens'>) {
  const given = Math.floor(sourceTokens / 2)
  return { given, stored: Math.min(given, Math.max(MIN_LIMIT, Math.floor(sourceTokens / 8))) }
}

export interface MemoKeeperOptions {
  readonly memo: Memo
  readonly rules: MemoRules
  readonly summarizer: Summarizer
  readonly zone: string
  readonly earlier: string | null
  readonly people: readonly Person[]
  readonly signal: AbortSignal
  readonly warn: (warning: string) => void
}

/**
 * The memo while a fold works on it. Its cursor moves only over messages that the memo was given, in order.
 * The memo is *current* while it has seen every message before the next chunk. A later fold makes up for the
 * messages that it missed.
 */
export class MemoKeeper {
  readonly #options: MemoKeeperOptions
  #value: Memo['value']
  #throughSeq: number
  #isCurrent = true

  constructor(options: MemoKeeperOptions) {
    this.#options = options
    const { [LAST_RESIZE]: _, ...value } = options.memo.value
    this.#value = value
    this.#throughSeq = options.memo.throughSeq
  }

  get memo(): Memo {
    return { value: this.#value, throughSeq: this.#throughSeq }
  }

  /** Whether the summariser can update a memo in a call of its own. */
  get canUpdate(): boolean {
    return this.#options.summarizer.updateMemo !== undefined
  }

  /** Whether the memo and new messages fit into one call. A memo that is too large is left as it is. */
  checkSize(): boolean {
    const { summarizer, warn } = this.#options
    const tokens = tokensIn(this.#value)
    const { given } = memoLimits(summarizer)
    if (tokens <= given) return true
    warn(`memo_invalid: too large: ${tokens} tokens, where the summariser takes ${given}; it was left out`)
    return false
  }

  /** Some messages lie between the memo's cursor and the next chunk. */
  fallBehind(): void {
    this.#isCurrent = false
  }

  /**
   * The memo request for a call over messages through `lastSeq`. `undefined`: the memo has seen these
   * messages, or it is not current.
   */
  requestFor(lastSeq: number): MemoRequest | undefined {
    if (!this.#isCurrent || lastSeq <= this.#throughSeq) return undefined
    if (this.checkSize()) return this.#request()
    this.#isCurrent = false
    return undefined
  }

  #request(): MemoRequest {
    const { instructions, schema } = this.#options.rules
    return { value: this.#value, instructions, ...(schema !== undefined && { schema }) }
  }

  /**
   * Takes the summariser's answer. An invalid memo is refused, and a later fold asks again. If the summariser
   * keeps no memo, an empty answer leaves the memo as it was.
   */
  async accept(answer: unknown, throughSeq: number): Promise<void> {
    const isNone = answer === undefined || answer === null
    if (!isNone || this.canUpdate) {
      const { rules, summarizer } = this.#options
      const checked = await checkMemo(answer, rules.schema, memoLimits(summarizer).stored)
      if ('problem' in checked) {
        this.#options.warn(`${checked.problem}; the memo stays as it was`)
        this.#isCurrent = false
        return
      }
      this.#value = checked.value
    }
    this.#throughSeq = throughSeq
  }

  /** Moves the cursor without an update. For a summariser that keeps no memo. */
  passOver(throughSeq: number): void {
    this.#throughSeq = Math.max(this.#throughSeq, throughSeq)
  }

  /** Passes over messages that got no memo in many tries. */
  giveUp(throughSeq: number): void {
    this.passOver(throughSeq)
    this.#isCurrent = false
    this.#options.warn(`memo_invalid: no memo for the messages through ${throughSeq}; they were passed over`)
  }

  /** Makes a separate call over the messages right above the cursor. Rejects as the summariser does. */
  async update(messages: readonly SourceMessage[]): Promise<void> {
    const { summarizer, zone, signal, earlier, people } = this.#options
    const last = messages.at(-1)
    if (last === undefined || summarizer.updateMemo === undefined) return
    const { memo } = await summarizer.updateMemo({
      messages,
      earlier,
      people,
      zone,
      signal,
      memo: this.#request(),
    })
    await this.accept(memo, last.seq)
  }
}

type Checked = { readonly value: Memo['value'] } | { readonly problem: string }

async function checkMemo(answer: unknown, schema: unknown, most: number): Promise<Checked> {
  const value = plainObject(answer)
  if (value === null) return { problem: 'memo_invalid: the answer is no JSON object' }
  const { [LAST_RESIZE]: _, ...own } = value
  const fitting = await fitToSchema(own, schema)
  if ('problem' in fitting) return fitting
  const tokens = tokensIn(fitting.value)
  return tokens > most ? { problem: `memo_invalid: too large: ${tokens} tokens of at most ${most}` } : fitting
}

async function fitToSchema(value: Memo['value'], schema: unknown): Promise<Checked> {
  const validate = standardValidate(schema)
  if (validate === null) return { value }
  const mismatch = { problem: 'memo_invalid: the answer does not fit the schema' }
  try {
    const result = (await validate(value)) as { issues?: unknown; value?: unknown }
    if (result.issues) return mismatch
    const parsed = plainObject(result.value)
    return parsed === null ? mismatch : { value: parsed }
  } catch {
    return { problem: 'memo_failed: the schema could not check the answer' }
  }
}

function tokensIn(value: Memo['value']): number {
  return estimateTokens(JSON.stringify(value))
}

/** The value as the store would return it. `null`: it is no object, or JSON cannot hold it. */
function plainObject(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return null
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return null
  }
}

function standardValidate(schema: unknown): ((value: unknown) => unknown) | null {
  const isHolder = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  if (!isHolder) return null
  const standard = (schema as { '~standard'?: { validate?: unknown } })['~standard']
  if (typeof standard?.validate !== 'function') return null
  return value => (standard.validate as (value: unknown) => unknown)(value)
}
