import {
  CHARACTER_CLASS,
  COMMON_HAN,
  DIGIT,
  HAN,
  HIGH_SURROGATE,
  HIRAGANA,
  LOW_SURROGATE,
  LOWER,
  NEWLINE,
  PUNCTUATION,
  RARE_LETTER,
  SPACE,
  UPPER,
  WIDE_PUNCTUATION,
} from './character-class.ts'

/**
 * What each thing that the scanner sees adds to the count. The sum is linear in these numbers and in nothing
 * else. So `scripts/fit-tokens.ts` can fit them by least squares with this same scanner.
 */
export type TokenWeights = {
  /**
   * Latin words by length. Entry 0 is a word of one letter. Beyond the table, each letter costs
   * `furtherLetter`.
   */
  lowerAfterSpace: readonly number[]
  capitalAfterSpace: readonly number[]
  lowerElsewhere: readonly number[]
  capitalElsewhere: readonly number[]
  allCapitals: readonly number[]
  /** Pieces of a run that keeps switching between cases and digits, as base64, hashes and ids do. */
  scrambled: readonly number[]
  /** Words soon after an accented letter. The language is not English, so fewer words are single tokens. */
  foreign: readonly number[]
  /**
   * One number for all tables. If it were higher in one table, text before a long word could move that word
   * to another table, and joining two texts would cost more than their sum by more than a constant.
   */
  furtherLetter: number
  accentedLetter: number
  contraction: number
  /** The one punctuation mark that a word takes in on its left, by PREFIX_GROUP. */
  prefix: readonly number[]
  digitGroup: number
  spaceBeforeDigit: number
  /**
   * A run of punctuation. `furtherMark` and `repeatedMark`: each further mark, by whether it repeats the one
   * before it.
   */
  punctuation: number
  furtherMark: number
  repeatedMark: number
  newlineAfterMark: number
  newline: number
  indentation: number
  widePunctuation: number
  repeatedWidePunctuation: number
  symbol: number
  repeatedSymbol: number
  /** Emoji and all other characters beyond the basic plane. */
  astral: number
  repeatedAstral: number
  hanRun: number
  han: number
  commonHan: number
  /** A run of letters, and each letter in it, by class from HIRAGANA to RARE_LETTER. */
  scripts: readonly (readonly [run: number, letter: number])[]
}

const FIRST_SCRIPT = HIRAGANA

/** After this many short pieces without a break between them, what follows counts as scrambled. */
const SCRAMBLED_AFTER = 3
const SHORT_PIECE = 6

/** A longer run counts as several, so that weighing in parts can pause in it. */
const MAX_PIECE_CHARACTERS = 65_536

/**
 * How many words an accented letter marks as foreign. It is bounded, so that one name does not change a whole
 * text.
 */
const FOREIGN_WORDS = 10

const APOSTROPHE = 0x27
const CONTRACTIONS_OF_ONE = 'stdm'
const CONTRACTIONS_OF_TWO = 'lrv'

/** These may stand inside base64, base64url and paths without ending a scrambled run. */
const RUN_MARKS = '+/-_'

/**
 * Marks that merge to a similar degree with the word behind them share a weight. Group 0 holds all others.
 */
const PREFIX_GROUP = numberGroups(['._', '(', '"', "'`", '/', '-', '<', '$@#', '[{', ':;,='])
const CONTRACTION_LENGTH = numberGroups([CONTRACTIONS_OF_ONE, CONTRACTIONS_OF_TWO])
const KEEPS_STREAK = numberGroups([RUN_MARKS])

/**
 * One pass over the text. It cuts roughly where o200k_base cuts before it merges bytes: a word takes the
 * space or the one mark before it, a change of case begins a new piece, digits go by three, punctuation takes
 * the line breaks behind it, and the last of several spaces goes to what follows.
 *
 * What it remembers from one piece to the next (`streak`, `foreign`) is forgotten within a few pieces. So the
 * weight of a + b is at most the weight of a plus that of b plus a constant.
 */
export function weighText(text: string, weights: TokenWeights): number {
  return weighOn(text, weights, newWeighing(), text.length).total
}

/** How far a text is weighed, and what the scanner remembers. */
export interface Weighing {
  readonly total: number
  readonly index: number
  readonly afterSpace: boolean
  readonly streak: number
  readonly foreign: number
}

export function newWeighing(): Weighing {
  return { total: 0, index: 0, afterSpace: false, streak: 0, foreign: 0 }
}

/**
 * Continues a weighing to the end of the piece that holds `until`. A text weighs the same in parts as in one
 * go.
 */
export function weighOn(text: string, weights: TokenWeights, before: Weighing, until: number): Weighing {
  const length = text.length
  let { total, index, afterSpace, streak, foreign } = before

  while (index < until) {
    const start = index
    const end = Math.min(length, start + MAX_PIECE_CHARACTERS)
    const code = text.charCodeAt(index++)
    const characterClass = CHARACTER_CLASS[code]!

    if (characterClass === LOWER || characterClass === UPPER) {
      let accented = code > 0x7f ? 1 : 0
      let next = 0
      let nextClass = characterClass
      let capitals = characterClass === UPPER ? 1 : 0
      while (index < end) {
        next = text.charCodeAt(index)
        nextClass = CHARACTER_CLASS[next]!
        if (nextClass === UPPER && capitals === index - start) capitals++
        else if (nextClass !== LOWER) break
        if (next > 0x7f) accented++
        index++
      }
      const letters = index - start
      if (accented > 0) {
        total += accented * weights.accentedLetter
        foreign = FOREIGN_WORDS
      }

      let costs: readonly number[]
      if (streak >= SCRAMBLED_AFTER) costs = weights.scrambled
      else if (foreign > 0) {
        costs = weights.foreign
        foreign--
      } else if (capitals === 0) costs = afterSpace ? weights.lowerAfterSpace : weights.lowerElsewhere
      else if (capitals === letters && letters > 1) costs = weights.allCapitals
      else costs = afterSpace ? weights.capitalAfterSpace : weights.capitalElsewhere
      const longest = costs.length
      total +=
        letters <= longest
          ? costs[letters - 1]!
          : costs[longest - 1]! + (letters - longest) * weights.furtherLetter

      streak = letters <= SHORT_PIECE ? Math.min(streak + 1, SCRAMBLED_AFTER) : 1
      afterSpace = false
      if (next === APOSTROPHE && index + 1 < length) {
        const suffix = CONTRACTION_LENGTH[text.charCodeAt(index + 1)]
        if (suffix !== undefined && suffix > 0) {
          total += weights.contraction
          index += 1 + suffix
          streak = 0
        }
      }
      continue
    }

    if (characterClass === SPACE || characterClass === NEWLINE) {
      let lastNewline = characterClass === NEWLINE ? start : -1
      let nextClass = SPACE
      while (index < end) {
        nextClass = CHARACTER_CLASS[text.charCodeAt(index)]!
        if (nextClass === NEWLINE) lastNewline = index
        else if (nextClass !== SPACE) break
        index++
      }
      if (lastNewline >= 0) total += weights.newline
      const spaces = lastNewline >= 0 ? index - lastNewline - 1 : index - start
      if (spaces > 1 || (spaces === 1 && index === length)) total += weights.indentation
      afterSpace = spaces > 0
      if (afterSpace && nextClass === DIGIT) total += weights.spaceBeforeDigit
      streak = 0
      continue
    }

    if (characterClass === DIGIT) {
      index = endOfClass(text, index, { end, characterClass: DIGIT })
      total += weights.digitGroup * Math.ceil((index - start) / 3)
      streak = Math.min(streak + 1, SCRAMBLED_AFTER)
      afterSpace = false
      continue
    }

    if (characterClass === PUNCTUATION) {
      let previous = code
      let further = 0
      let repeated = 0
      let nextClass = SPACE
      while (index < end) {
        const next = text.charCodeAt(index)
        nextClass = CHARACTER_CLASS[next]!
        if (nextClass !== PUNCTUATION) break
        if (next === previous) repeated++
        else further++
        previous = next
        index++
      }
      const isPrefix = index - start === 1 && !afterSpace && (nextClass === LOWER || nextClass === UPPER)
      if (isPrefix) {
        total += weights.prefix[PREFIX_GROUP[code]!]!
        if (KEEPS_STREAK[code] === 0) streak = 0
        continue
      }
      total += weights.punctuation + further * weights.furtherMark + repeated * weights.repeatedMark
      if (nextClass === NEWLINE) {
        total += weights.newlineAfterMark
        index = endOfClass(text, index, { end, characterClass: NEWLINE })
      }
      streak = 0
      afterSpace = false
      continue
    }

    streak = 0
    afterSpace = false

    if (characterClass === HAN || characterClass === COMMON_HAN) {
      let common = characterClass === COMMON_HAN ? 1 : 0
      while (index < end) {
        const nextClass = CHARACTER_CLASS[text.charCodeAt(index)]
        if (nextClass === COMMON_HAN) common++
        else if (nextClass !== HAN) break
        index++
      }
      total += weights.hanRun + common * weights.commonHan + (index - start - common) * weights.han
      continue
    }

    if (characterClass >= FIRST_SCRIPT && characterClass <= RARE_LETTER) {
      index = endOfClass(text, index, { end, characterClass })
      const [run, letter] = weights.scripts[characterClass - FIRST_SCRIPT]!
      total += run + letter * (index - start)
      continue
    }

    let repeated = 0
    const low = characterClass === HIGH_SURROGATE && index < length ? text.charCodeAt(index) : 0
    if (CHARACTER_CLASS[low] === LOW_SURROGATE) {
      index++
      while (index + 1 < end && text.charCodeAt(index) === code && text.charCodeAt(index + 1) === low) {
        repeated++
        index += 2
      }
      total += weights.astral + repeated * weights.repeatedAstral
      continue
    }

    while (index < end && text.charCodeAt(index) === code) {
      repeated++
      index++
    }
    if (characterClass === WIDE_PUNCTUATION)
      total += weights.widePunctuation + repeated * weights.repeatedWidePunctuation
    else total += weights.symbol + repeated * weights.repeatedSymbol
  }
  return { total, index, afterSpace, streak, foreign }
}

function endOfClass(
  text: string,
  from: number,
  { end, characterClass }: { readonly end: number; readonly characterClass: number },
): number {
  let index = from
  while (index < end && CHARACTER_CLASS[text.charCodeAt(index)] === characterClass) index++
  return index
}

/** The 1-based number of the group that holds each ASCII character. 0: no group. */
function numberGroups(groups: readonly string[]): Uint8Array {
  const numbers = new Uint8Array(128)
  groups.forEach((characters, index) => {
    for (const character of characters) numbers[character.charCodeAt(0)] = index + 1
  })
  return numbers
}
