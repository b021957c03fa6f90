import type { Assumptions, Comparison } from '../../comparison.ts'
import type { Prices } from '../../prices/prices.ts'
import { formatCount, formatMoney, formatPlural, formatShare, formatTokens } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import { scrollable } from './scrollable.ts'

export function assumptions({ prices, summarizerPrices, assumptions: assumed }: Comparison): Markup {
  const rows: readonly [string, Prices][] = [
    ['Replies', prices],
    ['Summaries', summarizerPrices],
  ]
  return markup`<section>
<h2>Prices and assumptions</h2>
<p>Money per million tokens. No model was asked: all of this is computed from the conversations.</p>
${scrollable(
  'Prices',
  markup`<table>
<thead><tr><th scope="col">For</th><th scope="col" class="text">Price list</th><th scope="col">Input</th><th scope="col">Cached input</th><th scope="col">Cache write</th><th scope="col">Output</th><th scope="col" class="text">Cache</th></tr></thead>
<tbody>
${rows.map(
  ([use, list]) =>
    markup`<tr><th scope="row">${use}</th><td class="text">${list.name}</td>${[list.input, list.cachedInput, list.cacheWrite, list.output].map(price => markup`<td>${formatMoney(price, list.currency)}</td>`)}<td class="text wrap">${describeCache(list)}</td></tr>
`,
)}</tbody>
</table>`,
)}<dl>
${describeAssumptions(assumed).map(([name, text]) => markup`<dt>${name}</dt><dd>${text}</dd>`)}
</dl>
</section>
`
}

function describeCache({ caching, cacheLifetimeSec, leastCachedTokens, cacheStepTokens }: Prices): string {
  if (caching === 'none') return 'none'
  const how = caching === 'automatic' ? 'any repeated beginning' : 'up to the marks in a request'
  const details = [
    how,
    `kept ${formatDuration(cacheLifetimeSec)} after its last use`,
    ...(leastCachedTokens > 0 ? [`from ${formatTokens(leastCachedTokens)} tokens on`] : []),
    ...(cacheStepTokens > 1 ? [`in steps of ${formatTokens(cacheStepTokens)}`] : []),
  ]
  return details.join(', ')
}

function formatDuration(seconds: number): string {
  if (seconds < 120) return formatPlural(seconds, 'second')
  if (seconds < 7_200) return formatPlural(Math.round(seconds / 60), 'minute')
  return formatPlural(Math.round(seconds / 3_600), 'hour')
}

function describeAssumptions(assumed: Assumptions): [string, string][] {
  return [
    ['Instructions and tools', `${formatCount(assumed.overheadTokens)} tokens in every request`],
    [
      'Requests',
      assumed.calls === 'replies'
        ? 'one before each message of the assistant'
        : `one after every ${formatPlural(assumed.calls, 'message')}`,
    ],
    ['Summaries', describeSummaries(assumed)],
    [
      'Extraction of memories',
      {
        none: 'none',
        turn: 'a request of its own after every turn',
        batch: 'a request of its own for every batch of turns',
      }[assumed.extraction],
    ],
  ]
}

function describeSummaries({ summarizer, summaryRatio }: Assumptions): string {
  if (summarizer === 'extractive') return 'picked from the messages, without a model'
  return summaryRatio === null
    ? 'written by a model, simulated'
    : `written by a model, simulated: ${formatShare(summaryRatio)} of the length of what they replace`
}
