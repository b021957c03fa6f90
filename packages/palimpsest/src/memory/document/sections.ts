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
 * A memory document is Markdown whose sections are found by exact heading. What is changed is what stands
 * under one heading; every other byte of the document stays as it is.
 */
export interface Section {
  readonly heading: string
  readonly level: number
  /** Up to the next heading of the same or a higher level, without blank lines at its two ends. */
  readonly content: string
}

/** In the order in which they stand. */
export function listSections(content: string): readonly Section[] {
  return findPlaces(content).sections.map(place => ({
    heading: place.heading,
    level: place.level,
    content: contentOf(content, place),
  }))
}

/** `A` reads what stands under `## A`, `### A` under exactly that; the first of several. `null`: there is none. */
export function readSection(content: string, section: string): string | null {
  const place = findPlace(content, section)
  return place && contentOf(content, place)
}

/**
 * Its subsections are replaced too; one that is not there is added at the end. The body is one that
 * `checkBody` lets through: it opens no section beside this one, and no fence that stays open.
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

/** At the end of the section, which is added if need be; without one, at the end of the document. */
export function appendText(content: string, addition: string, section?: string): string {
  const text = trimBlankLines(addition)
  if (text === '') return content
  const place = section === undefined ? findPlaces(content).whole : findPlace(content, section)
  if (!place) return addSection(content, section!, text)
  if (!place.inside) return insertUnder(content, place, text)
  const { last } = place.inside
  // It would swallow what is added.
  if (last.closing !== null) return appendText(closeFence(content), text, section)
  const before = withLineBreak(content.slice(0, last.next))
  return `${before}${isJoined(last, text) ? '' : '\n'}${text}\n${content.slice(last.next)}`
}

/** A heading, the document itself included, and where what stands under it lies. */
interface Place {
  readonly heading: string
  readonly level: number
  readonly under: number
  end: number
  /** Its lines that are not blank; `null`: there are none. */
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

/** Where nothing stands yet. The next heading keeps a blank line before it. */
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

/** One list goes on without a blank line, and nothing separates a heading from what is under it. */
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
