import { inertName } from '../context/index.ts'
import type { Language } from '../language/index.ts'
import { type Message, peopleIn } from '../log/index.ts'
import { type DocumentKey, documentSession, type SessionKey, type SessionRecord } from '../store/index.ts'
import { dayInZone, formatDay } from '../summarizer/calendar-day.ts'
import { chatTemplate } from './document/index.ts'
import { documentLanguage } from './document-language.ts'
import type { MemoryEngine } from './engine.ts'
import { listPeople } from './people-line.ts'

/** So many messages tell who is there and which language they use. */
const FIRST_MESSAGES = 20

type Reader = Pick<MemoryEngine, 'store' | 'namespace' | 'zone' | 'language'>

/**
 * The beginning of a document that does not exist yet. `null`: the session that it belongs to does not exist.
 */
export async function initialContent(engine: Reader, document: DocumentKey): Promise<string | null> {
  const { store, namespace } = engine
  const id = documentSession(document)
  if (id === null || (await store.documents.readDocument(document)) !== null) return ''
  const session = await store.sessions.readSession({ namespace, id })
  if (session === null) return null
  return document.layer === 'chat' ? newChatMemory(engine, session) : ''
}

export async function newChatMemory(engine: Reader, session: SessionRecord): Promise<string> {
  const { store, namespace } = engine
  const zone = session.zone ?? engine.zone
  const messages = await firstMessages({ store }, { namespace, id: session.id })
  const first = messages[0]
  const language = documentLanguage(engine, session, messages)
  return chatTemplate({
    kind: session.kind,
    with: namesOf(messages, session, language),
    firstContact: formatDay(dayInZone(first?.at ?? session.createdAt, first?.zone ?? zone)),
    language,
  })
}

async function firstMessages({ store }: Pick<MemoryEngine, 'store'>, key: SessionKey) {
  return store.log.readMessages(key, { limit: FIRST_MESSAGES, from: 'oldest' })
}

/** Display names come with the ids of their people, since a name is no identity. */
function namesOf(
  messages: readonly Message[],
  { kind, user }: SessionRecord,
  language: Language,
): string | null {
  const people = peopleIn(
    messages.filter(({ role, sender }) => role === 'user' && sender?.isSelf !== true),
    () => '',
  )
  if (kind !== 'private' || people.length > 1) return listPeople(people, language)
  const [person] = people
  const id = user === null ? null : inertName(user)
  const name = person && (person.names.at(-1)?.name ?? inertName(person.id))
  if (name === undefined || name === id) return name ?? id
  return id === null ? name : `${name} (${id})`
}
