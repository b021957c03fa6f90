import type { FoldOutcome } from 'palimpsest/internals/compaction/index'
import { expect, test } from 'vitest'
import { FoldFailures } from './fold-failures.ts'

const OUTCOME: FoldOutcome = {
  ...{ outcome: 'failed', type: 'lite', reason: 'timeout', fromSeq: 1, toSeq: 2, segmentId: null },
  ...{ tokensBefore: 9, tokensAfter: 0, durationMs: 1, usage: null, warnings: [] },
}
const USAGE = { calls: 1, inputTokens: 9, cachedInputTokens: 0, outputTokens: 1 }

test('each kind of failure is told once for a session, until the model has folded it again', () => {
  const told: string[] = []
  const failures = new FoldFailures(text => told.push(text))
  const note = (sessionId: string, outcome: Partial<FoldOutcome>) =>
    failures.note({ ...OUTCOME, ...outcome }, { sessionId })
  for (let round = 0; round < 3; round++) {
    note('a', {})
    note('a', { reason: 'model_not_found' })
    note('b', {})
    // Folded without the model, in the back-off of the failure.
    note('a', { outcome: 'applied', reason: 'hard_limit' })
    note('a', { outcome: 'skipped', reason: 'already_folding' })
  }
  expect(told.map(line => /^session "(\w)": a fold failed: (\w+), /.exec(line)?.slice(1))).toEqual([
    ['a', 'timeout'],
    ['a', 'model_not_found'],
    ['b', 'timeout'],
  ])
  note('a', { outcome: 'applied', reason: 'count', usage: USAGE as FoldOutcome['usage'] })
  note('a', {})
  expect(told).toHaveLength(4)
})
