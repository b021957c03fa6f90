import { type Language, languageOfMessages, languageOfTag, languageSetting } from '../language/index.ts'
import type { Message } from '../log/index.ts'
import type { SessionRecord } from '../store/index.ts'
import type { MemoryEngine } from './engine.ts'

/**
 * In which language a document is begun: as the session's contexts are, or where nothing has told that yet, by these
 * messages. One that is there keeps its own.
 */
export function documentLanguage(
  engine: Pick<MemoryEngine, 'language'>,
  session: Pick<SessionRecord, 'settings' | 'language'>,
  messages: readonly Pick<Message, 'role' | 'content' | 'sender'>[],
): Language {
  const setting = languageSetting(session.settings['language'], engine.language)
  return setting === 'auto' ? (session.language ?? languageOfMessages(messages)) : languageOfTag(setting)
}
