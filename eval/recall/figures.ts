import type { MeasuredQuestion } from './measured-questions.ts'

/** How much of its evidence the first results of one search hold, from 0 to 1. */
export interface Outcome {
  readonly category: number
  readonly at5: number
  readonly at10: number
  readonly at20: number
  readonly at50: number
  /** 1 if all of it is among the first ten. */
  readonly allAt10: number
}

/** Means over questions, in percent. */
export interface Figures {
  readonly questions: number
  readonly at5: number
  readonly at10: number
  readonly at20: number
  readonly at50: number
  readonly allAt10: number
}

/** How many results a search has to give to be measured. */
export const MAX_RESULTS = 50

export function outcomeOf({ category, evidence }: MeasuredQuestion, results: readonly number[]): Outcome {
  const share = (count: number) => {
    const first = new Set(results.slice(0, count))
    return evidence.filter(seq => first.has(seq)).length / evidence.length
  }
  const at10 = share(10)
  return {
    category,
    at5: share(5),
    at10,
    at20: share(20),
    at50: share(MAX_RESULTS),
    allAt10: at10 === 1 ? 1 : 0,
  }
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const mean = (field: Exclude<keyof Outcome, 'category'>) =>
    (100 * outcomes.reduce((sum, outcome) => sum + outcome[field], 0)) / Math.max(1, outcomes.length)
  return {
    questions: outcomes.length,
    at5: mean('at5'),
    at10: mean('at10'),
    at20: mean('at20'),
    at50: mean('at50'),
    allAt10: mean('allAt10'),
  }
}
