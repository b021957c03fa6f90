import type { Comparison, TranscriptFigures } from '../../comparison.ts'
import { describeResult } from '../describe-result.ts'
import { formatCount, formatPlural, formatTokens } from '../format.ts'
import { type Markup, markup, withCode } from '../markup.ts'
import { scrollable } from './scrollable.ts'

/** A longer list is folded away, so that the answer stays on the first screen. */
const SHOWN_AT_ONCE = 4

export function answer(comparison: Comparison): Markup {
  const { headline, details } = describeResult(comparison)
  const { transcripts } = comparison
  return markup`<header>
<p class="eyebrow">Palimpsest · replay</p>
<h1>${withCode(headline)}</h1>
${details.length === 0 ? null : markup`<p class="lead">${withCode(details.join(' '))}</p>`}
<p class="about">Recorded conversations were played again, message by message. For each way of keeping a bot’s memory this page counts what the language model would have read and written, and what that would have cost.</p>
<ul class="facts">
${facts(comparison).map(
  ([figure, name]) => markup`<li><b>${figure}</b><span>${name}</span></li>
`,
)}</ul>
${transcripts.length === 0 ? null : transcriptList(transcripts)}
</header>
`
}

/** Without messages, only the conversations and messages are counted. */
function facts({ transcripts, runs }: Comparison): [string, string][] {
  const messages = sum(transcripts, 'messages')
  const requests = runs[0]?.cost.calls.reply.calls ?? 0
  const ofThose: [string, string][] = [
    [formatCount(transcripts.length), transcripts.length === 1 ? 'conversation' : 'conversations'],
    [formatCount(messages), messages === 1 ? 'message' : 'messages'],
  ]
  if (messages === 0) return ofThose
  return [
    ...ofThose,
    [formatTokens(sum(transcripts, 'tokens')), 'tokens in them'],
    [formatCount(requests), requests === 1 ? 'request' : 'requests'],
    [formatCount(runs.length), runs.length === 1 ? 'run' : 'runs compared'],
  ]
}

function sum(transcripts: readonly TranscriptFigures[], figure: 'messages' | 'tokens'): number {
  return transcripts.reduce((total, transcript) => total + transcript[figure], 0)
}

function transcriptList(transcripts: readonly TranscriptFigures[]): Markup {
  const table = scrollable(
    'The conversations',
    markup`<table>
<thead><tr><th scope="col">Conversation</th><th scope="col">Messages</th><th scope="col">Tokens</th></tr></thead>
<tbody>
${transcripts.map(
  ({ path, title, format, kind, messages, tokens }) =>
    markup`<tr><th scope="row"><bdi>${title ?? path}</bdi><small>${title === null ? null : markup`<bdi>${path}</bdi> · `}${kind} · ${format}</small></th><td>${formatCount(messages)}</td><td>${formatTokens(tokens)}</td></tr>
`,
)}</tbody>
</table>`,
  )
  if (transcripts.length <= SHOWN_AT_ONCE) return table
  return markup`<details><summary>All ${formatPlural(transcripts.length, 'conversation')}</summary>${table}</details>`
}
