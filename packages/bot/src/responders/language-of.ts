import {
  type Language,
  languageOfTag,
  languageOfText,
  languageSetting,
} from 'palimpsest/internals/language/index'
import { type Message, ownText } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'

/** In which language people are answered: as it is set, or as they speak here. */
export async function languageOf(session: Session, messages: readonly Message[]): Promise<Language> {
  const setting = languageSetting((await session.settings())['language'], session.languageSetting)
  if (setting !== 'auto') return languageOfTag(setting)
  return languageOfText(messages.map(({ content }) => ownText(content)).join('\n'))
}
