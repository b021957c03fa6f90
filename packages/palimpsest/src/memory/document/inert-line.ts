import { oneLine } from '../../log/index.ts'
import { openedFence } from './markdown-lines.ts'

/** Marks after which a line would be a heading, a list item, a quote or a rule. */
const BLOCK_MARK = /^(?:#{1,6}(?=\s|$)|[-*+](?=\s|$)|>|(?:-+|=+|\*+|_+)$)/
const NUMBER_MARK = /^(\d{1,9})([.)])(?=\s|$)/

/**
 * Turns any text into one line that may stand anywhere in a document. It has single spaces and no control
 * characters, and its beginning is no Markdown.
 */
export function inertLine(text: string): string {
  // Invisible marks at the beginning are removed too, since a Markdown mark could hide behind them.
  const line = oneLine(text, '').replace(/^[\s\p{Cf}]+/u, '')
  if (BLOCK_MARK.test(line) || openedFence(line) !== null) return `\\${line}`
  return line.replace(NUMBER_MARK, '$1\\$2')
}
