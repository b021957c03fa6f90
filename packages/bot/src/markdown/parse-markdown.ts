import { closesFence, opensFence } from './fences.ts'
import { parseInline } from './inline.ts'
import { type Style, type StyledText, shifted } from './styled-text.ts'

/**
 * Turns Markdown, as models write it, into text with styles. The text is never longer than its source. Text
 * without marks stays as it is, and so does text that only looks like a mark.
 */
export function parseMarkdown(source: string): StyledText {
  const lines = source.split('\n')
  const said = new Said()
  for (let at = 0; at < lines.length; ) at = takeBlock(lines, at, said)
  return said.toText()
}

/** Collects the result, block by block. */
class Said {
  #text = ''
  #isBegun = false
  readonly #styles: Style[] = []

  add({ text, styles }: StyledText): void {
    if (this.#isBegun) this.#text += '\n'
    this.#isBegun = true
    for (const style of shifted(styles, this.#text.length)) this.#styles.push(style)
    this.#text += text
  }

  toText(): StyledText {
    return { text: this.#text, styles: this.#styles }
  }
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^([ \t]*)[-*+][ \t]+(?:\[([ xX])\][ \t]+)?/
const NUMBER = /^[ \t]*\d{1,9}[.)][ \t]+/
const RULE = /^ {0,3}(?:\*[ \t]*\*[ \t]*\*[* \t]*|-[ \t]*-[ \t]*-[- \t]*|_[ \t]*_[ \t]*_[_ \t]*)$/
const ROW_ENDS = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*(?::?-+:?[ \t]*)?)*$/

/** Returns the line where the next block begins. */
function takeBlock(lines: readonly string[], at: number, said: Said): number {
  const line = lines[at]!
  const fence = opensFence(line)
  if (fence) {
    let end = at + 1
    while (end < lines.length && !closesFence(lines[end]!, fence)) end += 1
    const code = lines.slice(at + 1, end).join('\n')
    const { language } = fence
    said.add(styled(code, { kind: 'pre', ...(language !== '' && { language }) }))
    return end + 1
  }
  if (isTable(lines, at)) {
    let end = at + 2
    while (end < lines.length && lines[end]!.includes('|')) end += 1
    said.add(styled(lines.slice(at, end).join('\n'), { kind: 'pre' }))
    return end
  }
  const heading = HEADING.exec(line)
  if (heading) {
    const { text, styles } = parseInline(withoutClosing(heading[1]!))
    const inner = styles.filter(({ kind }) => kind !== 'bold')
    said.add({ text, styles: text === '' ? [] : [{ kind: 'bold', from: 0, to: text.length }, ...inner] })
    return at + 1
  }
  if (RULE.test(line)) {
    said.add({ text: '———', styles: [] })
    return at + 1
  }
  if (QUOTE.test(line)) {
    let end = at + 1
    while (end < lines.length && QUOTE.test(lines[end]!)) end += 1
    const quoted = lines.slice(at, end).map(each => each.replace(QUOTE, ''))
    const inner = new Said()
    for (const each of quoted) inner.add(parseLine(each))
    const { text, styles } = inner.toText()
    said.add({ text, styles: text === '' ? [] : [{ kind: 'quote', from: 0, to: text.length }, ...styles] })
    return end
  }
  if (isItem(line)) {
    said.add(parseLine(line))
    return at + 1
  }
  let end = at + 1
  while (end < lines.length && isParagraph(lines, end)) end += 1
  said.add(parseInline(lines.slice(at, end).join('\n')))
  return end
}

function styled(text: string, style: Omit<Style, 'from' | 'to'>): StyledText {
  return { text, styles: text === '' ? [] : [{ ...style, from: 0, to: text.length }] }
}

/** Whether the line continues a paragraph. A mark may begin in one line and end in the next. */
function isParagraph(lines: readonly string[], at: number): boolean {
  const line = lines[at]!
  if (line.trim() === '') return false
  const begins = [HEADING, RULE, QUOTE].some(pattern => pattern.test(line))
  return !begins && !isItem(line) && opensFence(line) === null && !isTable(lines, at)
}

function isItem(line: string): boolean {
  return ITEM.test(line) || NUMBER.test(line)
}

/** Parses a line. The mark of a list item becomes a sign of its own. */
function parseLine(line: string): StyledText {
  const item = ITEM.exec(line)
  if (!item) return parseInline(line)
  const [whole, indent, box] = item
  const mark = box === undefined ? '•' : box === ' ' ? '☐' : '☑'
  const head = `${indent}${mark} `
  const { text, styles } = parseInline(line.slice(whole.length))
  return { text: head + text, styles: shifted(styles, head.length) }
}

function isTable(lines: readonly string[], at: number): boolean {
  const [head, ends] = [lines[at]!, lines[at + 1]]
  return head.includes('|') && ends?.includes('|') === true && ROW_ENDS.test(ends)
}

/** Removes the signs that may close a heading. */
function withoutClosing(heading: string): string {
  const said = heading.trimEnd()
  let end = said.length
  while (said[end - 1] === '#') end -= 1
  return end < said.length && /[ \t]/.test(said[end - 1] ?? ' ') ? said.slice(0, end).trimEnd() : said
}
