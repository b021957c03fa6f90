export {
  type DecidedLanguage,
  decideLanguage,
  hasEnoughVotes,
  LANGUAGE_SAMPLE,
  languageOfMessages,
  languageSetting,
} from './decide-language.ts'
export { FOREIGN } from './foreign.ts'
export {
  FALLBACK_LANGUAGE,
  isLanguage,
  isLanguageSetting,
  LANGUAGE_RULE,
  LANGUAGES,
  type Language,
  type LanguageSetting,
  languageOfTag,
  textsOf,
} from './language.ts'
export { languageOfText, spokenLanguage } from './spoken.ts'
export type { Texts } from './texts.ts'
