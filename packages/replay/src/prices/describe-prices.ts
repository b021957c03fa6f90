import { formatLifetime } from './format-lifetime.ts'
import { PRICE_ALIASES, PRICE_PRESETS } from './presets.ts'
import type { Prices } from './prices.ts'

const COLUMNS: readonly { readonly title: string; readonly cell: (prices: Prices) => string }[] = [
  { title: 'input', cell: ({ currency, input }) => currency + input },
  { title: 'cached', cell: ({ caching, cachedInput }) => (caching === 'none' ? '–' : String(cachedInput)) },
  { title: 'write', cell: ({ caching, cacheWrite }) => (caching === 'none' ? '–' : String(cacheWrite)) },
  { title: 'output', cell: ({ output }) => String(output) },
  {
    title: 'lifetime',
    cell: ({ caching, cacheLifetimeSec }) => (caching === 'none' ? '–' : formatLifetime(cacheLifetimeSec)),
  },
  {
    title: 'least',
    cell: ({ caching, leastCachedTokens }) => (caching === 'none' ? '–' : String(leastCachedTokens)),
  },
]

/** The presets as a table for help texts. Prices are per million tokens. */
export function describePrices(): string {
  const presets = Object.values(PRICE_PRESETS)
  const names = align(['', ...presets.map(({ name }) => name)], 'left')
  const columns = COLUMNS.map(({ title, cell }) => align([title, ...presets.map(cell)], 'right'))
  const cachings = ['caching', ...presets.map(({ caching }) => caching)]
  const lines = names.map((name, row) =>
    ['', name, ...columns.map(column => column[row]!), cachings[row]!].join('  ').trimEnd(),
  )
  const aliases = Object.entries(PRICE_ALIASES).map(([alias, name]) => `${alias} = ${name}`)
  return [...lines, `  ${aliases.join(', ')}`].join('\n')
}

function align(cells: readonly string[], side: 'left' | 'right'): string[] {
  const width = Math.max(...cells.map(cell => cell.length))
  return cells.map(cell => (side === 'left' ? cell.padEnd(width) : cell.padStart(width)))
}
