import type { Question } from './conversation.ts'

/** LoCoMo's: made to be unanswerable, so that there is nothing to find. */
export const ADVERSARIAL = 5
/** Of questions that name no category. */
export const NO_CATEGORY = 0

/** From 11 on those of the group chats in `groups/`. */
const NAMES: Readonly<Record<number, string>> = {
  [NO_CATEGORY]: 'no category',
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  4: 'single-hop',
  11: 'decision',
  12: 'who',
  13: 'number',
  14: 'when or where',
  15: 'correction',
  16: 'negation',
  17: 'answer',
  18: 'need',
}

export function categoryName(category: number): string {
  return NAMES[category] ?? `category ${category}`
}

/** Those that occur, in order. */
export function categoriesOf(questions: readonly Pick<Question, 'category'>[]): number[] {
  return [...new Set(questions.map(({ category }) => category))].sort((left, right) => left - right)
}
