import { stemmer } from 'stemmer'
import { BoundedMap } from '../bounded-map.ts'
import type { InSteps } from '../slices.ts'
import { classOf, SEPARATOR, UNSPACED, WORD } from './character-class.ts'
import { BASE_OF_IRREGULAR } from './irregular-forms.ts'
import { ManyTerms } from './many-terms.ts'
import { normalizeText, normalizeTextInSteps } from './normalize-text.ts'

/** A term is at most so many UTF-16 units; a longer word is found by its beginning. */
const MAX_TERM = 64

/** A longer run of letters is looked at in parts, with pauses in between. */
const MAX_WORD_CHARACTERS = 65_536

/** No English word is longer. */
const MAX_STEMMED = 32

const ENGLISH_WORD = /^[a-z]{3,}$/
const APOSTROPHE = 0x27

/** What English contracts to the end of a word, after an apostrophe. */
const CONTRACTED = new Set(['s', 't', 'll', 're', 've', 'd', 'm'])

/** What is left of a verb when `'t` is taken off. */
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

/** Stands among the terms of a text that ends by asking. No word is spelled like this. */
export const ASKING = '?'

/** How far from its end a text is looked at for the question. */
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

/** Of each term, how often it occurs. */
type TermCounts = ReadonlyMap<string, number> | ManyTerms<number>

/** A text of more may have hundreds of thousands of terms. */
const MANY_CHARACTERS = 1_000_000

/** So many characters are counted between two pauses. */
const STEP_CHARACTERS = 8_192

/** The same, for a text that would take long: it pauses of its own accord. */
export function* countTermsInSteps(text: string): InSteps<TermCounts> {
  const counts = text.length > MANY_CHARACTERS ? new ManyTerms<number>() : new Map<string, number>()
  yield* eachTermInSteps(text, term => counts.set(term, (counts.get(term) ?? 0) + 1))
  return counts
}

/** Each term as often as it occurs, for who does not need all of them at the same time. */
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

/** Whether the last marks that end a sentence hold a question mark; one inside a word or address ends none. */
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
 * The terms of a normalised text in their order, each with the place it stands at: words by their stems,
 * every emoji, and each run of letters without spaces as overlapping pairs and its last letter alone. So a
 * lone letter is found as the beginning of a term wherever it stands.
 */
export function visitTerms(text: string, visit: Visit): void {
  visitSome(text, { from: 0, until: text.length }, visit)
}

type Visit = (term: string, from: number, to: number) => void

/** From where a term begins; answers with where the next one does, at or behind `until`. */
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

/** Where the word ends that begins here. One without end is several. */
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

/** A stem of two letters is a word of its own: `us` of `use`, `hi` of `his`. */
function stemOf(word: string): string {
  const stem = stemmer(word)
  return stem.length > 2 ? stem : word
}

function cut(word: string): string {
  if (word.length <= MAX_TERM) return word
  const inside = word.codePointAt(MAX_TERM - 1)! > 0xffff
  return word.slice(0, inside ? MAX_TERM - 1 : MAX_TERM)
}
