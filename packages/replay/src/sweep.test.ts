import { custom, rounds, tokens } from 'palimpsest/internals/policy/index'
import { describe, expect, it } from 'vitest'
import type { Run } from './comparison.ts'
import type { Candidate } from './replay/replay.ts'
import { readSweep, sweepOf, sweptCandidates } from './sweep.ts'

const ROUNDS: Candidate = { name: 'rounds', policy: rounds(), settings: {} }

describe('readSweep', () => {
  it.each([
    ['fullContextTurns=2..6', [2, 3, 4, 5, 6]],
    ['fullContextTurns=2..3', [2, 3]],
    ['fullContextTurns=4..4', [4]],
    ['fullContextTurns=2..12:4', [2, 6, 10]],
    ['lowWater=0.1..0.5', [0.1, 0.2, 0.3, 0.4, 0.5]],
    ['lowWater=0.1..0.9:0.2', [0.1, 0.3, 0.5, 0.7, 0.9]],
    ['idleSec=0,300,3600', [0, 300, 3_600]],
    [' idleSec = 300, 300 ,60 ', [300, 60]],
  ])('reads %s', (text, values) => {
    expect(readSweep(text)).toEqual({ name: text.split('=')[0]!.trim(), values })
  })

  it.each([
    'fullContextTurns',
    '=2..6',
    'fullContextTurns=',
    'fullContextTurns=two..six',
    'fullContextTurns=2..6:0',
    'fullContextTurns=1.2.3..4',
    'fullContextTurns=1,,2',
  ])('refuses %s, and says what it takes', text => {
    expect(() => readSweep(text)).toThrow(/name=FROM\.\.TO/)
  })

  it('says how a range would do that is the wrong way round, or too long', () => {
    expect(() => readSweep('fullContextTurns=6..2')).toThrow(/fullContextTurns=2\.\.6/)
    expect(() => readSweep('budget=1..1000')).toThrow(/200.*budget=1\.\.1000:50/)
  })
})

describe('sweptCandidates', () => {
  it('combines the values of two settings, on top of what is set', () => {
    const given = { ...ROUNDS, settings: { boundary: 'turn' } }
    const swept = sweptCandidates(given, [
      readSweep('fullContextTurns=2,4'),
      readSweep('cachedContextTurns=1..2'),
    ])
    expect(swept.map(({ values }) => Object.values(values))).toEqual([
      [2, 1],
      [2, 2],
      [4, 1],
      [4, 2],
    ])
    const { candidate } = swept[1]!
    expect(candidate.name).toBe('rounds fullContextTurns=2 cachedContextTurns=2')
    expect(candidate.settings).toEqual({ boundary: 'turn', fullContextTurns: 2, cachedContextTurns: 2 })
    expect(JSON.stringify(candidate.policy)).toBe(
      JSON.stringify(rounds({ boundary: 'turn', fullContextTurns: 2, cachedContextTurns: 2 })),
    )
  })

  it.each([
    ['a setting that there is not', ['idleSec=1..3'], /fullContextTurns/],
    ['three settings', ['fullContextTurns=2', 'cachedContextTurns=2', 'lowWater=0.5'], /one or two/],
    ['one twice', ['fullContextTurns=2', 'fullContextTurns=3'], /one or two/],
    ['too many', ['fullContextTurns=1..20', 'cachedContextTurns=1..11'], /220 combinations.*200/],
    ['a value that is not allowed', ['fullContextTurns=0..2'], /fullContextTurns/],
  ])('refuses %s', (_, sweep, message) => {
    expect(() => sweptCandidates(ROUNDS, sweep.map(readSweep))).toThrow(message)
  })

  it('refuses a policy that is no preset', () => {
    const own: Candidate = { name: 'own', policy: custom(() => null), settings: {} }
    expect(() => sweptCandidates(own, [readSweep('budget=1..3')])).toThrow(/a preset/)
  })
})

describe('sweepOf', () => {
  const costing = (total: number): Run =>
    ({ cost: { total }, tokens: { meanContext: 1, peakContext: 2 }, folds: [] }) as unknown as Run

  it('finds the best, the first among equals, and all that are as good', () => {
    const candidate: Candidate = { name: 'tokens', policy: tokens(), settings: {} }
    const swept = sweptCandidates(candidate, [readSweep('budget=1000,2000,3000,4000,5000')])
    const sweep = sweepOf('tokens', swept, [2, 1.05, 1, 1.0501, 1].map(costing))
    expect(sweep.settings).toEqual(['budget'])
    expect(sweep.points.map(({ money }) => money)).toEqual([2, 1.05, 1, 1.0501, 1])
    expect(sweep.best).toBe(sweep.points[2])
    expect(sweep.flat.points.map(({ values }) => values['budget'])).toEqual([2_000, 3_000, 5_000])
  })
})
