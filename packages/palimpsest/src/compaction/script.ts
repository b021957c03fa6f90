import { FOREIGN } from '../language/index.ts'

/**
 * Finds the script of a text, if nearly all of it is in one script. The result is always the same for the
 * same text, and cheap, since only a bounded part is read.
 */

const SCRIPTS = [
  ['Latin', /\p{Script=Latin}+/gu],
  ['Cyrillic', /\p{Script=Cyrillic}+/gu],
  ['Greek', /\p{Script=Greek}+/gu],
  ['Arabic', /\p{Script=Arabic}+/gu],
  ['Hebrew', /\p{Script=Hebrew}+/gu],
  ['Devanagari', /\p{Script=Devanagari}+/gu],
  ['Bengali', /\p{Script=Bengali}+/gu],
  ['Tamil', /\p{Script=Tamil}+/gu],
  ['Thai', /\p{Script=Thai}{1,4}/gu],
  ['Georgian', /\p{Script=Georgian}+/gu],
  ['Armenian', /\p{Script=Armenian}+/gu],
  ['Hangul', /\p{Script=Hangul}{1,2}/gu],
  ['Han', /\p{Script=Han}{1,2}/gu],
  ['Kana', /[\p{Script=Hiragana}\p{Script=Katakana}]{1,2}/gu],
] as const

/** Accents and vowel signs. They come with letters and belong to no script of their own. */
const MARKS = /\p{M}+/gu

const MAX_CHARACTERS = 20_000
/** A text with fewer words has no dominant script. */
const MIN_WORDS = 8
const OVERWHELMING = 0.8
/** With at least this share of kana, the Han characters are Japanese too. */
const KANA_OF_JAPANESE = 0.1

/**
 * The Unicode name of the script, or `Japanese` for kana with Han. `null`: the text is too short or mixed.
 */
export function dominantScript(text: string): string | null {
  const words = countWords(text)
  const kana = words.get('Kana') ?? 0
  const han = words.get('Han') ?? 0
  if (kana > 0 && kana >= (kana + han) * KANA_OF_JAPANESE) {
    words.delete('Kana')
    words.delete('Han')
    words.set('Japanese', kana + han)
  }
  const total = [...words.values()].reduce((sum, count) => sum + count, 0)
  if (total < MIN_WORDS) return null
  for (const [script, count] of words) if (count >= total * OVERWHELMING) return script
  return null
}

/** A run of letters is a word. In scripts without spaces, two characters are a word. */
function countWords(text: string): Map<string, number> {
  const prose = text.slice(0, MAX_CHARACTERS).replace(FOREIGN, ' ').replace(MARKS, '')
  const words = new Map<string, number>()
  for (const [script, pattern] of SCRIPTS) {
    const count = prose.match(pattern)?.length ?? 0
    if (count > 0) words.set(script, count)
  }
  return words
}

/**
 * The script that the summary should have. `null`: the summary has the right script, or the script is
 * unclear.
 */
export function missedScript(source: string, summary: string): string | null {
  const wanted = dominantScript(source)
  const written = dominantScript(summary)
  if (wanted === null || written === null || wanted === written) return null
  // Japanese notes may contain hardly any kana.
  return wanted === 'Japanese' && written === 'Han' ? null : wanted
}
