import { en } from './en.ts'
import type { Texts } from './texts.ts'
import { zh } from './zh.ts'

/** Each language that the engine writes in: one file with all its texts, and one line here. */
const TEXTS = { en, zh } as const satisfies Readonly<Record<string, Texts>>

/** A language of what the engine itself writes. */
export type Language = keyof typeof TEXTS

export const LANGUAGES = Object.keys(TEXTS) as readonly Language[]

/** For every language that the engine does not write in. */
export const FALLBACK_LANGUAGE = 'en' satisfies Language

export function textsOf(language: Language): Texts {
  return TEXTS[language]
}

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(TEXTS, value)
}

/** `auto`: the language follows what is said. A tag: the engine's texts in that language, if it has them. */
export type LanguageSetting = 'auto' | (string & {})

export const LANGUAGE_RULE = 'auto, or a language such as en, zh or zh-CN'

const TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i

export function isLanguageSetting(value: unknown): value is LanguageSetting {
  return typeof value === 'string' && value.length <= 35 && (value === 'auto' || TAG.test(value))
}

/** The language for a tag such as `zh-CN`. */
export function languageOfTag(tag: string): Language {
  const primary = tag.toLowerCase().split(/[-_]/)[0]
  return isLanguage(primary) ? primary : FALLBACK_LANGUAGE
}
