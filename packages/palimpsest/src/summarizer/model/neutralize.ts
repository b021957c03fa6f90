import { withPlainLineBreaks } from '../../log/index.ts'

/** Tags around the material in a prompt. */
const TAGS = [
  'conversation',
  'summaries',
  'earlier_summary',
  'people',
  'summary_so_far',
  'memo',
  'memo_instructions',
  'memo_schema',
  'focus',
  'script',
  'budget',
] as const
/** Further tags, in a prompt that asks for facts. In other prompts these are words like any other. */
const FACT_TAGS = ['memory', 'subject'] as const
export type Tag = (typeof TAGS)[number] | (typeof FACT_TAGS)[number]

const BREAKS_OUT = breaksOut(TAGS)
const BREAKS_OUT_OF_FACTS = breaksOut([...TAGS, ...FACT_TAGS])

/** What would end a block or open one, and the marks with which chat templates separate roles. */
function breaksOut(tags: readonly Tag[]): RegExp {
  return new RegExp(`<(?=[\\s/]{0,20}(?:${tags.join('|')})\\b|\\|)`, 'gi')
}

/** Bytes that were written as text. They mean nothing to a reader, and cost like words. */
const DATA_URL = /data:[\w.+-]{1,40}\/[\w.+-]{1,60}(?:;[\w=.-]{1,40}){0,4},[\w%+/=-]{64,}/g
const LONG_RUN = /[\w+/=-]{400,}/g
const BASE64 = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w+/-]+={0,2}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** The text as it can stand in a block: it cannot leave the block, and holds no bytes. */
export function neutralize(text: string): string {
  return plain(text).replace(BREAKS_OUT, '‹')
}

/** The text as it can stand in a block of a prompt that asks for facts. */
export function neutralizeForFacts(text: string): string {
  return plain(text).replace(BREAKS_OUT_OF_FACTS, '‹')
}

function plain(text: string): string {
  return withPlainLineBreaks(withoutBytes(text)).replace(CONTROL, ' ').toWellFormed()
}

/** Replaces data URLs and long runs of base64, each by its length. */
export function withoutBytes(text: string): string {
  return text
    .replace(DATA_URL, data => `[data, ${data.length} characters]`)
    .replace(LONG_RUN, run => (BASE64.test(run) ? `[data, ${run.length} characters]` : run))
}

export function block(tag: Tag, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`
}
