import type { Sender } from '../../log/index.ts'
import type { Erasable, ErasablePlace } from '../erasure.ts'
import { allIn } from './many.ts'
import { all, type Steps } from './steps.ts'

/**
 * Everything that an erasure can be about, in all namespaces. The caller knows only hashes of the names. A
 * person is named in several places, and any one of them is enough for an erasure to have work.
 */

const ROWS_AT_A_TIME = 1_000

type Part = (after: number) => Steps<{ readonly found: readonly Erasable[]; readonly last: number | null }>

/** The parts are read in this order. When one has no more, the next one follows. */
const PARTS: readonly Part[] = [readNamespaces, readSessions, readSenders, readDocuments]

export function* listErasable({
  part,
  after,
}: ErasablePlace): Steps<{ readonly found: readonly Erasable[]; readonly next: ErasablePlace | null }> {
  const { found, last } = yield* PARTS[part]!(after)
  if (last !== null) return { found, next: { part, after: last } }
  return { found, next: part + 1 < PARTS.length ? { part: part + 1, after: 0 } : null }
}

/** Rows without a session or document count as well: a namespace is erased with its settings and keys. */
const WITH_NAMESPACE = [
  ...['sessions', 'documents', 'senders', 'settings', 'api_keys'],
  ...['requests', 'mirrors', 'spending'],
]

function* readNamespaces(): ReturnType<Part> {
  const rows = yield* all<{ namespace: string }>(
    WITH_NAMESPACE.map(table => `SELECT namespace FROM ${table}`).join(' UNION '),
  )
  const found = rows
    .filter(({ namespace }) => isOfCaller(namespace))
    .map(({ namespace }): Erasable => ({ kind: 'namespace', namespace, id: namespace }))
  return { found, last: null }
}

/** Documents that are being erased are in a namespace of the erasure itself. */
function isOfCaller(namespace: string): boolean {
  return namespace !== '' && !namespace.startsWith('\u0001')
}

function* readSessions(after: number): ReturnType<Part> {
  const rows = yield* all<{
    id: number
    namespace: string
    name: string
    user_id: string | null
    ready: number
  }>(
    `SELECT id, namespace, name, user_id, ready FROM sessions WHERE id > ?1 ORDER BY id LIMIT ${ROWS_AT_A_TIME}`,
    after,
  )
  const found = rows.flatMap(({ namespace, name, user_id, ready }): Erasable[] => [
    ...(ready === 1 ? [{ kind: 'session' as const, namespace, id: name }] : []),
    ...(user_id === null ? [] : [{ kind: 'person' as const, namespace, id: user_id }]),
  ])
  return { found, last: rows.at(-1)?.id ?? null }
}

function* readSenders(after: number): ReturnType<Part> {
  const rows = yield* all<{ id: number; namespace: string; sender: string }>(
    `SELECT id, namespace, sender FROM senders WHERE id > ?1 ORDER BY id LIMIT ${ROWS_AT_A_TIME}`,
    after,
  )
  const found = rows.flatMap(({ namespace, sender }): Erasable[] => {
    const { id } = (JSON.parse(sender) as Partial<Sender> | null) ?? {}
    return typeof id === 'string' ? [{ kind: 'person', namespace, id }] : []
  })
  return { found, last: rows.at(-1)?.id ?? null }
}

/** The person whose memory it is, the people its facts are about, and its author. */
function* readDocuments(after: number): ReturnType<Part> {
  const rows = yield* all<{ id: number; namespace: string; layer: string; name: string }>(
    `SELECT id, namespace, layer, name FROM documents WHERE id > ?1 ORDER BY id LIMIT ${ROWS_AT_A_TIME}`,
    after,
  )
  const namespaces = new Map(rows.map(({ id, namespace }) => [id, namespace]))
  const ids = [...namespaces.keys()]
  const subjects = yield* allIn<{ document_id: number; person: string }>(
    'SELECT DISTINCT document_id, subject AS person FROM facts WHERE subject IS NOT NULL AND document_id IN (*)',
    [],
    ids,
  )
  const authors = yield* allIn<{ document_id: number; person: string }>(
    `SELECT DISTINCT document_id, author_name AS person FROM document_versions
     WHERE author_kind = 'person' AND author_name IS NOT NULL AND document_id IN (*)`,
    [],
    ids,
  )
  const person = (documentId: number, id: string): Erasable => ({
    kind: 'person',
    namespace: namespaces.get(documentId)!,
    id,
  })
  const found = [
    ...rows.filter(({ layer }) => layer === 'user').map(({ id, name }) => person(id, name)),
    ...subjects.map(each => person(each.document_id, each.person)),
    ...authors.map(each => person(each.document_id, String(JSON.parse(each.person)))),
  ].filter(({ namespace }) => isOfCaller(namespace))
  return { found, last: rows.at(-1)?.id ?? null }
}
