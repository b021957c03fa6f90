import {
  type Language,
  languageOfTag,
  languageOfText,
  languageSetting,
} from 'palimpsest/internals/language/index'
import { type Message, ownText } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'

/** The language of the answers: the one in the settings, or the one that people use here. */
export async function languageOf(session: Session, messages: readonly Message[]): Promise<Language> {
  const setting = languageSetting((await session.settings())['language'], session.languageSetting)
  if (setting !== 'auto') return languageOfTag(setting)
  return languageOfText(messages.map(({ content }) => ownText(content)).join('\n'))
}
