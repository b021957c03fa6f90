import { COMMON_HAN as COMMON_HAN_CHARACTERS } from './common-han.ts'

/**
 * The class of a UTF-16 code unit, as a tokenizer sees it. Plain constants instead of an object, so that the
 * scanner's comparisons compile to immediates.
 */
const SYMBOL = 0
export const SPACE = 1
export const NEWLINE = 2
export const LOWER = 3
export const UPPER = 4
export const DIGIT = 5
export const PUNCTUATION = 6
export const WIDE_PUNCTUATION = 7
export const HAN = 8
export const HIRAGANA = 9
const KATAKANA = 10
const HANGUL = 11
const CYRILLIC = 12
const GREEK = 13
const HEBREW = 14
const ARABIC = 15
const INDIC = 16
const THAI = 17
const OTHER_LETTER = 18
/** Letters of scripts that tokenizers have hardly seen. Nearly every byte is a token. */
export const RARE_LETTER = 19
export const HIGH_SURROGATE = 20
export const LOW_SURROGATE = 21
export const COMMON_HAN = 22

/**
 * The first and last code unit of each class. Later rows win over earlier ones. A unit in no row is a symbol.
 */
const RANGES: readonly (readonly [characterClass: number, first: number, last: number])[] = [
  [PUNCTUATION, 0x21, 0x7e],
  [DIGIT, 0x30, 0x39],
  [UPPER, 0x41, 0x5a],
  [LOWER, 0x61, 0x7a],
  [SPACE, 0x09, 0x0d],
  [NEWLINE, 0x0a, 0x0a],
  [NEWLINE, 0x0d, 0x0d],
  [SPACE, 0x20, 0x20],
  [SPACE, 0xa0, 0xa0],
  [UPPER, 0xc0, 0xde],
  [LOWER, 0xdf, 0x2af],
  [SYMBOL, 0xd7, 0xd7],
  [SYMBOL, 0xf7, 0xf7],
  [OTHER_LETTER, 0x300, 0x36f],
  [GREEK, 0x370, 0x3ff],
  [CYRILLIC, 0x400, 0x52f],
  [OTHER_LETTER, 0x531, 0x58f],
  [HEBREW, 0x590, 0x5ff],
  [ARABIC, 0x600, 0x77f],
  [OTHER_LETTER, 0x780, 0x8ff],
  [INDIC, 0x900, 0xdff],
  [THAI, 0xe00, 0xeff],
  // Lao and Tibetan.
  [RARE_LETTER, 0xe80, 0xfff],
  [OTHER_LETTER, 0x1000, 0x10ff],
  [HANGUL, 0x1100, 0x11ff],
  // Ethiopic, Cherokee, Canadian syllabics and their neighbours. Khmer, better known, follows; then Mongolian
  // and others.
  [RARE_LETTER, 0x1200, 0x177f],
  [OTHER_LETTER, 0x1780, 0x17ff],
  [RARE_LETTER, 0x1800, 0x1cff],
  [OTHER_LETTER, 0x1d00, 0x1dff],
  [LOWER, 0x1e00, 0x1eff],
  [GREEK, 0x1f00, 0x1fff],
  [SPACE, 0x2000, 0x200a],
  [WIDE_PUNCTUATION, 0x2010, 0x2027],
  [WIDE_PUNCTUATION, 0x2030, 0x205e],
  [OTHER_LETTER, 0x2c00, 0x2dff],
  [WIDE_PUNCTUATION, 0x3001, 0x303f],
  [SPACE, 0x3000, 0x3000],
  [HIRAGANA, 0x3041, 0x309f],
  [KATAKANA, 0x30a0, 0x30ff],
  [OTHER_LETTER, 0x3100, 0x312f],
  [HANGUL, 0x3131, 0x318e],
  [KATAKANA, 0x31f0, 0x31ff],
  [HAN, 0x3400, 0x4dbf],
  [HAN, 0x4e00, 0x9fff],
  [RARE_LETTER, 0xa000, 0xabff],
  [HANGUL, 0xac00, 0xd7ff],
  [HIGH_SURROGATE, 0xd800, 0xdbff],
  [LOW_SURROGATE, 0xdc00, 0xdfff],
  [HAN, 0xf900, 0xfaff],
  [OTHER_LETTER, 0xfb00, 0xfb4f],
  [ARABIC, 0xfb50, 0xfdff],
  [ARABIC, 0xfe70, 0xfefe],
  [WIDE_PUNCTUATION, 0xff01, 0xff65],
  [OTHER_LETTER, 0xff10, 0xff19],
  [OTHER_LETTER, 0xff21, 0xff3a],
  [OTHER_LETTER, 0xff41, 0xff5a],
  [KATAKANA, 0xff66, 0xff9f],
]

/** One byte for every UTF-16 code unit. The 64 KB save a chain of comparisons for each character. */
export const CHARACTER_CLASS: Uint8Array = buildCharacterClasses()

function buildCharacterClasses(): Uint8Array {
  const classes = new Uint8Array(0x10000)
  for (const [characterClass, first, last] of RANGES) classes.fill(characterClass, first, last + 1)
  for (let index = 0; index < COMMON_HAN_CHARACTERS.length; index++)
    classes[COMMON_HAN_CHARACTERS.charCodeAt(index)] = COMMON_HAN
  return classes
}
