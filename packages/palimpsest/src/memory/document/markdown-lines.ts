/**
 * Reads a document line by line, with the headings and code fences of CommonMark. The time is linear in its
 * length.
 */

export interface Heading {
  readonly level: number
  readonly text: string
}

export interface MarkdownLine {
  readonly text: string
  /** The text goes from `start` to `end`, the line break from `end` to `next`. */
  readonly start: number
  readonly end: number
  readonly next: number
  /** `null` inside fenced code too. */
  readonly heading: Heading | null
  /** Whether the line is part of fenced code. The fences count too. */
  readonly isFenced: boolean
  /** The line that would close the fence that is open after this line. `null`: no fence is open. */
  readonly closing: string | null
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/
const OPENING = /^( {0,3})(`{3,}|~{3,})(.*)$/s
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/

/** Lines end with `\n`, `\r\n` or a lone `\r`. A line break at the end of a text begins no further line. */
export function* scanLines(content: string): Generator<MarkdownLine, void, undefined> {
  let closing: string | null = null
  let feed = -1
  let carriage = -1
  for (let start = 0; start < content.length; ) {
    if (feed < start) feed = positionOf(content, '\n', start)
    if (carriage < start) carriage = positionOf(content, '\r', start)
    const end = Math.min(feed, carriage)
    const next = Math.min(content.length, carriage + 1 === feed ? feed + 1 : end + 1)
    const text = content.slice(start, end)
    const isInside: boolean = closing !== null
    if (closing === null) closing = openedFence(text)
    else if (closesFence(text, closing)) closing = null
    const isFenced = isInside || closing !== null
    yield { text, start, end, next, heading: isFenced ? null : headingOf(text), isFenced, closing }
    start = next
  }
}

function positionOf(content: string, character: string, from: number): number {
  const position = content.indexOf(character, from)
  return position < 0 ? content.length : position
}

/** The line that would close this fence, with the same indentation. `null`: the line opens no fence. */
export function openedFence(line: string): string | null {
  const match = hasMark(line, '`~') ? OPENING.exec(line) : null
  if (!match) return null
  const [, indentation, marks, info] = match
  return marks!.startsWith('`') && info!.includes('`') ? null : `${indentation}${marks}`
}

/** A closing line has the same mark as the fence, at least as many times. */
export function closesFence(line: string, closing: string): boolean {
  const marks = hasMark(line, '`~') ? CLOSING.exec(line)?.[1] : undefined
  return marks?.startsWith(closing.trimStart()) ?? false
}

/** Nearly all lines have no mark, and this check is cheaper than a regular expression. */
function hasMark(line: string, marks: string): boolean {
  let index = 0
  while (line[index] === ' ' && index < 3) index++
  return index < line.length && marks.includes(line[index]!)
}

export function headingOf(line: string): Heading | null {
  const marks = hasMark(line, '#') ? HEADING.exec(line)?.[1] : undefined
  if (marks === undefined) return null
  const rest = line.slice(line.indexOf('#') + marks.length)
  return { level: marks.length, text: withoutClosingMarks(rest).trim() }
}

/** `A ##` becomes `A`. `A#` and `A \#` stay as they are. */
function withoutClosingMarks(rest: string): string {
  const text = rest.replace(/^[ \t]+/, '').trimEnd()
  let end = text.length
  while (text[end - 1] === '#') end--
  return end === 0 || text[end - 1] === ' ' || text[end - 1] === '\t' ? text.slice(0, end) : text
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** Removes the blank lines at both ends, and the line break at the end. */
export function trimBlankLines(text: string): string {
  let start = -1
  let end = 0
  for (const line of scanLines(text)) {
    if (isBlank(line.text)) continue
    if (start < 0) start = line.start
    end = line.end
  }
  return start < 0 ? '' : text.slice(start, end)
}

/** An open fence would make the following text part of its code. */
export function closeFence(text: string): string {
  let closing: string | null = null
  for (const line of scanLines(text)) closing = line.closing
  return closing === null ? text : `${withLineBreak(text)}${closing}\n`
}

export function withLineBreak(text: string): string {
  return text === '' || /[\r\n]$/.test(text) ? text : `${text}\n`
}
