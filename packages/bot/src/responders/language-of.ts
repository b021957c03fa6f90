import { type Language, languageOfTag, languageOfText, languageSetting } from '../../../palimpsest/src/language/index.ts'
import { type Message, ownText } from '../../../palimpsest/src/log/index.ts'
import type { Session } from '../../../palimpsest/src/session.ts'

/** In which language people are answered: as it is set, or as they speak here. */
export async function languageOf(session: Session, messages: readonly Message[]): Promise<Language> {
  const setting = languageSetting((await session.settings())['language'], session.languageSetting)
  if (setting !== 'auto') return languageOfTag(setting)
  return languageOfText(messages.map(({ content }) => ownText(content)).join('\n'))
}
