import { type Language, languageOfMessages, languageOfTag, languageSetting } from '../language/index.ts'
import type { Message } from '../log/index.ts'
import type { SessionRecord } from '../store/index.ts'
import type { MemoryEngine } from './engine.ts'

/**
 * The language of a new document. It is that of the session's contexts. If the session has none yet, these
 * messages decide. An existing document keeps its language.
 */
export function documentLanguage(
  engine: Pick<MemoryEngine, 'language'>,
  session: Pick<SessionRecord, 'settings' | 'language'>,
  messages: readonly Pick<Message, 'role' | 'content' | 'sender'>[],
): Language {
  const setting = languageSetting(session.settings['language'], engine.language)
  return setting === 'auto' ? (session.language ?? languageOfMessages(messages)) : languageOfTag(setting)
}
