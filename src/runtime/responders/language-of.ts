import { type Language, languageOfTag, languageOfText, languageSetting } from '../../language/index.ts'
import { type Message, ownText } from '../../log/index.ts'
import type { Session } from '../../session.ts'

/** In which language people are answered: as it is set, or as they speak here. */
export async function languageOf(session: Session, messages: readonly Message[]): Promise<Language> {
  const setting = languageSetting((await session.settings())['language'], session.languageSetting)
  if (setting !== 'auto') return languageOfTag(setting)
  return languageOfText(messages.map(({ content }) => ownText(content)).join('\n'))
}
