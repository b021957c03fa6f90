import { InvalidArgumentError } from '../../errors.ts'
import { withoutUnseen } from './inert-line.ts'
import { closeFence, scanLines, trimBlankLines } from './markdown-lines.ts'
import { normalizeMarkdown } from './normalize-markdown.ts'
import { parseSectionName } from './section-name.ts'

const LOWEST_LEVEL = 6

/**
 * What people and programs hand in, normalised, with its fences closed. Under a section it may have lower
 * headings only; without one it may have any.
 */
export function checkBody(field: string, body: unknown, section?: string): string {
  if (typeof body !== 'string') throw new InvalidArgumentError(field, body, 'text')
  const text = normalizeMarkdown(body)
  if (section !== undefined) refuseHeadings(field, text, section)
  return closeFence(text)
}

function refuseHeadings(field: string, text: string, section: string): void {
  const { level } = parseSectionName(section)
  for (const line of scanLines(text)) {
    if (!line.heading || line.heading.level > level) continue
    const lower = level < LOWEST_LEVEL ? `headings of level ${level + 1} or lower` : 'no headings'
    throw new InvalidArgumentError(
      field,
      line.text.trim(),
      `text with ${lower} under ${'#'.repeat(level)}, since this line would begin another section; ` +
        `use ${level < LOWEST_LEVEL ? `"${'#'.repeat(level + 1)}"` : 'bold text'} instead, or replace the whole document`,
    )
  }
}

/**
 * What models and extractions hand in: it can open no section and no fence, whoever reads it and however.
 * Headings inside fenced code are made harmless too, since what is code hangs on what stands before it.
 */
export function inertBody(text: string): string {
  const lines = withoutUnseen(text).split(/\r\n?|[\n\v\f\u0085\u2028\u2029]/)
  const inert = lines.map((line, index) => inertBodyLine(line, lines[index - 1] ?? ''))
  return closeFence(trimBlankLines(inert.join('\n'))).trimEnd()
}

function inertBodyLine(line: string, before: string): string {
  const start = afterContainers(line)
  if (/^#{1,6}(?:\s|$)/.test(line.slice(start, start + 7))) return escapedAt(line, start)
  const underline = afterQuotes(line, 0)
  const isUnderline = /^(?:=+|-+)\s*$/.test(line.slice(underline)) && /[^ \t]/.test(before)
  return isUnderline ? escapedAt(line, underline) : line
}

function escapedAt(line: string, index: number): string {
  return `${line.slice(0, index)}\\${line.slice(index)}`
}

/** Behind indentation, quote marks and list marks: a heading can stand in a list item. */
function afterContainers(line: string): number {
  for (let index = 0; ; ) {
    index = afterQuotes(line, index)
    const mark = /^(?:[-*+]|\d{1,9}[.)])(?=\s)/.exec(line.slice(index, index + 11))
    if (!mark) return index
    index += mark[0].length
  }
}

/** Behind indentation, marks that do not show, and quote marks. */
function afterQuotes(line: string, from: number): number {
  let index = from
  while (index < line.length && /[\s>\p{Cf}]/u.test(line[index]!)) index++
  return index
}
