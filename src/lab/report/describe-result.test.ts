import { expect, test } from 'vitest'
import { exampleComparison } from '../../../test/browser/example-comparison.ts'
import type { Comparison, Run } from '../comparison.ts'
import { describeResult } from './describe-result.ts'

const example = exampleComparison('none')

function withRuns(costs: readonly (readonly [string, Run['kind'], number])[]): Comparison {
  const runs = costs.map(([name, kind, total]) => ({
    ...example.runs[0]!,
    name,
    kind,
    cost: { ...example.runs[0]!.cost, total },
  }))
  return { ...example, runs }
}

test.each<[string, Comparison, string, string[]]>([
  [
    'the cheapest and the next',
    withRuns([
      ['window', 'policy', 2],
      ['rounds', 'policy', 1.23],
      ['no memory', 'baseline', 15.4],
    ]),
    '`rounds` would have been cheapest: $1.23, 92% less than sending everything.',
    ['Next comes `window` with $2.00 (+63%).'],
  ],
  ['one policy', withRuns([['rounds', 'policy', 1.23]]), '`rounds` would have cost $1.23.', []],
  [
    'a baseline that is cheaper but forgets',
    withRuns([
      ['rounds', 'policy', 2],
      ['last 40 messages', 'baseline', 1],
    ]),
    '`rounds` would have cost $2.00, 2 times as much as `last 40 messages`.',
    ['The baseline `last 40 messages` costs less still, $1.00, but knows nothing of what it dropped.'],
  ],
  [
    'a conversation that is too short for a memory',
    withRuns([
      ['rounds', 'policy', 1.1],
      ['no memory', 'baseline', 1],
    ]),
    '`rounds` would have cost $1.10, 10% more than sending everything.',
    [
      'Without a memory it would have been $1.00: a conversation of this size does not need one for its costs.',
    ],
  ],
  [
    'equals',
    withRuns([
      ['a', 'policy', 1],
      ['b', 'policy', 1],
    ]),
    'Each policy would have cost $1.00.',
    [],
  ],
  [
    'two of three are equal',
    withRuns([
      ['a', 'policy', 1],
      ['b', 'policy', 1],
      ['c', 'policy', 2],
    ]),
    '`a` would have been cheapest: $1.00.',
    ['`b` costs the same.'],
  ],
  [
    'no prices',
    withRuns([['a', 'policy', 0]]),
    'At these prices nothing costs anything. `a` sends the least: 6.45k tokens a request.',
    [],
  ],
  [
    'baselines only',
    withRuns([['no memory', 'baseline', 3]]),
    'No policy was replayed. The cheapest baseline is `no memory`: $3.00.',
    [],
  ],
  ['no runs', withRuns([]), 'Nothing was replayed.', []],
  [
    'no messages',
    { ...example, transcripts: [] },
    'There are no messages: nothing would have cost anything.',
    [],
  ],
])('%s', (_, comparison, headline, details) => {
  expect(describeResult(comparison)).toEqual({ headline, details })
})

test('a sweep that found something cheaper is named', () => {
  const { headline, details } = describeResult(exampleComparison('one'))
  expect(headline).toMatch(/^`rounds fullContextTurns=6` would have been cheapest: /)
  expect(details[1]).toMatch(
    /^Of the values that were tried, `rounds fullContextTurns=5` comes lower still: /,
  )
})
