import { expect } from 'vitest'
import type { ContextOverflowError } from '../../packages/palimpsest/src/index.ts'

/** The numbers of an overflow are those that were compared. */
export function expectToAddUp({ details, message }: ContextOverflowError, budget: number): void {
  const { neededTokens, fixedTokens, conversationTokens, parts } = details
  expect(details.budget).toBe(budget)
  expect(Object.values(parts).reduce((sum, tokens) => sum + tokens, 0)).toBe(neededTokens)
  expect(fixedTokens + conversationTokens).toBe(neededTokens)
  expect(neededTokens).toBeGreaterThan(budget)
  // A person reads the same.
  const [, ...told] = [...message.split('Raise')[0]!.matchAll(/\d+/g)].map(Number)
  expect(told).toEqual([neededTokens, ...Object.values(parts)])
}
