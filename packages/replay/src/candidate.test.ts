import { rounds, tokens } from 'palimpsest/internals/policy/index'
import { describe, expect, it } from 'vitest'
import { candidateOf, settingNames } from './candidate.ts'
import { PRICE_PRESETS } from './prices/presets.ts'
import type { Prices } from './prices/prices.ts'

/** Its cache lives for as long as `idleSec` takes it to. */
const PRICES: Prices = { ...PRICE_PRESETS['claude-haiku-4-5']!, cacheLifetimeSec: 300 }
const ALONE = { shared: {}, isAlone: true, prices: PRICES }

describe('candidateOf', () => {
  it('takes a preset as it is, or with settings of its own', () => {
    expect(candidateOf('rounds', ALONE)).toMatchObject({ name: 'rounds', settings: {} })
    const { name, policy, settings } = candidateOf(' rounds , fullContextTurns=6,boundary = turn', ALONE)
    expect(name).toBe('rounds fullContextTurns=6 boundary=turn')
    expect(settings).toEqual({ fullContextTurns: 6, boundary: 'turn' })
    expect(JSON.stringify(policy)).toBe(JSON.stringify(rounds({ fullContextTurns: 6, boundary: 'turn' })))
  })

  it('takes older names of settings', () => {
    expect(settingNames('resize')).toContain('every_n_turns')
    expect(candidateOf('resize,every_n_turns=3', ALONE).settings).toEqual({ every_n_turns: 3 })
  })

  it('takes what is set for all, but for what it sets itself', () => {
    const options = { ...ALONE, shared: { fullContextTurns: '2', budget: '4000' } }
    expect(candidateOf('rounds,fullContextTurns=6', options).settings).toEqual({
      fullContextTurns: 6,
      budget: 4_000,
    })
  })

  it('leaves out what is set for others, unless it stands alone', () => {
    const shared = { fullContextTurns: '2', budget: '4000' }
    const options = { ...ALONE, shared, isAlone: false }
    expect(candidateOf('count', options).settings).toEqual({ budget: 4_000 })
    expect(() => candidateOf('count', { ...options, isAlone: true })).toThrow(/fullContextTurns/)
  })

  it.each([
    ['round', /rounds/],
    ['', /rounds/],
    ['rounds,6', /name,setting=value/],
    ['rounds,=6', /name,setting=value/],
    ['rounds,fullContextTurns=', /fullContextTurns/],
    ['rounds,fullContextTurns=none', /fullContextTurns/],
    ['rounds,turns=3', /turns/],
  ])('refuses %j', (text, message) => {
    expect(() => candidateOf(text, ALONE)).toThrow(message)
  })

  it("folds on idle when the provider's cache is dead", () => {
    const idle = (prices: Partial<Prices>, text = 'tokens') =>
      candidateOf(text, { ...ALONE, prices: { ...PRICES, ...prices } })
    expect(idle({}).settings).toEqual({})
    expect(idle({ cacheLifetimeSec: 1_800 })).toMatchObject({
      name: 'tokens idleSec=1800',
      settings: { idleSec: 1_800 },
    })
    expect(idle({ cacheLifetimeSec: 1_800 }, 'tokens,idleSec=60').settings).toEqual({ idleSec: 60 })
    expect(idle({ cacheLifetimeSec: 1_800, caching: 'none' }).settings).toEqual({})
    expect(idle({ cacheLifetimeSec: 1_800 }, 'rounds').settings).toEqual({})
    const never = idle({ cacheLifetimeSec: Number.POSITIVE_INFINITY })
    expect(never.settings).toEqual({ idleSec: 'none' })
    expect(JSON.stringify(never.policy)).toBe(JSON.stringify(tokens({ idleSec: null })))
  })
})
