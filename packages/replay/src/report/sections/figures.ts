import type { BreakCause, PrefixBreaks, Run } from '../../comparison.ts'
import { countFolds } from '../count-folds.ts'
import { formatCount, formatDifference, formatMoney, formatShare, formatTokens } from '../format.ts'
import { type Content, type Markup, markup } from '../markup.ts'
import { referenceCost } from '../reference-cost.ts'
import type { ShownRun } from '../run-look.ts'
import { scrollable } from './scrollable.ts'

const CAUSES: Readonly<Record<BreakCause, string>> = {
  fold: 'fold',
  cut: 'cut before a fold',
  slide: 'oldest dropped',
  expired: 'cache expired',
}

export function figures(runs: readonly ShownRun[], currency: string): Markup {
  const reference = referenceCost(runs.map(({ run }) => run))
  return markup`<section>
<h2>All figures</h2>
<p>Contexts are in tokens a request. Prefix breaks: how many, and the tokens that were read again because of them. The words are explained at the end of the page.</p>
${scrollable(
  'All figures',
  markup`<table>
<thead><tr><th scope="col">Run</th><th scope="col">Money</th><th scope="col">of which summaries</th><th scope="col">Mean context</th><th scope="col">Peak context</th><th scope="col">Cached share</th><th scope="col">Folds</th><th scope="col">Summariser tokens</th><th scope="col" class="text">Prefix breaks</th></tr></thead>
<tbody>
${runs.map(shown => row(shown, currency, reference))}</tbody>
</table>`,
)}</section>
`
}

function row({ run, title, subtitle }: ShownRun, currency: string, reference: number): Markup {
  const { cost, tokens } = run
  const difference = cost.total === reference ? null : formatDifference(cost.total, reference)
  const { memo, extraction, summary } = cost.calls
  return markup`<tr class="${run.kind}"><th scope="row">${title}${subtitle === null ? null : markup`<small>${subtitle}</small>`}</th>
<td>${formatMoney(cost.total, currency)}${difference === null ? null : markup`<small>${difference}</small>`}</td>
<td>${formatMoney(summary.money, currency)}${memo.money > 0 ? markup`<small>memo ${formatMoney(memo.money, currency)}</small>` : null}${extraction.money > 0 ? markup`<small>extraction ${formatMoney(extraction.money, currency)}</small>` : null}</td>
<td>${formatTokens(tokens.meanContext)}</td><td>${formatTokens(tokens.peakContext)}</td><td>${formatShare(tokens.cachedShare)}</td>
<td>${formatCount(countFolds(run))}</td>
<td>${summariserTokens(run)}</td>
<td class="text wrap">${prefixBreaks(run.breaks)}</td></tr>
`
}

function summariserTokens({ cost }: Run): Content {
  const { summary, memo, extraction } = cost.calls
  const calls = [summary, memo, extraction]
  const read = calls.reduce((sum, call) => sum + call.inputTokens, 0)
  const written = calls.reduce((sum, call) => sum + call.outputTokens, 0)
  return read + written === 0
    ? '0'
    : markup`${formatTokens(read)} read<small>${formatTokens(written)} written</small>`
}

function prefixBreaks(breaks: readonly PrefixBreaks[]): Content {
  const happened = breaks.filter(found => found.count > 0)
  const count = happened.reduce((sum, found) => sum + found.count, 0)
  const tokens = happened.reduce((sum, found) => sum + found.tokens, 0)
  if (count === 0) return 'none'
  return markup`${formatCount(count)} · ${formatTokens(tokens)} tokens${happened.map(
    found =>
      markup`<small>${formatCount(found.count)} × ${CAUSES[found.cause]}${found.reason === null ? null : ` (${found.reason})`}: ${formatTokens(found.tokens)}</small>`,
  )}`
}
