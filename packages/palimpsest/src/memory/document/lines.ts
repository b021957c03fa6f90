import { inertLine } from './inert-line.ts'
import { type MarkdownLine, scanLines } from './markdown-lines.ts'
import { appendText, readSection } from './sections.ts'

/** Each learned thing is a list item of one line. The line itself finds it again. */
export function datedLine(day: string, text: string): string {
  return `- ${day}: ${inertLine(text)}`
}

/** What a line says, without its day. The same words on another day are nothing new. */
export function sayingOf(line: string): string {
  return line.replace(/^- (?:\d{4}-\d{2}-\d{2}[^:]{0,20}: )?/, '').toLowerCase()
}

/** Each list item (`- …`) outside of fenced code, as a whole line without white space at its end. */
export function listLines(content: string): readonly string[] {
  const lines: string[] = []
  for (const line of scanLines(content)) {
    const item = listLine(line)
    if (item !== null) lines.push(item)
  }
  return lines
}

/**
 * Appends the lines that the section does not have yet. If it has all of them, the document stays as it is.
 */
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
 * Puts `by` in the place of the first of the lines and removes the others. `null`: a line is missing, or no
 * lines are given, so there is no place for `by`.
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

/** Replaces each list item that is one of the lines, with its line break, by the result of `edit`. */
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

/** `null`: the line is no list item. */
export function listLine({ text, isFenced }: MarkdownLine): string | null {
  return !isFenced && /^[ \t]*-[ \t]+\S/.test(text) ? text.trimEnd() : null
}
