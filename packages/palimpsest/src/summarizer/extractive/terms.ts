import { DATE_WORDS } from '../date-words.ts'
import { DIGIT, KATAKANA, LETTER } from './letters.ts'
import { CUE_BEGINNINGS, CUE_PAIRS, EMPTY_HAN, EMPTY_PAIRS, EMPTY_WORDS } from './word-lists.ts'
import { forEachWord } from './words.ts'

/**
 * The terms of a range: words where words are spaced, pairs of characters where they are not. A term is a
 * number, so that coverage can be kept in arrays.
 */

/** What the reading of a text finds. */
export interface Reading {
  readonly terms: number[]
  readonly hasCue: boolean
  /** The text may hold a date, and is worth a closer look. */
  readonly hasDateWord: boolean
  /** The text may hold a name or a figure. */
  readonly hasExact: boolean
}

interface Word {
  readonly lower: string
  /** -1: the word says nothing. */
  readonly term: number
  readonly isCapital: boolean
  readonly isAcronym: boolean
  readonly isCue: boolean
  readonly isDateWord: boolean
  readonly hasDigit: boolean
}

/** A name or a number cannot be guessed from the rest, and people ask for it later. */
const NAME_FACTOR = 2.2
const FIGURE_WEIGHT = 1.6
/** What half of the range talks about goes without saying. What comes up again is what the range is about. */
const COMMON_PENALTY = 4
const RETURN_BONUS = 0.8

const MAX_TERM_CHARACTERS = 40
const MAX_RUN_CHARACTERS = 2_000

export class Vocabulary {
  readonly #ids = new Map<string, number>()
  /** Words by their spelling, so that a word that returns costs one lookup. */
  readonly #words = new Map<string, Word>()
  /** In how many sentences a term occurs. */
  readonly #occurrences: number[] = []
  readonly #lastSentence: number[] = []
  /** How often a term had a capital where no sentence begins, minus how often it was written small. */
  readonly #capitals: number[] = []
  readonly #base: number[] = []
  readonly #isFigure: boolean[] = []
  readonly #lastReading: number[] = []
  #reading = 0

  get size(): number {
    return this.#base.length
  }

  /**
   * The terms of a text, each once, without empty ones. `sentence`: the number of the sentence that the text
   * belongs to.
   */
  read(text: string, sentence: number, beginsSentence: boolean): Reading {
    const terms: number[] = []
    this.#reading++
    let isFirst = beginsSentence
    let hasCue = false
    let hasDateWord = false
    let hasExact = false
    let previous = ''
    forEachWord(text, (start, end, kind) => {
      const isWord = kind === LETTER || kind === DIGIT
      if (isWord || kind === KATAKANA) {
        const word = this.#word(text.slice(start, Math.min(end, start + MAX_TERM_CHARACTERS)))
        if (word.isCue || (previous !== '' && CUE_PAIRS.has(`${previous} ${word.lower}`))) hasCue = true
        if (word.isDateWord) hasDateWord = true
        if (word.hasDigit || (word.isCapital && !isFirst)) hasExact = true
        previous = CUE_FIRST.has(word.lower) ? word.lower : ''
        if (word.term >= 0) {
          this.#count(word.term, sentence, terms)
          if (!word.isCapital) this.#capitals[word.term]!--
          else if (!isFirst || word.isAcronym) this.#capitals[word.term]!++
        }
      } else {
        hasDateWord = true
        this.#readPairs(text.slice(start, Math.min(end, start + MAX_RUN_CHARACTERS)), sentence, terms)
      }
      isFirst = false
    })
    return { terms, hasCue, hasDateWord, hasExact }
  }

  /** A term that no text spells, such as a resolved date. */
  addSpecial(name: string, weight: number, sentence: number, terms: number[]): void {
    this.#reading++
    this.#count(this.#term(`\u0000${name}`, weight), sentence, terms)
  }

  /** The terms of a text that the range knows too, each once. */
  known(text: string): Set<number> {
    const terms = new Set<number>()
    const look = (key: string) => {
      const id = this.#ids.get(key)
      if (id !== undefined) terms.add(id)
    }
    forEachWord(text, (start, end, kind) => {
      const run = text.slice(start, Math.min(end, start + MAX_RUN_CHARACTERS))
      if (kind !== LETTER && kind !== DIGIT && kind !== KATAKANA) forEachPair(run, look)
      else {
        const word = this.#words.get(run)
        if (word === undefined) look(stem(run.slice(0, MAX_TERM_CHARACTERS).toLowerCase()))
        else if (word.term >= 0) terms.add(word.term)
      }
    })
    return terms
  }

  /** The terms of a name and of its short forms. */
  spelledBy(name: string): number[] {
    const terms: number[] = []
    const lower = name.toLowerCase()
    forEachWord(lower, (start, end) => {
      for (let stop = end; stop >= Math.min(start + 3, end); stop--) {
        const id = this.#ids.get(stop === end ? stem(lower.slice(start, end)) : lower.slice(start, stop))
        if (id !== undefined) terms.push(id)
      }
    })
    return terms
  }

  /** How much a term tells. `sentences`: how many sentences the range has. */
  weight(term: number, sentences: number): number {
    const occurrences = this.#occurrences[term]!
    const share = occurrences / Math.max(sentences, 20)
    return (
      this.#base[term]! *
      (this.isName(term) ? NAME_FACTOR : 1) *
      (1 - Math.min(0.8, COMMON_PENALTY * share)) *
      (1 + RETURN_BONUS * Math.log(Math.max(1, occurrences)))
    )
  }

  /** Part of a number or a day: it says how much or when, not of what. */
  isFigure(term: number): boolean {
    return this.#isFigure[term]!
  }

  isName(term: number): boolean {
    return this.#capitals[term]! > 0
  }

  #word(raw: string): Word {
    let word = this.#words.get(raw)
    if (word === undefined) {
      const lower = raw.toLowerCase().replaceAll('’', "'")
      const hasDigit = DIGITS.test(lower)
      word = {
        lower,
        term: EMPTY_WORDS.has(lower) ? -1 : this.#term(stem(lower), wordWeight(lower, hasDigit)),
        isCapital: lower.charCodeAt(0) !== raw.charCodeAt(0),
        isAcronym: raw.length > 1 && lower.slice(1) !== raw.slice(1).replaceAll('’', "'"),
        isCue: CUES.get(lower.charAt(0))?.some(beginning => lower.startsWith(beginning)) ?? false,
        isDateWord: DATE_WORDS.has(lower) || LONG_FIGURE.test(lower) || isHangul(lower.charCodeAt(0)),
        hasDigit,
      }
      this.#words.set(raw, word)
    }
    return word
  }

  #readPairs(run: string, sentence: number, terms: number[]): void {
    forEachPair(run, pair => {
      const term = this.#ids.get(pair) ?? this.#term(pair, pairWeight(pair))
      this.#count(term, sentence, terms)
    })
  }

  #term(key: string, weight: number): number {
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#base.length
      this.#ids.set(key, id)
      this.#base.push(weight)
      this.#isFigure.push(
        DIGITS.test(key) || key.startsWith('\u0000') || DATE_WORDS.has(key) || COUNTED.test(key),
      )
      this.#occurrences.push(0)
      this.#capitals.push(0)
      this.#lastSentence.push(-1)
      this.#lastReading.push(0)
    }
    return id
  }

  #count(term: number, sentence: number, terms: number[]): void {
    if (this.#lastSentence[term] !== sentence) {
      this.#lastSentence[term] = sentence
      this.#occurrences[term]!++
    }
    if (this.#lastReading[term] === this.#reading || this.#base[term] === 0) return
    this.#lastReading[term] = this.#reading
    terms.push(term)
  }
}

const DIGITS = /[\d\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/
/** Characters that stand behind a number. */
const COUNTED = /^[号點点月日元块年人个個天岁次件张位]$/u
const LONG_FIGURE = /^\d{4}[-/.]/
const CUES = Map.groupBy(CUE_BEGINNINGS, beginning => beginning.charAt(0))
const CUE_FIRST: ReadonlySet<string> = new Set([...CUE_PAIRS].map(pair => pair.split(' ')[0]!))

function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3
}

function forEachPair(run: string, visit: (pair: string) => void): void {
  if (run.length === 1) visit(run)
  for (let at = 0; at + 1 < run.length; at++) visit(run.slice(at, at + 2))
}

/** Hiragana alone is mostly grammar. So is a pair with a grammatical character in it. */
function pairWeight(pair: string): number {
  const first = pair.charCodeAt(0)
  if ((first >= 0x3041 && first <= 0x309f) || EMPTY_PAIRS.has(pair)) return 0
  let empty = 0
  for (const character of pair) if (EMPTY_HAN.has(character)) empty++
  if (pair.length === 1) return empty > 0 ? 0 : 0.3
  return empty === 0 ? 0.6 : empty === 1 ? 0.15 : 0
}

function wordWeight(lower: string, hasDigit: boolean): number {
  if (hasDigit) return lower.length === 1 ? 0.6 * FIGURE_WEIGHT : FIGURE_WEIGHT
  if (lower.charCodeAt(0) >= 0x3041) return lower.length === 1 ? 0.3 : 1
  if (lower.length <= 2) return 0.3
  return lower.length === 3 ? 0.8 : lower.length === 4 ? 0.9 : 1
}

/** Cuts off endings of number and tense. It cuts so little that it does no harm in another language. */
function stem(lower: string): string {
  if (DIGITS.test(lower)) return lower
  // A Korean word carries its particles at its end.
  if (isHangul(lower.charCodeAt(0))) return lower.slice(0, lower.length > 3 ? 3 : 2)
  const word = lower.replace(/['’](?:s|d|ll|re|ve|m)?$/, '')
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3)
  if (word.length > 4 && (word.endsWith('ed') || word.endsWith('es'))) return word.slice(0, -2)
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1)
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word
}
