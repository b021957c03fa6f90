/**
 * What a UTF-16 unit is, as far as telling words apart needs it. This is a table, so that a scan costs one
 * lookup a character.
 */

const NO_LETTER = 0
/** A letter of a script that puts spaces between words. */
export const LETTER = 1
export const DIGIT = 2
/** Letters of scripts without spaces. Runs of different kinds are different words. */
const HAN = 3
const HIRAGANA = 4
export const KATAKANA = 5
const UNSPACED = 6

const RANGES: readonly (readonly [kind: number, first: number, last: number])[] = [
  [DIGIT, 0x30, 0x39],
  [LETTER, 0x41, 0x5a],
  [LETTER, 0x5f, 0x5f],
  [LETTER, 0x61, 0x7a],
  [LETTER, 0xaa, 0xaa],
  [LETTER, 0xb5, 0xb5],
  [LETTER, 0xba, 0xba],
  [LETTER, 0xc0, 0x1fff],
  [NO_LETTER, 0xd7, 0xd7],
  [NO_LETTER, 0xf7, 0xf7],
  [NO_LETTER, 0x37e, 0x37e],
  [NO_LETTER, 0x387, 0x387],
  [NO_LETTER, 0x589, 0x589],
  [NO_LETTER, 0x5be, 0x5be],
  [NO_LETTER, 0x60c, 0x60d],
  [NO_LETTER, 0x61b, 0x61f],
  [DIGIT, 0x660, 0x669],
  [NO_LETTER, 0x66a, 0x66d],
  [NO_LETTER, 0x6d4, 0x6d4],
  [DIGIT, 0x6f0, 0x6f9],
  [NO_LETTER, 0x964, 0x965],
  [DIGIT, 0x966, 0x96f],
  [UNSPACED, 0xe00, 0xeff],
  [UNSPACED, 0x1000, 0x109f],
  [UNSPACED, 0x1780, 0x17ff],
  [LETTER, 0x2c00, 0x2dff],
  [HAN, 0x2e80, 0x2fdf],
  [HAN, 0x3005, 0x3007],
  [HIRAGANA, 0x3041, 0x309f],
  [KATAKANA, 0x30a1, 0x30ff],
  [LETTER, 0x3105, 0x318e],
  [KATAKANA, 0x31f0, 0x31ff],
  [HAN, 0x3400, 0x4dbf],
  [HAN, 0x4e00, 0x9fff],
  [LETTER, 0xa000, 0xd7fb],
  [HAN, 0xf900, 0xfaff],
  [LETTER, 0xfb00, 0xfdff],
  [LETTER, 0xfe70, 0xfefc],
  [DIGIT, 0xff10, 0xff19],
  [LETTER, 0xff21, 0xff3a],
  [LETTER, 0xff41, 0xff5a],
  [KATAKANA, 0xff66, 0xff9f],
]

export const LETTER_KIND: Uint8Array = buildKinds()

function buildKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000)
  for (const [kind, first, last] of RANGES) kinds.fill(kind, first, last + 1)
  return kinds
}
