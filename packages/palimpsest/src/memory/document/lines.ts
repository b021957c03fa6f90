import { inertLine } from './inert-line.ts'
import { type MarkdownLine, scanLines } from './markdown-lines.ts'
import { appendText, readSection } from './sections.ts'

/** What is learned stands in a document as list items of one line each, and is found again by that line. */
export function datedLine(day: string, text: string): string {
  return `- ${day}: ${inertLine(text)}`
}

/** What a line says, whenever: the same thing on another day is nothing new. */
export function sayingOf(line: string): string {
  return line.replace(/^- (?:\d{4}-\d{2}-\d{2}[^:]{0,20}: )?/, '').toLowerCase()
}

/** Every list item (`- …`) outside fenced code: its whole line, without white space at the end. */
export function listLines(content: string): readonly string[] {
  const lines: string[] = []
  for (const line of scanLines(content)) {
    const item = listLine(line)
    if (item !== null) lines.push(item)
  }
  return lines
}

/** Appends those lines to the section that do not stand in it yet; unchanged where all do. */
export function withLines(content: string, section: string, lines: readonly string[]): string {
  const there = new Set(listLines(readSection(content, section) ?? ''))
  const missing = lines.filter(line => !there.has(line.trimEnd()))
  return appendText(content, [...new Set(missing)].join('\n'), section)
}

/** Removes every list item that is one of these lines, and nothing else. */
export function withoutLines(content: string, lines: ReadonlySet<string> | readonly string[]): string {
  return editLines(content, lines, () => '')
}

/**
 * Puts `by` where the first of the lines stands in the document, and removes the others. `null` where one of
 * them does not stand in it, or none is given: then there is no place to put it.
 */
export function replaceLines(
  content: string,
  { lines, by }: { readonly lines: readonly string[]; readonly by: readonly string[] },
): string | null {
  const there = new Set(listLines(content))
  if (lines.length === 0 || !lines.every(line => there.has(line.trimEnd()))) return null
  let isPlaced = by.length === 0
  return editLines(content, lines, lineBreak => {
    if (isPlaced) return ''
    isPlaced = true
    return by.join('\n') + lineBreak
  })
}

/** Every list item that is one of the lines, with its line break, becomes what `edit` says. */
function editLines(
  content: string,
  lines: ReadonlySet<string> | readonly string[],
  edit: (lineBreak: string) => string,
): string {
  const wanted = new Set([...lines].map(line => line.trimEnd()))
  const kept: string[] = []
  let from = 0
  for (const line of scanLines(content)) {
    const item = listLine(line)
    if (item === null || !wanted.has(item)) continue
    kept.push(content.slice(from, line.start), edit(content.slice(line.end, line.next)))
    from = line.next
  }
  return kept.join('') + content.slice(from)
}

/** `null`: it is none. */
export function listLine({ text, isFenced }: MarkdownLine): string | null {
  return !isFenced && /^[ \t]*-[ \t]+\S/.test(text) ? text.trimEnd() : null
}
