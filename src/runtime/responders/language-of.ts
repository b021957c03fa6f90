import { headOf } from '../../log/index.ts'

export type Language = 'en' | 'zh'

const HAN = /\p{sc=Han}/gu
/** Of Japanese and Korean, whose texts hold Chinese characters, too. */
const OTHER_ASIAN = /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
const LETTERS = /\p{L}/gu
const LOOKED_AT_CHARACTERS = 20_000

/** In which of the languages that the fixed phrases are written in a text is best answered. */
export function languageOf(text: string): Language {
  const beginning = headOf(text, LOOKED_AT_CHARACTERS)
  const chinese = beginning.match(HAN)?.length ?? 0
  const letters = beginning.match(LETTERS)?.length ?? 0
  return chinese > letters / 2 && !OTHER_ASIAN.test(beginning) ? 'zh' : 'en'
}
