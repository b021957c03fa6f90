export type Language = 'en' | 'zh'

const HAN = /\p{sc=Han}/gu
/** Of Japanese and Korean, whose texts hold Chinese characters, too. */
const OTHER_ASIAN = /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
const LETTERS = /\p{L}/gu

/** In which of the languages that the fixed phrases are written in a text is best answered. */
export function languageOf(text: string): Language {
  const chinese = text.match(HAN)?.length ?? 0
  const letters = text.match(LETTERS)?.length ?? 0
  return chinese > letters / 2 && !OTHER_ASIAN.test(text) ? 'zh' : 'en'
}
