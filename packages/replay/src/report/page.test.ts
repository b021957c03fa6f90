import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryComparison } from '../../../../test/browser/arbitrary-comparison.ts'
import { exampleComparison } from '../../../../test/browser/example-comparison.ts'
import type { Comparison, Run } from '../comparison.ts'
import { comparisonPage } from './page.ts'

const WITHOUT_END = new Set(['meta', 'br'])

/** Fails on anything that is not a whole tag, and on one that is closed in the wrong place. */
function checkWellFormed(page: string): void {
  const body = page.replace('<!doctype html>', '').replace(/<style>[^<]*<\/style>/, '')
  const tag = /<(\/?)([a-zA-Z]\w*)((?: [\w:-]+="[^"<>]*")*)(\/?)>/g
  expect(body.replace(tag, '')).not.toMatch(/[<>]/)
  const open: string[] = []
  for (const [whole, end, name, , empty] of body.matchAll(tag))
    if (end) expect(open.pop(), whole).toBe(name)
    else if (!empty && !WITHOUT_END.has(name!)) open.push(name!)
  expect(open).toEqual([])
}

function checkSelfContained(page: string): void {
  expect(page).not.toMatch(/https?:/)
  expect(page).not.toMatch(/<(script|link|img|iframe|object)/)
  const references = [...page.matchAll(/url\((.*?)\)/g)].map(found => found[1]!)
  for (const reference of references) expect(reference).toMatch(/^#/)
}

function checkNumbers(page: string): void {
  expect(/.*(NaN|undefined|Infinity|null|∞).*/.exec(page)?.[0]).toBe(undefined)
}

function checkIds(page: string): void {
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(found => found[1]!)
  expect(new Set(ids).size).toBe(ids.length)
  const labels = [...page.matchAll(/aria-labelledby="([^"]*)"/g)].flatMap(found => found[1]!.split(' '))
  for (const label of labels) expect(ids).toContain(label)
}

function namesInBars(page: string): string[] {
  return [...page.matchAll(/<li class="row [^>]* title="([^"]*): /g)].map(found => found[1]!)
}

test.each(['none', 'one', 'two'] as const)('the example with a sweep of %s', swept => {
  const page = comparisonPage(exampleComparison(swept))
  checkWellFormed(page)
  checkSelfContained(page)
  checkIds(page)
  expect(page.includes('sweep-line-wide')).toBe(swept === 'one')
  expect(page.includes('sweep-map')).toBe(swept === 'two')
})

test('any comparison makes a well-formed page without broken numbers', () => {
  fc.assert(
    fc.property(arbitraryComparison, comparison => {
      const page = comparisonPage(comparison)
      checkWellFormed(page)
      checkIds(page)
      checkNumbers(page)
    }),
  )
})

test('the bars are sorted by cost', () => {
  const comparison = exampleComparison('none')
  const byCost = [...comparison.runs].sort((a, b) => a.cost.total - b.cost.total).map(run => run.name)
  expect(namesInBars(comparisonPage(comparison))).toEqual(byCost)
})

test('a baseline that is far dearer is cut and does not squash the others', () => {
  const example = exampleComparison('none')
  const runs = example.runs.map(run => (run.name === 'no memory' ? dearer(run, 100) : run))
  const page = comparisonPage({ ...example, runs })
  expect(page.match(/class="break"/g)).toHaveLength(1)
  expect(page).toContain('A bar with a gap goes on beyond the picture')
  const lengths = [...page.matchAll(/<span class="stack"[^>]* style="width:([\d.]+)%"/g)].map(found =>
    Number(found[1]),
  )
  expect(lengths[0]).toBeGreaterThan(30)
  expect(lengths.at(-1)).toBe(100)
  expect(comparisonPage({ ...example, runs: example.runs.slice(0, 3) })).not.toContain('class="break"')
})

function dearer(run: Run, times: number): Run {
  const { reply, ...others } = run.cost.calls
  return {
    ...run,
    cost: {
      total: run.cost.total * times,
      calls: { ...others, reply: { ...reply, money: reply.money * times } },
    },
    timeline: run.timeline.map(point => ({ ...point, money: point.money * times })),
  }
}

test('percentages compare with the cheapest policy, so that a cheaper baseline has a minus', () => {
  const example = exampleComparison('none')
  const [best] = example.runs.filter(run => run.name.startsWith('rounds'))
  const baseline: Run = { ...dearer(best!, 0.5), name: 'last 40 messages', kind: 'baseline', policy: null }
  const page = comparisonPage({ ...example, runs: [best!, dearer(best!, 2), baseline] })
  const bars = page.indexOf('<ul class="bars"')
  const rows = page.slice(bars, page.indexOf('</ul>', bars))
  expect([...rows.matchAll(/[−+]\d+%|±0%/g)].map(([found]) => found)).toEqual(['−50%', '+100%'])
})

test('what would be only zeros is left out', () => {
  const example = exampleComparison('one')
  const none = { calls: 0, inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, money: 0 }
  const cost = { total: 0, calls: { reply: none, summary: none, memo: none, extraction: none } }
  const transcripts = example.transcripts.map(transcript => ({ ...transcript, messages: 0, tokens: 0 }))
  const runs = example.runs.map(run => ({ ...run, cost, timeline: [], folds: [] }))
  const page = comparisonPage({ ...example, transcripts, runs })
  expect(page).toContain('There are no messages')
  expect(page).not.toMatch(/<svg|All figures|All values|runs compared/)
  checkWellFormed(page)
})

test('a provider that caches only long prefixes is said to do so, beside the bars', () => {
  const example = exampleComparison('none')
  const note = 'At these prices nothing shorter than 4,096 tokens is cached'
  const withLeast = (leastCachedTokens: number, caching: Comparison['prices']['caching']) =>
    comparisonPage({ ...example, prices: { ...example.prices, leastCachedTokens, caching } })
  expect(withLeast(4_096, 'automatic')).toContain(note)
  expect(withLeast(4_096, 'none')).not.toContain(note)
  expect(withLeast(1_024, 'automatic')).not.toContain('nothing shorter than')
})

test('without a fee for cache writes, no part of the money is called so', () => {
  const example = exampleComparison('none')
  const { input } = example.prices
  const page = comparisonPage({ ...example, prices: { ...example.prices, cacheWrite: input } })
  expect(page).not.toContain('Cache writes')
  expect(page).toContain('Input at the full price')
})

test('titles and paths are escaped', () => {
  const page = comparisonPage(exampleComparison())
  expect(page).toContain('周末爬山 &lt;b&gt;&amp;&lt;/b&gt; &quot;friends&quot;')
  expect(page).not.toContain('<b>&</b>')
})

test.each<[string, Partial<Comparison>]>([
  ['nothing at all', { transcripts: [], runs: [], sweep: null }],
  ['one policy and no baseline', { runs: exampleComparison().runs.slice(0, 1), sweep: null }],
  [
    'a timeline of one point',
    { runs: exampleComparison().runs.map(run => ({ ...run, timeline: run.timeline.slice(0, 1) })) },
  ],
  ['no requests', { runs: exampleComparison().runs.map(run => ({ ...run, timeline: [], folds: [] })) }],
])('%s', (_, changed) => {
  const page = comparisonPage({ ...exampleComparison(), ...changed })
  checkWellFormed(page)
  checkNumbers(page)
})
