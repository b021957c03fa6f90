import { clipMiddle } from '../clip.ts'

/**
 * Sentences and their clauses, for scripts with and without spaces. A clause is the smallest extract: the
 * words between commas, or before a word that begins a thought of its own.
 */

export interface Sentence {
  /** Joined with nothing between them, the clauses are the sentence as it was written. */
  readonly clauses: readonly string[]
  readonly isQuestion: boolean
}

const MAX_CLAUSE_CHARACTERS = 240
const MAX_CLAUSES = 8

const NOTHING = 0
const ENDS = 1
const ENDS_BEFORE_SPACE = 2
const BREAKS = 3
const BREAKS_BEFORE_SPACE = 4
const OPENS_NOTE = 5
const DIVIDES = 6

const MARKS: readonly (readonly [kind: number, characters: string])[] = [
  [ENDS, '。！？；｡'],
  [ENDS_BEFORE_SPACE, '.!?…'],
  [BREAKS, '，：—'],
  [BREAKS_BEFORE_SPACE, ',;:–)'],
  [OPENS_NOTE, '['],
  [DIVIDES, ' '],
]
const WIDE_MARKS = new Map<number, number>()
const ASCII_MARKS = new Uint8Array(128)
for (const [kind, characters] of MARKS)
  for (const character of characters)
    if (code(character) < 128) ASCII_MARKS[code(character)] = kind
    else WIDE_MARKS.set(code(character), kind)

function markAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return unit < 0x80 ? ASCII_MARKS[unit]! : unit < 0x2000 ? NOTHING : wideMark(unit)
}

function wideMark(unit: number): number {
  // Between these lie only letters, and nearly all letters of wide scripts.
  return unit > 0x303f && unit < 0xff00 ? NOTHING : (WIDE_MARKS.get(unit) ?? NOTHING)
}

const CLOSES = new Set([...'"\')]}”’」』）】》*_'].map(code))
const SPACE = code(' ')
const FULL_STOP = code('.')
const HYPHEN = code('-')
const OPENS = code('(')
const MAX_NOTE_CHARACTERS = 300

function code(character: string): number {
  return character.charCodeAt(0)
}

/** Gives one sentence at a time, so that the caller can pause in a very long line. */
export function* splitSentences(line: string): Generator<Sentence, void, void> {
  const text = withoutMarks(line)
  let clauses: string[] = []
  let start = 0
  /** A run of marks that ends no sentence is looked through once: then none of its marks ends one. */
  let openUntil = 0

  for (let index = 0; index <= text.length; index++) {
    const mark = index < text.length ? markAt(text, index) : ENDS
    if (mark === NOTHING || (mark === ENDS_BEFORE_SPACE && index < openUntil)) continue
    const cut = index < text.length ? findCut(text, start, index) : { end: text.length, isSentence: true }
    if (cut === null) {
      if (mark === ENDS_BEFORE_SPACE) openUntil = skipClosing(text, index) + 1
      continue
    }
    // Before the end, a cut may fall in front of a mark. That mark is then looked at again.
    if (index < text.length) index = cut.end - 1
    addClause(clauses, text.slice(start, cut.end))
    start = cut.end
    if (!cut.isSentence && clauses.length < MAX_CLAUSES) continue
    for (let at = 0; at < clauses.length; at += MAX_CLAUSES) {
      const some = clauses.length <= MAX_CLAUSES ? clauses : clauses.slice(at, at + MAX_CLAUSES)
      yield { clauses: some, isQuestion: QUESTION_END.test(some.at(-1)!) }
    }
    clauses = []
  }
}

interface Cut {
  /** Index behind the last character of the clause. */
  readonly end: number
  readonly isSentence: boolean
}

/** The cut, where the character at `index` ends a clause that began at `start`. */
function findCut(text: string, start: number, index: number): Cut | null {
  const current = text.charCodeAt(index)
  switch (markAt(text, index)) {
    case ENDS:
      return { end: skipClosing(text, index) + 1, isSentence: true }
    case ENDS_BEFORE_SPACE: {
      const end = skipClosing(text, index) + 1
      const next = text.charCodeAt(end)
      if (end < text.length && next !== SPACE && next < 0x2e80) return null
      if (current === FULL_STOP && end === index + 1 && isAbbreviation(text, start, index)) return null
      // "its stable. some people": in careless writing, a full stop still divides, but the thought may go on.
      return { end, isSentence: current !== FULL_STOP || !isLowerCase(text.charAt(end + 1)) }
    }
    case OPENS_NOTE: {
      // A note in brackets is told whole or not at all. The sentence ends before it.
      if (index > start && text.slice(start, index).trim() !== '') return { end: index, isSentence: true }
      const end = text.slice(index, index + MAX_NOTE_CHARACTERS).indexOf(']') + index + 1
      return end > index && text.charAt(end) !== '(' ? { end, isSentence: true } : null
    }
    case BREAKS:
      return { end: index + 1, isSentence: false }
    case BREAKS_BEFORE_SPACE:
      return text.charCodeAt(index + 1) === SPACE ? { end: index + 1, isSentence: false } : null
    default: {
      const next = text.charCodeAt(index + 1)
      const isAside = next === OPENS || (next === HYPHEN && text.charCodeAt(index + 2) === SPACE)
      const divides = index > start && (isAside || (index - start > 12 && beginsThought(text, index + 1)))
      return divides ? { end: index, isSentence: false } : null
    }
  }
}

function addClause(clauses: string[], clause: string): void {
  if (clause.trim() === '') return
  const before = clauses.at(-1)
  // An item of a list, or a word added behind: alone it would say nothing.
  if (
    before !== undefined &&
    isShort(clause) &&
    before.length + clause.length < MAX_CLAUSE_CHARACTERS &&
    (clauses.length > 1 || !isShort(before))
  )
    clauses[clauses.length - 1] = before + clause
  else clauses.push(...pieces(clause))
}

const WIDE = /[\u2e80-\u9fff\uac00-\ud7a3]/

function isShort(clause: string): boolean {
  return clause.length < 12 && (clause.length < 4 || !WIDE.test(clause))
}

const QUESTION_END = /[?？]["')\]}”’」』）】》*_\s]*$|[吗嗎呢][。.]?$|[のですま]か[。.]?$/u

/**
 * Takes out marks of lists, headings and quotations before the text, and of emphasis in it. `*7714` stays: it
 * corrects something.
 */
function withoutMarks(line: string): string {
  const text = line.replace(/^(?!\*[^\s*][^*]*$)(?:[#>*+•·|=~-]+\s*|\d{1,2}[.)]\s+)+/, '')
  return text.includes('**') ? text.replaceAll('**', '') : text
}

/** A clause that is so long is hardly read: base64, hashes, a wall of text. Its head and tail are enough. */
function pieces(clause: string): string[] {
  if (clause.length <= MAX_CLAUSE_CHARACTERS) return [clause]
  const clipped = clipMiddle(clause, 4 * MAX_CLAUSE_CHARACTERS)
  const cut: string[] = []
  for (let at = 0; at < clipped.length; ) {
    let end = Math.min(at + MAX_CLAUSE_CHARACTERS, clipped.length)
    const space = clipped.lastIndexOf(' ', end)
    if (end < clipped.length && space > at + MAX_CLAUSE_CHARACTERS / 2) end = space + 1
    else if (isHighSurrogate(clipped.charCodeAt(end - 1))) end--
    cut.push(clipped.slice(at, end))
    at = end
  }
  return cut
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function skipClosing(text: string, from: number): number {
  let index = from
  while (index + 1 < text.length) {
    const next = text.charCodeAt(index + 1)
    const kind = markAt(text, index + 1)
    if (kind !== ENDS && kind !== ENDS_BEFORE_SPACE && !CLOSES.has(next)) break
    index++
  }
  return index
}

const ABBREVIATIONS = new Set(
  'mr mrs ms dr st prof no vs e.g i.e z.b bzw usw ca sr sra approx p.m a.m u.s'.split(' '),
)

function isAbbreviation(text: string, start: number, stop: number): boolean {
  let from = stop
  while (from > start && stop - from < 12 && text.charCodeAt(from - 1) !== SPACE) from--
  const word = text.slice(from, stop)
  // A number before an item of a list.
  if (/^\d{1,2}$/.test(word) && text.slice(start, from).trim() === '') return true
  if (word.length === 1) return /\p{Lu}/u.test(word) && word !== 'I'
  return word.length <= 6 && ABBREVIATIONS.has(word.toLowerCase()) && stop + 2 < text.length
}

function isLowerCase(character: string): boolean {
  return /\p{Ll}/u.test(character)
}

/** Words that begin another thought. The clause that they join can stand alone. */
const THOUGHTS = new Set(
  'and but so because which while since although though y pero porque und aber weil denn et mais car e mas а но и'.split(
    ' ',
  ),
)

function beginsThought(text: string, start: number): boolean {
  const end = text.indexOf(' ', start)
  return end > 0 && end - start <= 8 && end + 8 < text.length && THOUGHTS.has(text.slice(start, end))
}
