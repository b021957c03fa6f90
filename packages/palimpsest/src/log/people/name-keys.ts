import { LOOK_ALIKES } from './look-alikes.ts'

/**
 * Characters that are invisible or easily overlooked: characters of no width, control characters, spaces,
 * punctuation, and the accents of Latin, Greek and Cyrillic letters. Vowel signs of other scripts are
 * letters.
 */
const OVERLOOKED =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{P}\u2800]|[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu
/** Only this many characters of a name are compared. */
const MAX_CHARACTERS = 200

/**
 * The forms in which a name is compared. Two names that share a form look alike. One form leaves out case,
 * width and accents. The other also replaces each letter by the one that it is taken for. Empty: the name
 * shows nothing.
 */
export function nameKeys(name: string): readonly string[] {
  const whole = name.slice(0, MAX_CHARACTERS).toWellFormed().normalize('NFKD')
  const shown = whole.replace(OVERLOOKED, '')
  const folded = withoutCase(shown)
  if (folded === '') return withoutLetters(whole)
  const skeleton = asReadIn(shown)
  return folded === skeleton ? [folded] : [folded, skeleton]
}

/** A name of marks alone is compared by its marks. */
function withoutLetters(name: string): readonly string[] {
  const marks = name.replace(/[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\u2800]/gu, '')
  return marks === '' ? [] : [marks]
}

function asReadIn(name: string): string {
  let read = ''
  for (const letter of name) read += LOOK_ALIKES.get(letter) ?? letter
  // Two letters side by side may look like one letter.
  return withoutCase(read).replaceAll('m', 'rn').replaceAll('w', 'vv')
}

/** Goes through the capital, so that `ß` equals `ss`, and `ı` equals `i`. Some capitals bear an accent. */
function withoutCase(name: string): string {
  return name.toUpperCase().toLowerCase().normalize('NFKD').replace(OVERLOOKED, '')
}
