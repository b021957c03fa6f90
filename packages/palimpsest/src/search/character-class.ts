/** The classes of characters, as search sees them. */
export const SEPARATOR = 1
/** A letter, digit or mark of a script that puts spaces between its words. */
export const WORD = 2
/** A letter of a script without spaces between words. It is searched by pairs of letters. */
export const UNSPACED = 3
const EMOJI = 4

const UNSPACED_LETTER =
  /^(?=[\p{L}\p{M}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}]/u
const EMOJI_CHARACTER = /^[\p{Extended_Pictographic}\p{Regional_Indicator}]/u
/** Latin letters and digits form words even inside East Asian texts. */
const SPACED_LETTER = /^[\p{Nd}\p{sc=Latin}]/u

/** By code point. Filled when a character is first met; 0 means not met yet. */
const classes = new Uint8Array(0x11_0000)

export function classOf(codePoint: number): number {
  const known = classes[codePoint]!
  if (known !== 0) return known
  const found = classify(String.fromCodePoint(codePoint))
  classes[codePoint] = found
  return found
}

function classify(character: string): number {
  if (SPACED_LETTER.test(character)) return WORD
  if (UNSPACED_LETTER.test(character)) return UNSPACED
  if (WORD_CHARACTER.test(character)) return WORD
  if (EMOJI_CHARACTER.test(character)) return EMOJI
  return SEPARATOR
}
