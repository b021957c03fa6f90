import type { Memo, Person } from '../log/index.ts'
import type { MemoRequest, SourceMessage, Summarizer } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/** How the memo is kept: what the summariser is told, and what its answer has to look like. */
export interface MemoRules {
  readonly instructions: readonly string[]
  /** A Standard Schema (zod and others), by which answers are checked, or a JSON schema, which only the model sees. */
  readonly schema?: unknown
}

export const MEMO_INSTRUCTIONS: readonly string[] = [
  'Update the memo from the new messages.',
  'Keep stable preferences, constraints and facts.',
  'Add or change keys as needed.',
  'Return the whole memo.',
]

/** Written by folding itself, into every memo that is stored. No summariser sees it or can change it. */
export const LAST_RESIZE = 'last_resize'

/** Where a summariser does not say what it takes in. */
const DEFAULT_SOURCE_TOKENS = 32_000
/** A memo may always be as large as this, as long as it leaves room for a conversation. */
const MIN_LIMIT = 200

/** What a memo may take: as the summariser is given it, and as it is stored, which is less. */
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
 * The memo while a fold works on it. Its cursor only ever moves over messages that it was given, one after
 * the other: it is *current* as long as it has seen all that lies before the next chunk, and what it was not
 * given in time is made up for at a later fold.
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

  /** The summariser can bring a memo up to date by itself. */
  get canUpdate(): boolean {
    return this.#options.summarizer.updateMemo !== undefined
  }

  /** It fits into a call with what it is to be brought up to date from; one that does not is left as it is. */
  checkSize(): boolean {
    const { summarizer, warn } = this.#options
    const tokens = tokensIn(this.#value)
    const { given } = memoLimits(summarizer)
    if (tokens <= given) return true
    warn(`memo_invalid: too large: ${tokens} tokens, where the summariser takes ${given}; it was left out`)
    return false
  }

  /** Something lies between its cursor and what comes next. */
  fallBehind(): void {
    this.#isCurrent = false
  }

  /** What to ask for in a call over messages through `lastSeq`; nothing where it has seen them, or lies behind. */
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
   * The answer to a request. What is no memo is not taken, and asked for again; of a summariser that keeps
   * none, none means that all stays as it was.
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

  /** Without a look at them: for a summariser that keeps no memo. */
  passOver(throughSeq: number): void {
    this.#throughSeq = Math.max(this.#throughSeq, throughSeq)
  }

  /** What got no memo, however often it was asked for. */
  giveUp(throughSeq: number): void {
    this.passOver(throughSeq)
    this.#isCurrent = false
    this.#options.warn(`memo_invalid: no memo for the messages through ${throughSeq}; they were passed over`)
  }

  /** A call of its own, over the messages right above its cursor. Rejects as the summariser does. */
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

/** As it would come back from the store; `null`: it is no object, or JSON cannot hold it. */
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
