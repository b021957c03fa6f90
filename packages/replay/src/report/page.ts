import type { Comparison, TranscriptFigures } from '../comparison.ts'
import { describeResult } from './describe-result.ts'
import { Markup, markup, withoutCode } from './markup.ts'
import { PAGE_STYLE } from './page-style.ts'
import { showRuns } from './run-look.ts'
import { answer } from './sections/answer.ts'
import { assumptions } from './sections/assumptions.ts'
import { contexts } from './sections/contexts.ts'
import { costs } from './sections/costs.ts'
import { figures } from './sections/figures.ts'
import { glossary } from './sections/glossary.ts'
import { spending } from './sections/spending.ts'
import { swept } from './sections/swept.ts'

/** With more conversations than this, the lines between them would fill the pictures. */
const MAX_BEGINNINGS = 20

/** One HTML file that is complete: it needs no network, no script and no documentation. */
export function comparisonPage(comparison: Comparison): string {
  const { prices, sweep, transcripts } = comparison
  const runs = showRuns(comparison.runs)
  const messages = Math.max(
    0,
    ...runs.flatMap(({ run }) => [run.messages, run.timeline.at(-1)?.message ?? 0]),
  )
  const beginnings = laterBeginnings(transcripts).filter(beginning => beginning < messages)
  const hasRequests = runs.some(({ run }) => run.timeline.length > 0)
  const hasCosts = runs.some(({ run }) => run.cost.total > 0)
  const isEmpty = !hasRequests && !hasCosts
  const sections = [
    hasCosts ? costs(runs, prices) : null,
    hasRequests ? contexts(runs, beginnings) : null,
    hasRequests && hasCosts ? spending({ runs, currency: prices.currency, messages, beginnings }) : null,
    sweep === null || isEmpty ? null : swept(sweep, prices.currency),
    isEmpty ? null : figures(runs, prices.currency),
    assumptions(comparison),
    glossary(),
  ]
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${withoutCode(describeResult(comparison).headline)}</title>
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
<main>
${answer(comparison)}${sections}</main>
</body>
</html>
`.text
}

function laterBeginnings(transcripts: readonly TranscriptFigures[]): number[] {
  if (transcripts.length > MAX_BEGINNINGS) return []
  let messages = 0
  return transcripts.slice(0, -1).map(transcript => {
    messages += transcript.messages
    return messages
  })
}
