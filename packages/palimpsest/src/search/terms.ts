import { stemmer } from 'stemmer'
import { BoundedMap } from '../bounded-map.ts'
import type { InSteps } from '../slices.ts'
import { classOf, SEPARATOR, UNSPACED, WORD } from './character-class.ts'
import { BASE_OF_IRREGULAR } from './irregular-forms.ts'
import { ManyTerms } from './many-terms.ts'
import { normalizeText, normalizeTextInSteps } from './normalize-text.ts'

/** The most UTF-16 units of a term. A longer word is found by its beginning. */
const MAX_TERM = 64

/** A longer run of letters is split into parts, with pauses between them. */
const MAX_WORD_CHARACTERS = 65_536

/** No English word is longer. */
const MAX_STEMMED = 32

const ENGLISH_WORD = /^[a-z]{3,}$/
const APOSTROPHE = 0x27

/** The endings after an apostrophe in English contractions. */
const CONTRACTED = new Set(['s', 't', 'll', 're', 've', 'd', 'm'])

/** Maps the rest before `'t` to its verb. */
const BEFORE_CONTRACTED_NOT: ReadonlyMap<string, string> = new Map(
  ['do', 'does', 'did', 'is', 'are', 'was', 'were', 'has', 'have', 'had', 'would', 'could', 'should', 'must']
    .concat(['need', 'might'])
    .map(verb => [`${verb}n`, verb] as const)
    .concat([
      ['won', 'will'],
      ['shan', 'shall'],
    ]),
)

const QUESTION_MARKS = new Set(['?', '؟'])
const SENTENCE_ENDS = new Set(['.', '!', '。', ...QUESTION_MARKS])

const MAX_KEPT = 32_768
const stems = new BoundedMap<string, string>(MAX_KEPT)

/** Added to the terms of a text that ends with a question. No word is spelled like this. */
export const ASKING = '?'

/** How far from its end a text is searched for a question mark. */
const MAX_END = 256

/** The terms by which a text is found, and how often each occurs. */
export function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  const normalized = normalizeText(text)
  visitTerms(normalized, term => {
    counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  if (counts.size > 0 && endsByAsking(normalized)) counts.set(ASKING, 1)
  return counts
}

/** For each term, how often it occurs. */
type TermCounts = ReadonlyMap<string, number> | ManyTerms<number>

/** A longer text may have hundreds of thousands of terms. */
const MANY_CHARACTERS = 1_000_000

/** The number of characters between two pauses. */
const STEP_CHARACTERS = 8_192

/** The same for a long text, with pauses. */
export function* countTermsInSteps(text: string): InSteps<TermCounts> {
  const counts = text.length > MANY_CHARACTERS ? new ManyTerms<number>() : new Map<string, number>()
  yield* eachTermInSteps(text, term => counts.set(term, (counts.get(term) ?? 0) + 1))
  return counts
}

/** Visits each term as often as it occurs, for a caller that does not need all of them at once. */
export function* eachTermInSteps(text: string, visit: (term: string) => void): InSteps<void> {
  const normalized = yield* normalizeTextInSteps(text)
  let isEmpty = true
  const visitOne = (term: string) => {
    isEmpty = false
    visit(term)
  }
  for (let place = 0; place < normalized.length; ) {
    place = visitSome(normalized, { from: place, until: place + STEP_CHARACTERS }, visitOne)
    yield
  }
  if (!isEmpty && endsByAsking(normalized)) visit(ASKING)
}

/**
 * Whether the last marks that end a sentence hold a question mark. A mark inside a word or an address ends no
 * sentence.
 */
function endsByAsking(text: string): boolean {
  const first = Math.max(0, text.length - MAX_END)
  let place = text.length - 1
  while (place >= first && !endsSentence(text, place)) place -= 1
  while (place >= first && SENTENCE_ENDS.has(text.charAt(place))) {
    if (QUESTION_MARKS.has(text.charAt(place))) return true
    place -= 1
  }
  return false
}

function endsSentence(text: string, place: number): boolean {
  if (!SENTENCE_ENDS.has(text.charAt(place))) return false
  return place + 1 === text.length || classOf(text.codePointAt(place + 1)!) !== WORD
}

/**
 * Visits the terms of a normalised text in their order, each with its place: words by their stems, every
 * emoji, and each run of letters without spaces as overlapping pairs and its last letter alone. So a single
 * letter is always found as the beginning of a term.
 */
export function visitTerms(text: string, visit: Visit): void {
  visitSome(text, { from: 0, until: text.length }, visit)
}

type Visit = (term: string, from: number, to: number) => void

/** Begins where a term begins. Returns where the next one begins, at or after `until`. */
function visitSome(text: string, { from, until }: { from: number; until: number }, visit: Visit): number {
  const end = Math.min(until, text.length)
  let place = from
  while (place < end) {
    const codePoint = text.codePointAt(place)!
    const kind = classOf(codePoint)
    const next = place + (codePoint > 0xffff ? 2 : 1)
    if (kind === SEPARATOR) place = next
    else if (kind === WORD) place = visitWord(text, place, visit)
    else if (kind === UNSPACED) {
      const second = next < text.length ? text.codePointAt(next)! : 0
      const to = classOf(second) === UNSPACED ? next + (second > 0xffff ? 2 : 1) : next
      visit(text.slice(place, to), place, to)
      place = next
    } else {
      const to = isFlagHalf(codePoint) && isFlagHalf(text.codePointAt(next) ?? 0) ? next + 2 : next
      visit(text.slice(place, to), place, to)
      place = to
    }
  }
  return place
}

/** Two of them make a flag. */
function isFlagHalf(codePoint: number): boolean {
  return codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff
}

function visitWord(text: string, from: number, visit: Visit): number {
  const to = endOfWord(text, from)
  const word = text.slice(from, to)
  const contracted = text.charCodeAt(to) === APOSTROPHE ? contractedAt(text, to + 1) : ''
  const full = contracted === 't' ? (BEFORE_CONTRACTED_NOT.get(word) ?? word) : word
  visit(termOf(full), from, to)
  return contracted === '' ? to : to + 1 + contracted.length
}

function contractedAt(text: string, from: number): string {
  const letters = text.slice(from, from + 3)
  const word = letters.slice(0, endOfWord(letters, 0))
  return CONTRACTED.has(word) ? word : ''
}

/** The end of the word that begins here. A word that is too long is split into several. */
function endOfWord(text: string, from: number): number {
  const last = Math.min(text.length, from + MAX_WORD_CHARACTERS)
  let place = from
  while (place < last) {
    const codePoint = text.codePointAt(place)!
    if (classOf(codePoint) !== WORD) break
    place += codePoint > 0xffff ? 2 : 1
  }
  return place
}

/** The term of a normalised word. */
function termOf(word: string): string {
  if (word.length > MAX_STEMMED) return cut(word)
  const kept = stems.get(word)
  if (kept !== undefined) return kept
  const stem = ENGLISH_WORD.test(word) ? stemOf(BASE_OF_IRREGULAR.get(word) ?? word) : word
  stems.set(word, stem)
  return stem
}

/** A stem of two letters is a word of its own: `us` from `use`, `hi` from `his`. */
function stemOf(word: string): string {
  const stem = stemmer(word)
  return stem.length > 2 ? stem : word
}

function cut(word: string): string {
  if (word.length <= MAX_TERM) return word
  const inside = word.codePointAt(MAX_TERM - 1)! > 0xffff
  return word.slice(0, inside ? MAX_TERM - 1 : MAX_TERM)
}
