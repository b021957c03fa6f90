/** Material stands between these in a prompt. */
const TAGS = [
  'conversation',
  'summaries',
  'earlier_summary',
  'summary_so_far',
  'memo',
  'memo_instructions',
  'memo_schema',
  'focus',
  'script',
  'budget',
] as const
export type Tag = (typeof TAGS)[number]

/** What would end a block, or open one; and the marks with which chat templates separate roles. */
const BREAKS_OUT = new RegExp(`<(?=[\\s/]{0,20}(?:${TAGS.join('|')})\\b|\\|)`, 'gi')
/** Bytes that were written as text: they mean nothing to a reader and cost like words. */
const DATA_URL = /data:[\w.+-]{1,40}\/[\w.+-]{1,60}(?:;[\w=.-]{1,40}){0,4},[\w%+/=-]{64,}/g
const LONG_RUN = /[\w+/=-]{400,}/g
const BASE64 = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w+/-]+={0,2}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** The text as it can stand in a block: it cannot leave it, and holds no bytes. */
export function neutralize(text: string): string {
  return withoutBytes(text)
    .replace(CONTROL, ' ')
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .toWellFormed()
    .replace(BREAKS_OUT, '‹')
}

/** Data URLs and long runs of base64, each by its length. */
export function withoutBytes(text: string): string {
  return text
    .replace(DATA_URL, data => `[data, ${data.length} characters]`)
    .replace(LONG_RUN, run => (BASE64.test(run) ? `[data, ${run.length} characters]` : run))
}

export function block(tag: Tag, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`
}
