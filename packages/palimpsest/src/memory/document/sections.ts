import {
  closeFence,
  isBlank,
  type MarkdownLine,
  scanLines,
  trimBlankLines,
  withLineBreak,
} from './markdown-lines.ts'
import { checkSectionName, headingLine, parseSectionName } from './section-name.ts'

/**
 * A memory document is Markdown, and its sections are found by their exact heading. A change affects only the
 * text under one heading. All other bytes of the document stay as they are.
 */
export interface Section {
  readonly heading: string
  readonly level: number
  /** The text up to the next heading of the same or a higher level. Blank lines at both ends are left out. */
  readonly content: string
}

/** In the order of the document. */
export function listSections(content: string): readonly Section[] {
  return findPlaces(content).sections.map(place => ({
    heading: place.heading,
    level: place.level,
    content: contentOf(content, place),
  }))
}

/**
 * Reads the text under a heading: `A` means `## A`, and `### A` means exactly that. If there are several, the
 * first one is read. `null`: there is none.
 */
export function readSection(content: string, section: string): string | null {
  const place = findPlace(content, section)
  return place && contentOf(content, place)
}

/**
 * Replaces a section with its subsections. A missing section is added at the end. `checkBody` must have
 * checked the body, so that it begins no section beside this one and leaves no fence open.
 */
export function replaceSection(content: string, section: string, body: string): string {
  const text = trimBlankLines(body)
  const place = findPlace(content, section)
  if (!place) return addSection(content, section, text)
  if (!place.inside) return insertUnder(content, place, text)
  const { first, last } = place.inside
  if (text === '') return content.slice(0, place.under) + content.slice(last.next)
  return content.slice(0, first.start) + text + content.slice(last.end)
}

/**
 * Adds text to the end of the section, which is made if it is missing. Without a section, the text goes to
 * the end of the document.
 */
export function appendText(content: string, addition: string, section?: string): string {
  const text = trimBlankLines(addition)
  if (text === '') return content
  const place = section === undefined ? findPlaces(content).whole : findPlace(content, section)
  if (!place) return addSection(content, section!, text)
  if (!place.inside) return insertUnder(content, place, text)
  const { last } = place.inside
  // An open fence would make the added text part of its code.
  if (last.closing !== null) return appendText(closeFence(content), text, section)
  const before = withLineBreak(content.slice(0, last.next))
  return `${before}${isJoined(last, text) ? '' : '\n'}${text}\n${content.slice(last.next)}`
}

/** A heading, or the whole document, and the place of the text under it. */
interface Place {
  readonly heading: string
  readonly level: number
  readonly under: number
  end: number
  /** The first and the last line under the heading that are not blank. `null`: there are none. */
  inside: { readonly first: MarkdownLine; last: MarkdownLine } | null
}

/** One pass: at most one place of each level is open at a time. */
function findPlaces(content: string): { whole: Place; sections: readonly Place[] } {
  const whole: Place = { heading: '', level: 0, under: 0, end: content.length, inside: null }
  const sections: Place[] = []
  let open = [whole]
  for (const line of scanLines(content)) {
    const { heading } = line
    if (heading) open = closeFrom(open, heading.level, line.start)
    if (!isBlank(line.text)) for (const place of open) addLine(place, line)
    if (!heading) continue
    const { level, text } = heading
    const place = { heading: text, level, under: line.next, end: content.length, inside: null }
    sections.push(place)
    open.push(place)
  }
  return { whole, sections }
}

function closeFrom(open: readonly Place[], level: number, end: number): Place[] {
  for (const place of open) if (place.level >= level) place.end = end
  return open.filter(place => place.level < level)
}

function addLine(place: Place, line: MarkdownLine): void {
  if (place.inside) place.inside.last = line
  else place.inside = { first: line, last: line }
}

function findPlace(content: string, section: string): Place | null {
  const { level, text } = parseSectionName(section)
  return findPlaces(content).sections.find(place => place.level === level && place.heading === text) ?? null
}

function contentOf(content: string, { inside }: Place): string {
  return inside ? content.slice(inside.first.start, inside.last.end) : ''
}

/** Inserts the first text under a heading. The next heading keeps a blank line before it. */
function insertUnder(content: string, { under, end }: Place, text: string): string {
  if (text === '') return content
  const isTight = under === end && end < content.length
  return `${withLineBreak(content.slice(0, under))}${text}\n${isTight ? '\n' : ''}${content.slice(under)}`
}

function addSection(content: string, section: string, text: string): string {
  const line = headingLine(parseSectionName(checkSectionName(section)))
  const before = withLineBreak(closeFence(content))
  const lastLine = findPlaces(before).whole.inside?.last
  const gap = lastLine?.next === before.length ? '\n' : ''
  return `${before}${gap}${line}\n${withLineBreak(text)}`
}

/** A list goes on without a blank line. No blank line is needed below a heading. */
function isJoined(last: MarkdownLine, text: string): boolean {
  if (last.heading) return true
  if (last.isFenced) return false
  return isListItem(last.text) && isListItem(text)
}

function isListItem(text: string): boolean {
  return /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(firstLine(text))
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)![0]
}
