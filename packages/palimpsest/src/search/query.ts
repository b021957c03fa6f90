import { classOf, UNSPACED, WORD } from './character-class.ts'
import { findDates, type NamedDate } from './dates.ts'
import { normalizeText } from './normalize-text.ts'
import { STOP_WORDS } from './stop-words.ts'
import { ASKING, visitTerms } from './terms.ts'

export interface QueryTerm {
  readonly term: string
  /** The term is a prefix: it stands for every term that begins with it. */
  readonly prefix: boolean
  /** 0 for a term that is looked up but not sought. */
  readonly weight: number
  /** A message without this term is no result. */
  readonly required: boolean
}

export interface SearchQuery {
  /** The query in the form in which texts are compared. */
  readonly text: string
  /** Each term once. Empty if there is nothing to seek. */
  readonly terms: readonly QueryTerm[]
  /** The text in quotes. A result holds each phrase word for word. */
  readonly phrases: readonly string[]
  /**
   * Ids, addresses and longer runs of letters without spaces. Messages that hold them word for word come
   * first.
   */
  readonly verbatim: readonly string[]
  readonly dates: readonly NamedDate[]
  /** The zone in which the days of the dates begin and end. */
  readonly zone: string
  /** The query names only a time, so everything that was said then is meant. */
  readonly onlyDates: boolean
  /**
   * The query is one to three keywords and no question. Messages that hold the keywords come before their
   * neighbours.
   */
  readonly isKeywords: boolean
}

/** The rest of a longer query is not read: it is probably a pasted text. */
const MAX_QUERY = 2_000
const MAX_TERMS = 64

/** A query with more terms, or with stop words, is a question. */
const MAX_KEYWORDS = 3

/** The weight of the words of a date. What was said on a date seldom names it. */
const DATE_WORD_WEIGHT = 0.3

/** Shorter runs, such as pairs of letters, are terms already. */
const SHORTEST_VERBATIM_RUN = 3

const QUOTED = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|「([^「」]*)」|『([^『』]*)』|«([^«»]*)»/g

/** Signs that belong to the name before them, as in C++ and C#. */
const NAME_SIGNS = new Set(['+', '#'])

const SIGN = /[^\p{L}\p{M}\p{N}',;]/u
const JOINED_WORDS = /^[\p{L}\p{M}\p{N}'\-–/,;]+$/u
const DIGIT = /\p{N}/u

/** `zone`: the IANA zone in which days begin and end. */
export function parseQuery(query: string, { zone = 'UTC' }: { zone?: string } = {}): SearchQuery {
  const text = normalizeText(query.slice(0, MAX_QUERY)).replace(/\s+/g, ' ').trim()
  const { phrases, rest } = takePhrases(text)
  const named = findDates(rest)
  const others = termsOf(named.rest)
  const sought = collectTerms(phrases, others, termsOf(rest))
  return {
    text,
    terms:
      sought.length > 0 ? [...sought, { term: ASKING, prefix: false, weight: 0, required: false }] : sought,
    phrases,
    verbatim: [...new Set(verbatimParts(rest))].filter(part => !phrases.includes(part)),
    dates: named.dates,
    zone,
    onlyDates: named.dates.length > 0 && phrases.length === 0 && others.every(({ isStopWord }) => isStopWord),
    isKeywords:
      named.dates.length === 0 &&
      sought.length <= MAX_KEYWORDS &&
      !text.endsWith('?') &&
      !others.some(({ isStopWord }) => isStopWord),
  }
}

function takePhrases(text: string): { phrases: string[]; rest: string } {
  const phrases = new Set<string>()
  const rest = text.replace(QUOTED, (match: string, ...groups: (string | undefined)[]) => {
    const phrase = groups
      .slice(0, 6)
      .find(group => group !== undefined)!
      .trim()
    if (termsOf(phrase).length > 0) phrases.add(phrase)
    return ' '.repeat(match.length)
  })
  return { phrases: [...phrases], rest }
}

interface FoundTerm {
  readonly term: string
  readonly prefix: boolean
  readonly isStopWord: boolean
}

/**
 * The terms to look up for a piece of a query. In scripts without spaces, a single letter is half of many
 * pairs.
 */
function termsOf(text: string): FoundTerm[] {
  const found: FoundTerm[] = []
  visitTerms(text, (term, from, to) => {
    if (classOf(text.codePointAt(from)!) !== UNSPACED) {
      found.push({ term, prefix: false, isStopWord: isStopWord(text, from, to, term) })
      return
    }
    const isAlone = to - from === (term.codePointAt(0)! > 0xffff ? 2 : 1)
    const endsRun = isAlone && from > 0 && classOf(codePointBefore(text, from)) === UNSPACED
    if (!endsRun) found.push({ term, prefix: isAlone, isStopWord: false })
  })
  return found
}

function codePointBefore(text: string, place: number): number {
  const unit = text.charCodeAt(place - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && place > 1 ? text.codePointAt(place - 2)! : unit
}

/** In "don't" the word is `don` and the term is `do`. */
function isStopWord(text: string, from: number, to: number, term: string): boolean {
  return STOP_WORDS.has(text.slice(from, to)) || (text[to] === "'" && STOP_WORDS.has(term))
}

function collectTerms(
  phrases: readonly string[],
  others: readonly FoundTerm[],
  withDates: readonly FoundTerm[],
): QueryTerm[] {
  const terms = new Map<string, QueryTerm>()
  const add = (found: readonly FoundTerm[], kind: Pick<QueryTerm, 'weight' | 'required'>) => {
    for (const { term, prefix } of found) {
      const key = prefix ? `${term}*` : term
      if (!terms.has(key) && terms.size < MAX_TERMS) terms.set(key, { term, prefix, ...kind })
    }
  }
  const telling = ({ isStopWord }: FoundTerm) => !isStopWord
  for (const phrase of phrases) add(withoutStopWords(termsOf(phrase)), { weight: 1, required: true })
  add(others.filter(telling), { weight: 1, required: false })
  add(withDates.filter(telling), { weight: DATE_WORD_WEIGHT, required: false })
  if (terms.size === 0) add(others, { weight: 1, required: false })
  return [...terms.values()]
}

/** Keeps all terms if there is nothing else. */
function withoutStopWords(found: readonly FoundTerm[]): readonly FoundTerm[] {
  const telling = found.filter(({ isStopWord }) => !isStopWord)
  return telling.length > 0 ? telling : found
}

/** Cuts at spaces and where the kind of script changes. Keeps the parts that are more than one word. */
function verbatimParts(text: string): string[] {
  const parts: string[] = []
  let place = 0
  while (place < text.length) {
    const isRun = classOf(text.codePointAt(place)!) === UNSPACED
    let to = place
    while (to < text.length && text[to] !== ' ') {
      const codePoint = text.codePointAt(to)!
      if ((classOf(codePoint) === UNSPACED) !== isRun) break
      to += codePoint > 0xffff ? 2 : 1
    }
    if (to === place) to += 1
    else if (isRun) parts.push(...runOf(text.slice(place, to)))
    else parts.push(...composite(text.slice(place, to)))
    place = to
  }
  return parts
}

function runOf(run: string): string[] {
  return [...run].length >= SHORTEST_VERBATIM_RUN ? [run] : []
}

/**
 * Finds `abc-1234`, `v1.2.3`, `c++`, `some_name` and addresses: signs between words or after a name. Words
 * that are joined by hyphens or strokes, or by a missing space after a comma, are plain words.
 */
function composite(token: string): string[] {
  const characters = [...token]
  const isWord = (character: string) => classOf(character.codePointAt(0)!) === WORD
  const first = characters.findIndex(isWord)
  if (first < 0) return []
  let last = characters.findLastIndex(isWord)
  while (NAME_SIGNS.has(characters[last + 1] ?? '')) last += 1
  const inner = characters.slice(first, last + 1).join('')
  if (!SIGN.test(inner) || (JOINED_WORDS.test(inner) && !DIGIT.test(inner))) return []
  return [inner]
}
