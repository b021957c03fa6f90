import { DIGIT, LETTER, LETTER_KIND } from './letters.ts'

const APOSTROPHE = 0x27
const CURLY_APOSTROPHE = 0x2019
/** Between two digits, these marks are part of one figure: 14:35, 1,200, 3.5, 2026-03-09. */
const FIGURE_MARKS = new Set([...'.,:/-'].map(mark => mark.charCodeAt(0)))

/**
 * Calls `visit` for each word, or for each run of an unspaced script, with the kind of its first character.
 */
export function forEachWord(text: string, visit: (start: number, end: number, kind: number) => void): void {
  const { length } = text
  let index = 0
  while (index < length) {
    const kind = LETTER_KIND[text.charCodeAt(index)]!
    if (kind === 0) {
      index++
      continue
    }
    const start = index++
    if (kind > DIGIT) while (index < length && LETTER_KIND[text.charCodeAt(index)] === kind) index++
    else index = endOfWord(text, index, kind)
    visit(start, index, kind)
  }
}

function endOfWord(text: string, from: number, firstKind: number): number {
  let index = from
  let last = firstKind
  for (;;) {
    const code = text.charCodeAt(index)
    const kind = index < text.length ? LETTER_KIND[code]! : 0
    if (kind === LETTER || kind === DIGIT) last = kind
    else {
      const next = index + 1 < text.length ? LETTER_KIND[text.charCodeAt(index + 1)]! : 0
      const joins =
        code === APOSTROPHE || code === CURLY_APOSTROPHE
          ? last === LETTER && next === LETTER
          : last === DIGIT && next === DIGIT && FIGURE_MARKS.has(code)
      if (!joins) return index
    }
    index++
  }
}
