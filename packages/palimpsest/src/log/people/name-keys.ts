import { LOOK_ALIKES } from './look-alikes.ts'

/**
 * What does not show or is overlooked: characters of no width, control characters, blanks, punctuation, and the accents
 * that Latin, Greek and Cyrillic letters bear. Vowel signs of other scripts are letters.
 */
const OVERLOOKED =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{P}\u2800]|[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu
/** Longer names are told apart by their beginning or not at all. */
const MAX_CHARACTERS = 200

/**
 * The forms in which a name is compared: two that share one look alike. One is the name without its case, width and
 * accents; the other has the letters of all scripts as those that they are taken for. Empty: it shows nothing.
 */
export function nameKeys(name: string): readonly string[] {
  const whole = name.slice(0, MAX_CHARACTERS).toWellFormed().normalize('NFKD')
  const shown = whole.replace(OVERLOOKED, '')
  const folded = withoutCase(shown)
  if (folded === '') return withoutLetters(whole)
  const skeleton = asReadIn(shown)
  return folded === skeleton ? [folded] : [folded, skeleton]
}

/** A name of marks alone is compared by them. */
function withoutLetters(name: string): readonly string[] {
  const marks = name.replace(/[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\u2800]/gu, '')
  return marks === '' ? [] : [marks]
}

function asReadIn(name: string): string {
  let read = ''
  for (const letter of name) read += LOOK_ALIKES.get(letter) ?? letter
  // Two letters side by side may look like one.
  return withoutCase(read).replaceAll('m', 'rn').replaceAll('w', 'vv')
}

/** By the capital, so that `ß` and `ss`, `ı` and `i` are the same; some capitals bear an accent. */
function withoutCase(name: string): string {
  return name.toUpperCase().toLowerCase().normalize('NFKD').replace(OVERLOOKED, '')
}
