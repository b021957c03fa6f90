import { oneLine } from '../../log/index.ts'
import { openedFence } from './markdown-lines.ts'

/** Marks after which a line would be a heading, a list item, a quote or a rule. */
const BLOCK_MARK = /^(?:#{1,6}(?=\s|$)|[-*+](?=\s|$)|>|(?:-+|=+|\*+|_+)$)/
const NUMBER_MARK = /^(\d{1,9})([.)])(?=\s|$)/

/**
 * Any text as one line that can stand anywhere in a document: single spaces, no control characters, and a
 * beginning that is no Markdown of its own.
 */
export function inertLine(text: string): string {
  // Nor with marks that do not show, so that nothing hides behind them.
  const line = oneLine(text, '').replace(/^[\s\p{Cf}]+/u, '')
  if (BLOCK_MARK.test(line) || openedFence(line) !== null) return `\\${line}`
  return line.replace(NUMBER_MARK, '$1\\$2')
}
