import type { RichMessage } from 'grammy/types'

/** The words of a rich message, each block on a line of its own. */
export function richText(message: RichMessage | undefined): string {
  return linesOf(message?.blocks ?? []).join('\n')
}

/** Reads blocks of every kind by the fields that kinds share, since Telegram adds kinds often. */
interface Block {
  readonly text?: unknown
  readonly expression?: unknown
  readonly alternative_text?: unknown
  readonly caption?: unknown
  readonly credit?: unknown
  readonly label?: unknown
  readonly blocks?: unknown
  readonly items?: unknown
  readonly cells?: unknown
}

function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(linesOf)
  if (typeof value !== 'object' || value === null) return []
  const { label, blocks, items, cells, caption, credit, ...own } = value as Block
  const inside = [linesOf(blocks), linesOf(items), rowsOf(cells), linesOf(caption)].flat()
  const lines = [inlineText(own), ...inside, inlineText(credit)].filter(line => line !== '')
  const mark = inlineText(label)
  return mark === '' || lines.length === 0 ? lines : [`${mark} ${lines[0]}`, ...lines.slice(1)]
}

function rowsOf(cells: unknown): readonly string[] {
  return Array.isArray(cells) ? cells.map(row => (row as unknown[]).map(inlineText).join(' | ')) : []
}

/** `value` is a text, a list of pieces, or a styled piece such as bold text or a link. */
function inlineText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(inlineText).join('')
  const { text, expression, alternative_text } = (value ?? {}) as Block
  return text === undefined ? inlineText(expression ?? alternative_text ?? '') : inlineText(text)
}
