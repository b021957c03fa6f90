import type { Summarizer, Usage } from '../summarizer/index.ts'
import type { FoldOutcome } from './outcome.ts'
import { describeLimit, type SpendGuardReport } from './spend-guard.ts'
import { addUsage, metered } from './usage.ts'

/** Collects the usage and the warnings of a fold, whether it succeeds or fails. */
export class Tally {
  #usage: Usage | null = null
  readonly #warnings: string[] = []
  #spendGuard: SpendGuardReport | null = null
  readonly note = (usage: Usage): void => {
    this.#usage = addUsage(this.#usage, usage)
  }
  readonly warn = (warning: string): void => {
    if (!this.#warnings.includes(warning)) this.#warnings.push(warning)
  }
  readonly noteLimit = (reached: SpendGuardReport): void => {
    this.#spendGuard = reached
    this.warn(`spend_guard: ${describeLimit(reached)}`)
  }
  readonly metered = (summarizer: Summarizer): Summarizer => metered(summarizer, this.note)
  get figures(): Pick<FoldOutcome, 'usage' | 'warnings' | 'spendGuard'> {
    const spendGuard = this.#spendGuard
    return { usage: this.#usage, warnings: [...this.#warnings], ...(spendGuard && { spendGuard }) }
  }
}
