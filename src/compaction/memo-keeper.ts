import type { Memo } from '../log/index.ts'
import type { MemoRequest, SourceMessage, Summarizer } from '../summarizer/index.ts'

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

export interface MemoKeeperOptions {
  readonly memo: Memo
  readonly rules: MemoRules
  readonly summarizer: Summarizer
  readonly zone: string
  readonly earlier: string | null
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

  /** Something lies between its cursor and what comes next. */
  fallBehind(): void {
    this.#isCurrent = false
  }

  /** What to ask for in a call over messages through `lastSeq`; nothing where it has seen them, or lies behind. */
  requestFor(lastSeq: number): MemoRequest | undefined {
    return this.#isCurrent && lastSeq > this.#throughSeq ? this.#request() : undefined
  }

  #request(): MemoRequest {
    const { instructions, schema } = this.#options.rules
    return { value: this.#value, instructions, ...(schema !== undefined && { schema }) }
  }

  /** The answer to a request; none means that all stays as it was. What is no memo is not taken, and asked for again. */
  async accept(answer: unknown, throughSeq: number): Promise<void> {
    if (answer !== undefined && answer !== null) {
      const checked = await checkMemo(answer, this.#options.rules.schema)
      if ('problem' in checked) {
        this.#options.warn(checked.problem)
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

  /** A call of its own, over the messages right above its cursor. Rejects as the summariser does. */
  async update(messages: readonly SourceMessage[]): Promise<void> {
    const { summarizer, zone, signal, earlier } = this.#options
    const last = messages.at(-1)
    if (last === undefined || summarizer.updateMemo === undefined) return
    const { memo } = await summarizer.updateMemo({ messages, earlier, zone, signal, memo: this.#request() })
    await this.accept(memo ?? 'none', last.seq)
  }
}

type Checked = { readonly value: Memo['value'] } | { readonly problem: string }

async function checkMemo(answer: unknown, schema: unknown): Promise<Checked> {
  const value = plainObject(answer)
  if (value === null)
    return { problem: 'memo_invalid: the answer is no JSON object; the memo stays as it was' }
  const { [LAST_RESIZE]: _, ...own } = value
  const validate = standardValidate(schema)
  if (validate === null) return { value: own }
  const mismatch = { problem: 'memo_invalid: the answer does not fit the schema; the memo stays as it was' }
  try {
    const result = (await validate(own)) as { issues?: unknown; value?: unknown }
    if (result.issues) return mismatch
    const parsed = plainObject(result.value)
    return parsed === null ? mismatch : { value: parsed }
  } catch {
    return mismatch
  }
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
