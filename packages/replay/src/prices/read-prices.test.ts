import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { InvalidArgumentError, InvalidSettingsError, type PalimpsestError } from 'palimpsest/internals/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PRICE_ALIASES, PRICE_PRESETS } from './presets.ts'
import type { Prices } from './prices.ts'
import { readPrices } from './read-prices.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prices-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function file(content: unknown, name = 'own.json'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const failure = (given: string): Promise<PalimpsestError> =>
  readPrices(given).then(
    () => Promise.reject(new Error(`${given} was taken`)),
    error => error,
  )

const haiku = PRICE_PRESETS['claude-haiku-4-5']!

describe('a preset', () => {
  test.each(Object.keys(PRICE_PRESETS))('%s is taken as it is', async name => {
    expect(await readPrices(name)).toEqual(PRICE_PRESETS[name])
  })

  test.each(Object.entries(PRICE_ALIASES))('%s stands for %s', async (alias, name) => {
    expect(await readPrices(` ${alias} `)).toEqual(PRICE_PRESETS[name])
  })

  test('what is no preset: the nearest, all of them, and what else is allowed', async () => {
    const error = await failure('claude-haiku-4.5')
    expect(error).toBeInstanceOf(InvalidArgumentError)
    expect(error.message).toMatch(
      /^--prices: "claude-haiku-4.5" cannot be taken; allowed: claude-haiku-4-5 \(the nearest\);/,
    )
    for (const name of [...Object.keys(PRICE_PRESETS), ...Object.keys(PRICE_ALIASES)])
      expect(error.message).toContain(name)
    expect(error.message).toContain('input=1,cachedInput=0.1,output=5')
    expect(error.message).toContain('.json')
  })

  test.each(['', 'constructor', '__proto__', 'abc', ',input=1,output=5'])('%j is none', async given => {
    expect((await failure(given)).message).not.toContain('nearest')
  })
})

describe('pairs', () => {
  test('what is left out', async () => {
    expect(await readPrices('input=1,cachedInput=0.1,output=5')).toEqual({
      name: 'own',
      currency: '$',
      input: 1,
      cachedInput: 0.1,
      cacheWrite: 1,
      output: 5,
      cacheLifetimeSec: 300,
      caching: 'automatic',
      leastCachedTokens: 0,
      cacheStepTokens: 1,
    } satisfies Prices)
    expect(await readPrices('output=5, input = 2')).toMatchObject({
      input: 2,
      cachedInput: 2,
      cacheWrite: 2,
      caching: 'none',
    })
  })

  test('every field', async () => {
    const given =
      'name=mine,currency=€,input=1,cachedInput=0.2,cacheWrite=1.5,output=4,cacheLifetimeSec=Infinity,' +
      'caching=breakpoints,leastCachedTokens=512,cacheStepTokens=64'
    expect(await readPrices(given)).toEqual({
      name: 'mine',
      currency: '€',
      input: 1,
      cachedInput: 0.2,
      cacheWrite: 1.5,
      output: 4,
      cacheLifetimeSec: Number.POSITIVE_INFINITY,
      caching: 'breakpoints',
      leastCachedTokens: 512,
      cacheStepTokens: 64,
    } satisfies Prices)
  })

  test('after a preset they change only what they name, and its name says so', async () => {
    expect(await readPrices('claude-haiku-4-5,cacheLifetimeSec=3600,cacheWrite=2')).toEqual({
      ...haiku,
      name: 'claude-haiku-4-5 cacheLifetimeSec=3600 cacheWrite=2',
      cacheLifetimeSec: 3600,
      cacheWrite: 2,
    })
    expect(await readPrices('claude-haiku-4-5,name=hour')).toEqual({ ...haiku, name: 'hour' })
  })

  test('where a write costs nothing extra, it follows the input', async () => {
    expect(await readPrices('gpt-5-mini,input=1')).toMatchObject({ cacheWrite: 1, cachedInput: 0.025 })
    expect(await readPrices('claude-haiku-4-5,input=2')).toMatchObject({ cacheWrite: 1.25 })
  })

  test('a preset without a cache gets one with a cached price, and not otherwise', async () => {
    expect(await readPrices('uncached,cachedInput=0.1')).toMatchObject({
      caching: 'automatic',
      cacheWrite: 1,
    })
    expect(await readPrices('uncached,input=2')).toMatchObject({ caching: 'none', cachedInput: 2 })
    expect(await readPrices('gpt-5,caching=none')).toMatchObject({ caching: 'none' })
  })

  test('every problem is named, with what is allowed', async () => {
    const error = await failure('input=-1,output=five,cachdInput=2,cacheStepTokens=0,caching=yes')
    expect(error).toBeInstanceOf(InvalidSettingsError)
    expect(error.message.split('\n')).toEqual([
      '--prices: input: -1 cannot be taken; allowed: a number of at least 0, per million tokens',
      '--prices: output: "five" cannot be taken; allowed: a number of at least 0, per million tokens',
      expect.stringMatching(
        /^--prices: cachdInput is no setting here; allowed: cachedInput \(the nearest\); name, /,
      ),
      '--prices: cacheStepTokens: 0 cannot be taken; allowed: a whole number of at least 1',
      '--prices: caching: "yes" cannot be taken; allowed: automatic, breakpoints, none',
    ])
  })

  test.each([
    ['input=1', 'output: nothing is given'],
    ['input=,output=1', 'input: ""'],
    ['input=NaN,output=1', 'input: "NaN"'],
    ['input=Infinity,output=1', 'input: "Infinity"'],
    ['input=1,output=5=6', 'output: "5=6"'],
    ['input=1,output=5,', '--prices: ""'],
    ['input=1,output=5,=3', '--prices: "=3"'],
    ['gpt-5,gpt-5-mini', '--prices: "gpt-5-mini"'],
    ['input=1,input=2,output=1', 'given twice'],
    ['input=1,output=1,name=', 'name: ""'],
    ['input=1,output=1,cacheLifetimeSec=-1', 'or Infinity'],
    ['input=1,output=1,leastCachedTokens=0.5', 'a whole number of at least 0'],
    ['input=1,output=1,__proto__=2', '__proto__ is no setting here'],
    ['input=1,cachedInput=2,output=1', 'cachedInput: 2 cannot be taken; allowed: at most input, which is 1'],
    ['claude-haiku-4-5,input=0.01', 'cachedInput: 0.1 cannot be taken; allowed: at most input'],
  ])('%s', async (given, message) => {
    expect((await failure(given)).message).toContain(message)
  })
})

describe('a file', () => {
  test('has the same defaults', async () => {
    const path = await file({ input: 1, cachedInput: 0.1, output: 5 })
    expect(await readPrices(path)).toEqual(await readPrices('input=1,cachedInput=0.1,output=5'))
  })

  test('extends a preset or a provider', async () => {
    const path = await file(
      '\uFEFF{ "extends": "claude-haiku-4-5", "cacheLifetimeSec": "Infinity" }',
      'Mine.JSON',
    )
    expect(await readPrices(path)).toEqual({
      ...haiku,
      name: 'claude-haiku-4-5 cacheLifetimeSec=Infinity',
      cacheLifetimeSec: Number.POSITIVE_INFINITY,
    })
  })

  test('any prices come back from it', async () => {
    const price = fc.double({ min: 0, max: 1000, noNaN: true })
    const prices = fc.record({
      name: fc.string({ minLength: 1 }),
      currency: fc.string(),
      input: price,
      cachedInput: fc.constant(0),
      cacheWrite: price,
      output: price,
      cacheLifetimeSec: fc.nat(),
      caching: fc.constantFrom<Prices['caching'][]>('automatic', 'breakpoints', 'none'),
      leastCachedTokens: fc.nat(),
      cacheStepTokens: fc.integer({ min: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(prices, async given => {
        const json = JSON.stringify(given)
        expect(await readPrices(await file(json))).toEqual(JSON.parse(json))
      }),
      { numRuns: 30 },
    )
  })

  test.each([
    ['{ "input": 1, }', 'cannot be taken; allowed: a JSON object as in {"extends"'],
    [[1], '[1] cannot be taken; allowed: a JSON object'],
    [null, 'null cannot be taken; allowed: a JSON object'],
    [{ extends: 'gpt-5-mni' }, 'extends: "gpt-5-mni" cannot be taken; allowed: gpt-5-mini (the nearest)'],
    [{ extends: 5 }, 'extends: 5 cannot be taken; allowed: the presets claude-haiku-4-5'],
    [{ input: '1', output: null }, 'input: "1" cannot be taken; allowed: a number of at least 0'],
    [{ input: '1', output: null }, 'output: null cannot be taken'],
    ['{ "input": 1, "output": 1, "__proto__": {} }', '__proto__ is no setting here'],
  ])('%j', async (content, message) => {
    const path = await file(content)
    const error = await failure(path)
    expect(error.message).toContain(path)
    expect(error.message).toContain(message)
  })

  test('that is not there, or a folder', async () => {
    const missing = await failure(join(folder, 'missing.json'))
    expect(missing.code).toBe('file_not_found')
    expect(missing.message).toMatch(
      /missing\.json does not exist\. Allowed for --prices: a JSON file, a preset/,
    )
    const path = join(folder, 'folder.json')
    await mkdir(path)
    expect((await failure(path)).message).toContain('is a folder')
  })
})
