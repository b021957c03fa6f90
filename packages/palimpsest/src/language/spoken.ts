import { headOf } from '../log/index.ts'
import { FOREIGN } from './foreign.ts'
import { FALLBACK_LANGUAGE, type Language, languageOfTag } from './language.ts'

const LOOKED_AT_CHARACTERS = 20_000
/**
 * The share of Han characters above which a text is Chinese. Chinese names keep their characters in English
 * text, and English names keep theirs in Chinese text.
 */
const MIN_HAN_SHARE = 0.25
/** Japanese and Korean use Han characters too, but a longer text always has characters of their own. */
const MAX_OTHER_SHARE = 0.1

/** The language of a text by its scripts, among those that the engine writes in. */
export function languageOfText(text: string): Language {
  const { letters, han, kana, hangul } = count(headOf(text, LOOKED_AT_CHARACTERS))
  const isChinese = han > letters * MIN_HAN_SHARE && kana + hangul <= han * MAX_OTHER_SHARE
  return isChinese ? languageOfTag('zh') : FALLBACK_LANGUAGE
}

/** Only this many characters of each message are looked at. */
const LOOKED_AT_OF_ONE = 2_000
const MAX_LINES = 40
/**
 * With fewer letters, a line in a script with spaces may be "ok", a name or an abbreviation in any language.
 */
const MIN_WORDS = 3
const MIN_LETTERS = 12
/** This many Han characters among other letters are more than a name. */
const MIN_HAN = 4

/**
 * The language that a message speaks for. `null`: none. A message that also has lines in another language may
 * quote them, such as an error message or a text to translate, so it speaks for neither language.
 */
export function spokenLanguage(text: string): Language | null {
  const prose = headOf(text, LOOKED_AT_OF_ONE).replace(FOREIGN, ' ')
  const tags = new Set<string>()
  for (const line of prose.split('\n').slice(0, MAX_LINES)) {
    const tag = /^\s*[>＞]/.test(line) ? null : tagOfLine(line)
    if (tag !== null) tags.add(tag)
  }
  const [tag] = tags
  return tags.size !== 1 || tag === MIXED ? null : languageOfTag(tag!)
}

/** Languages that cannot be told apart by their scripts. */
const OTHER = 'und'
const MIXED = 'mul'

function tagOfLine(line: string): string | null {
  const { letters, han, kana, hangul } = count(line)
  if (letters === 0) return null
  if (hangul > letters * MIN_HAN_SHARE) return 'ko'
  if (kana > (kana + han) * MAX_OTHER_SHARE && kana + han > letters * MIN_HAN_SHARE) return 'ja'
  if (han > letters * MIN_HAN_SHARE) return 'zh'
  if (han >= MIN_HAN) return MIXED
  const words = line.match(/\p{L}[\p{L}\p{M}'’]+/gu)?.length ?? 0
  return words >= MIN_WORDS || letters >= MIN_LETTERS ? OTHER : null
}

function count(text: string): { letters: number; han: number; kana: number; hangul: number } {
  const of = (characters: RegExp) => text.match(characters)?.length ?? 0
  const letters = of(/\p{L}/gu)
  const han = of(/\p{Script=Han}/gu)
  if (letters === 0) return { letters, han: 0, kana: 0, hangul: 0 }
  return {
    letters,
    han,
    kana: of(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu),
    hangul: of(/\p{Script=Hangul}/gu),
  }
}
