import { type Markup, markup } from '../markup.ts'

const WORDS: readonly (readonly [string, string])[] = [
  [
    'Context',
    'All that one request sends to the model: instructions, tools, the summaries of the old part of the conversation, and the newest messages as they are.',
  ],
  [
    'Policy',
    'The rules that say when something is folded, and what. “rounds”, “window” and so on are policies; the settings that were changed follow the name.',
  ],
  [
    'Fold',
    'The oldest messages of the context are replaced by a summary. The messages themselves are kept; the model just no longer reads them each time.',
  ],
  [
    'Cached',
    'A provider remembers the beginning of a request for a while. What the next request repeats of it, word for word from the start, costs less.',
  ],
  [
    'Cache write',
    'What a request adds to the provider’s cache. Some providers take more for it than for other input.',
  ],
  [
    'Prefix break',
    'A request that finds less in the provider’s cache than the one before left there: because a fold changed its beginning, because it had to be cut for want of room, because a window slid on, or because the cache had forgotten it (expired). What was lost is read again, and paid for as new.',
  ],
  [
    'Memo, extraction',
    'Further requests that a memory may make beside summaries: a short note on the whole conversation, and facts that are stored by themselves.',
  ],
  [
    'Baseline',
    'A bot without a memory. “no memory” sends the whole conversation every time; “last 40 messages” sends only those, and forgets the rest.',
  ],
  [
    'Token',
    'The unit in which models read, write and are paid: about four letters of English, or one Chinese character.',
  ],
]

export function glossary(): Markup {
  return markup`<section>
<h2>Words on this page</h2>
<dl>
${WORDS.map(
  ([word, meaning]) => markup`<dt>${word}</dt><dd>${meaning}</dd>
`,
)}</dl>
</section>
`
}
