import { expect, test } from 'vitest'
import { exampleComparison } from '../../../../test/browser/example-comparison.ts'
import type { Comparison, Run } from '../comparison.ts'
import { describeResult } from './describe-result.ts'

const example = exampleComparison('none')

function withRuns(costs: readonly (readonly [string, Run['kind'], number])[], requests = 19): Comparison {
  const [run] = example.runs
  const { reply, ...others } = run!.cost.calls
  const calls = { ...others, reply: { ...reply, calls: requests } }
  const runs = costs.map(([name, kind, total]) => ({ ...run!, name, kind, cost: { total, calls } }))
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
    'equal, as far as anyone can read it',
    withRuns([
      ['a', 'policy', 1.0004],
      ['b', 'policy', 1],
      ['c', 'policy', 1.0003],
      ['d', 'policy', 1.0008],
      ['no memory', 'baseline', 0.9997],
      ['last 40 messages', 'baseline', 0.9996],
    ]),
    '`b` would have been cheapest: $1.00, as much as sending everything.',
    ['`c` and `a` cost the same.', '`d` would have cost more than sending everything.'],
  ],
  [
    'all equal, as far as anyone can read it',
    withRuns([
      ['a', 'policy', 1.0004],
      ['b', 'policy', 1],
    ]),
    'Each policy would have cost $1.00.',
    [],
  ],
  [
    'hardly different',
    withRuns([
      ['a', 'policy', 1.0007],
      ['b', 'policy', 1],
      ['no memory', 'baseline', 1.0006],
    ]),
    '`b` would have been cheapest: $1.00, 0.1% less than sending everything.',
    ['Next comes `a` with $1.00 (+0.1%).'],
  ],
  [
    'some cost more than sending everything',
    withRuns([
      ['count', 'policy', 3],
      ['tokens', 'policy', 1],
      ['window', 'policy', 2],
      ['no memory', 'baseline', 1.5],
    ]),
    '`tokens` would have been cheapest: $1.00, 33% less than sending everything.',
    [
      'Next comes `window` with $2.00 (+100%).',
      '`window` and `count` would have cost more than sending everything.',
    ],
  ],
  [
    'many cost more than sending everything',
    withRuns([
      ['tokens', 'policy', 1],
      ...[2, 3, 4, 5, 6, 7].map(cost => [`count keepLast=${cost}`, 'policy', cost] as const),
      ['no memory', 'baseline', 1.5],
    ]),
    '`tokens` would have been cheapest: $1.00, 33% less than sending everything.',
    [
      'Next comes `count keepLast=2` with $2.00 (+100%).',
      '6 of the 7 policies would have cost more than sending everything.',
    ],
  ],
  [
    'both baselines are cheaper, the forgetful one most',
    withRuns([
      ['rounds', 'policy', 2],
      ['no memory', 'baseline', 1.6],
      ['last 40 messages', 'baseline', 1],
    ]),
    '`rounds` would have cost $2.00, 25% more than sending everything.',
    [
      'Without a memory it would have been $1.60: a conversation of this size does not need one for its costs.',
      'The baseline `last 40 messages` costs less still, $1.00, but knows nothing of what it dropped.',
    ],
  ],
  [
    'both baselines are cheaper, the forgetful one less so',
    withRuns([
      ['rounds', 'policy', 2],
      ['no memory', 'baseline', 1],
      ['last 40 messages', 'baseline', 1.6],
    ]),
    '`rounds` would have cost $2.00, 2 times as much as sending everything.',
    [
      'Without a memory it would have been $1.00: a conversation of this size does not need one for its costs.',
      'The baseline `last 40 messages` costs less too, $1.60, but knows nothing of what it dropped.',
    ],
  ],
  [
    'enough requests for an average',
    withRuns([['rounds', 'policy', 1.23]], 20),
    '`rounds` would have cost $1.23.',
    ['That is $61.50 for 1,000 replies.'],
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
  expect(details[2]).toMatch(
    /^Of the values that were tried, `rounds fullContextTurns=5` comes lower still: /,
  )
})
