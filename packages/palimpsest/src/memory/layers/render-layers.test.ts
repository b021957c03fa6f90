import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LAYERS, type LayerName, type LayerText } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { LAYER_BUDGETS } from '../budgets.ts'
import { BLOCKS } from './blocks.ts'
import { renderLayers } from './render-layers.ts'

const KEYS: Readonly<Record<LayerName, string>> = {
  persona: '',
  global: '',
  user: 'ann',
  scope: 'home',
  chat: 's',
  daily: '2026-01-15/s',
}

const session = { id: 's', kind: 'private', user: 'ann', scope: 'home' } as const

function textOf(layer: LayerName, lines: number): LayerText {
  const content = Array.from(
    { length: lines },
    (_, place) => `- ${layer} ${place}: what is to be known of it`,
  )
  return { layer, key: KEYS[layer], version: 1, content: content.join('\n'), folded: [] } as LayerText
}

const sizes = fc.record(
  Object.fromEntries(LAYERS.map(layer => [layer, fc.option(fc.integer({ min: 1, max: 120 }))])) as Record<
    LayerName,
    fc.Arbitrary<number | null>
  >,
)
const tools = fc.constantFrom<readonly string[]>([], ['write_user_memory', 'query_history'])

test('at small budgets documents go from the last to the first, and the persona is the last to go', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 4_000 }), tools, (lines, allowance, tools) => {
      const texts = LAYERS.flatMap(layer => (lines[layer] === null ? [] : [textOf(layer, lines[layer])]))
      const layers = renderLayers(texts, {
        ...{ session, language: 'en', told: [], budgets: LAYER_BUDGETS, allowance, tools },
      })
      const blockOf = (layer: LayerName) => layers.find(({ name }) => name === BLOCKS[layer])!
      const there = texts.map(({ layer }) => layer)
      const isShown = there.map(layer => blockOf(layer).text !== '')
      // Those that are shown are the first of them.
      expect(isShown.lastIndexOf(true)).toBe(isShown.filter(Boolean).length - 1)
      const others = there.filter(layer => layer !== 'persona' && blockOf(layer).text !== '')
      const isGuided = layers.some(({ name }) => name === 'guidance')
      if (there.includes('persona') && (others.length > 0 || isGuided)) {
        const { content } = texts[0]!
        const isWithinBudget = estimateTokens(content) <= LAYER_BUDGETS.persona
        if (isWithinBudget) expect(blockOf('persona').text).toContain(content)
        else expect(blockOf('persona').text).toContain('- persona 0')
      }
      // What is left out is reported.
      for (const layer of there) if (blockOf(layer).text === '') expect(blockOf(layer).isClipped).toBe(true)
      const used = layers.reduce((sum, { text }) => sum + estimateTokens(text), 0)
      expect(used).toBeLessThanOrEqual(Math.max(0, allowance))
    }),
    { numRuns: 300 },
  )
})

test('with a little less room each time, the persona stays whole until all others are gone', () => {
  const texts = LAYERS.map(layer => textOf(layer, 30))
  for (let allowance = 3_000; allowance >= 0; allowance -= 20) {
    const view = { session, language: 'en', told: [], budgets: LAYER_BUDGETS, allowance, tools: [] } as const
    const shown = renderLayers(texts, view).filter(({ text }) => text !== '')
    if (shown.length > 1) expect(shown[0]!.text).toContain(texts[0]!.content)
    if (shown.length === 1) expect(shown[0]!.name).toBe('persona')
  }
})
