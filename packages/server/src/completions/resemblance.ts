import type { Print } from './fingerprint.ts'

/** This many letters in a row do not occur in another text by chance. */
const MIN_CONTAINED_LETTERS = 8
/** A reply that was shortened to less than half is recognised only by at least this many letters in a row. */
const MIN_KEPT_LETTERS = 24
/** With fewer words than this, all words have to be there, with little between them. */
const FEW_WORDS = 5
const MIN_WORDS = 2
const MAX_AMONG_FEW = 3
/** The share of the shorter reply's words that both replies must have, in the same order. */
const MIN_SHARED = 0.6
/** One word in this many may be replaced, for example where a link is written in another way. */
const WORDS_FOR_ANOTHER = 10
/** A limit in table cells for all word comparisons together. Beyond the limit, words are not compared. */
const MAX_CELLS = 4_000_000

/**
 * Tells whether a reply that a client sends back is ours, although the client changed it. A client may add
 * something (a footer, a name, a note), leave something out (thoughts, code, the end), or both. If words are
 * replaced by others, the reply is another one: an edited one.
 */
export class Resemblance {
  #cells = 0
  readonly #known = new Map<string, boolean>()

  /**
   * One reply contains the other, wholly or nearly. This never happens by
   * chance, unless the replies are short.
   */
  contains(ours: Print, theirs: Print): boolean {
    return areComparable(ours, theirs) && isContained(ours, theirs)
  }

  /** One reply contains the other, or most words are in both in the same order and hardly one is replaced. */
  resembles(ours: Print, theirs: Print): boolean {
    if (!areComparable(ours, theirs)) return false
    const pair = `${ours.name} ${theirs.name}`
    const known = this.#known.get(pair)
    if (known !== undefined) return known
    const found = isContained(ours, theirs) || this.#sharesWords(ours, theirs)
    this.#known.set(pair, found)
    return found
  }

  #sharesWords(ours: Print, theirs: Print): boolean {
    const [one, other] = [tokensOf(ours.words), tokensOf(theirs.words)]
    const least = Math.min(one.length, other.length)
    if (least < MIN_WORDS) return false
    const difference = trimmed(one, other)
    this.#cells += difference.one.length * difference.other.length
    if (this.#cells > MAX_CELLS) return false
    const { shared, replaced } = compareWords(difference)
    const all = shared + difference.common
    if (least < FEW_WORDS) return all === least && Math.max(one.length, other.length) <= least * MAX_AMONG_FEW
    return all >= least * MIN_SHARED && replaced <= Math.floor(all / WORDS_FOR_ANOTHER)
  }
}

/** Long enough to be recognised by its words alone, without the question before it. */
export function isTelling({ letters }: Print): boolean {
  return letters.length >= MIN_KEPT_LETTERS
}

function areComparable(ours: Print, theirs: Print): boolean {
  return ours.role === 'assistant' && theirs.role === 'assistant' && ours.marks === theirs.marks
}

function isContained(ours: Print, theirs: Print): boolean {
  // The reply is emoji only, and the client added something.
  if (ours.letters === '') return theirs.signs.includes(ours.signs)
  if (ours.words === '' || theirs.words === '') return false
  const [one, other] = [ours.words.replaceAll(' ', ''), theirs.words.replaceAll(' ', '')]
  if (other.includes(one))
    return one.length >= MIN_CONTAINED_LETTERS || ` ${theirs.words} `.includes(` ${ours.words} `)
  if (!one.includes(other)) return false
  return other.length * 2 >= one.length || other.length >= MIN_KEPT_LETTERS
}

/** One word, or one character in scripts without spaces between words. */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/gu

function tokensOf(words: string): readonly string[] {
  return words.match(TOKEN) ?? []
}

interface Difference {
  readonly one: readonly string[]
  readonly other: readonly string[]
  /** How many words both begin with, plus how many both end with. */
  readonly common: number
}

function trimmed(one: readonly string[], other: readonly string[]): Difference {
  const most = Math.min(one.length, other.length)
  let head = 0
  while (head < most && one[head] === other[head]) head += 1
  let tail = 0
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  return {
    one: one.slice(head, one.length - tail),
    other: other.slice(head, other.length - tail),
    common: head + tail,
  }
}

/**
 * `shared`: the greatest number of words that both have in the same order. `replaced`: how many other words
 * stand in each other's place. If a number stands in the place of another number, the replies are never the
 * same; `replaced` is then infinite.
 */
function compareWords({ one, other }: Difference): { readonly shared: number; readonly replaced: number } {
  const width = other.length + 1
  const lengths = new Uint16Array((one.length + 1) * width)
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--) {
      const at = row * width + column
      lengths[at] =
        one[row] === other[column]
          ? lengths[at + width + 1]! + 1
          : Math.max(lengths[at + width]!, lengths[at + 1]!)
    }
  let replaced = 0
  let [row, column] = [0, 0]
  let [gone, come]: [string[], string[]] = [[], []]
  let isOther = false
  const endGap = () => {
    replaced += Math.min(gone.length, come.length)
    isOther ||= gone.some(isNumber) && come.some(isNumber)
    ;[gone, come] = [[], []]
  }
  while (row < one.length || column < other.length) {
    const at = row * width + column
    if (row < one.length && column < other.length && one[row] === other[column]) {
      endGap()
      row += 1
      column += 1
    } else if (column === other.length || (row < one.length && lengths[at + width]! >= lengths[at + 1]!)) {
      gone.push(one[row]!)
      row += 1
    } else {
      come.push(other[column]!)
      column += 1
    }
  }
  endGap()
  return { shared: lengths[0]!, replaced: isOther ? Number.POSITIVE_INFINITY : replaced }
}

function isNumber(word: string): boolean {
  return /\p{N}/u.test(word)
}
