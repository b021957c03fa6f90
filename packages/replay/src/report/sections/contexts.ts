import { countFolds } from '../count-folds.ts'
import { contextPanel, leavesPanel, panelAxes } from '../draw/context-panel.ts'
import { formatPlural, formatTokens } from '../format.ts'
import { type Markup, markup } from '../markup.ts'
import type { ShownRun } from '../run-look.ts'

export function contexts(runs: readonly ShownRun[], beginnings: readonly number[]): Markup {
  const axes = panelAxes(
    runs.map(({ run }) => run),
    beginnings,
  )
  const ordered = [
    ...runs.filter(({ run }) => run.kind === 'policy'),
    ...runs.filter(({ run }) => run.kind === 'baseline'),
  ]
  const leaves = ordered.some(({ run }) => leavesPanel(run, axes))
  return markup`<section>
<h2>Context over time</h2>
<p>How many tokens each request sends to the model: the line. The shaded part of it was read from the provider’s cache, at the lower price. Each tick below marks a fold: there the oldest messages were replaced by a summary.${beginnings.length > 0 ? ' A dotted line: the next conversation begins.' : null}${leaves ? ' All pictures have the same scale; a line that outgrows it leaves at the arrow.' : ' All pictures have the same scale.'}</p>
<div class="panels">
${ordered.map((shown, index) => {
  const { run, title, subtitle } = shown
  const folds = countFolds(run)
  return markup`<figure class="is-${run.kind}"><figcaption><h3>${title}${subtitle === null ? null : markup` <small>${subtitle}</small>`}</h3>mean ${formatTokens(run.tokens.meanContext)} · peak ${formatTokens(run.tokens.peakContext)}${run.kind === 'policy' ? ` · ${formatPlural(folds, 'fold')}` : null}</figcaption>
${contextPanel(shown, index, axes, folds)}</figure>
`
})}</div>
</section>
`
}
