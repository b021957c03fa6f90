import assert from 'node:assert/strict'
import { searchableText } from '../../log/index.ts'
import { countTerms } from '../../search/index.ts'
import type { ErasureRecord, ErasureTarget, Store } from '../../store/index.ts'
import type { Chat } from './chat.ts'

/** Short calls for erasures in the cases. */

/** A word that appears only in data that is to be erased. */
export const CANARY = 'zanzibarium'

const MAX_SLICES = 10_000

interface EraseOptions {
  readonly namespace?: string
  /** Gives the store for the next slice. Left out: always the same store. */
  readonly next?: () => Promise<Store>
}

/** Erases until the next stage begins. */
export async function erase(
  store: Store,
  target: ErasureTarget,
  { namespace = 'test', next = async () => store }: EraseOptions = {},
): Promise<ErasureRecord> {
  const now = Date.UTC(2026, 5, 1)
  let record = await store.erasure.beginErasure(namespace, { target, now })
  assert.deepEqual(
    [record.stage, record.target, record.counts, record.requestedAt.getTime()],
    ['erasing', target, {}, now],
  )
  for (let slices = 0; record.stage === 'erasing'; slices++) {
    assert.ok(slices < MAX_SLICES, 'it comes to an end')
    record = await (await next()).erasure.continueErasure(namespace, { id: record.id, now })
  }
  assert.equal(record.stage, 'rebuilding')
  return record
}

export function eraseMessages({ store, key }: Chat, ...seqs: readonly number[]): Promise<ErasureRecord> {
  return erase(store, { kind: 'messages', sessionId: key.id, seqs }, { namespace: key.namespace })
}

/** Goes through all stages, in place of the code that rebuilds segments and removes files. */
export async function finish(
  store: Store,
  { id }: ErasureRecord,
  namespace = 'test',
): Promise<ErasureRecord> {
  await store.mirror.forgetErasedDocuments(namespace, await store.mirror.listErasedDocuments(namespace))
  let record: ErasureRecord | null = null
  for (const from of ['rebuilding', 'files', 'scrubbing'] as const)
    record = await store.erasure.advanceErasure(namespace, { id, from })
  assert.equal(record?.stage, 'done')
  return record
}

/** Puts all messages of a session into the index. */
export async function indexAll({ store, key }: Chat): Promise<void> {
  for (;;) {
    const work = await store.search.readIndexWork(key, { messages: 500, characters: 1_000_000 })
    if (work === null) return
    const terms = new Map<string, [number, number][]>()
    const messages = work.messages.map(({ content, ...message }) => {
      const counts = countTerms(searchableText(content))
      for (const [term, count] of counts) terms.set(term, [...(terms.get(term) ?? []), [message.seq, count]])
      return { ...message, length: counts.size }
    })
    const edited = work.edited.map(({ seq }) => seq)
    assert.ok(await store.search.writeIndex(key, { work, terms, finish: { messages, edited } }))
  }
}

const ALL = 100_000

/** All that a reader can see of a session, as text. */
export async function toldBySession(store: Store, id: string, namespace = 'test'): Promise<string> {
  const key = { namespace, id }
  const messages = await store.log.readMessages(key, { limit: ALL, from: 'oldest' })
  const versions = []
  for (const { seq } of messages) versions.push(await store.log.readVersions(key, seq))
  const found = await store.search.readSearch(namespace, {
    terms: ['', ...'abcdefghijklmnopqrstuvwxyz'].filter(Boolean).map(term => ({ term, prefix: true })),
    sessions: [id],
    page: { limit: 1 },
  })
  return JSON.stringify({
    messages,
    versions,
    record: await store.sessions.readSession(key),
    segments: await store.folds.readSegments(key, 'all'),
    context: await store.context.readContext(key, { tokens: ALL, archivedTokens: ALL, days: [] }),
    plan: await store.folds.readPlan(key),
    pins: await store.pins.readPins(key),
    file: (await store.sessions.readSession(key)) && (await store.transfer.exportSession(key)),
    work: await store.search.readIndexWork(key, { messages: ALL, characters: Number.MAX_SAFE_INTEGER }),
    at: await store.log.readMessages(key, { seqs: messages.map(({ seq }) => seq) }),
    found: found.reads.map(({ index, speakers }) => ({
      speakers,
      terms: [...index.postings].map(([term, { seqs }]) => [term, [...seqs]]),
    })),
  })
}

/** All that a reader can see of the documents of a namespace, as text. */
export async function toldByDocuments(store: Store, namespace = 'test'): Promise<string> {
  const told = []
  for (const { layer, key } of await store.documents.listDocuments(namespace, { limit: ALL })) {
    const name = { namespace, layer, key }
    told.push({
      document: await store.documents.readDocument(name),
      versions: await store.documents.readDocumentVersions(name, { limit: ALL }),
      facts: await store.documents.readFacts(name, 'all'),
      mirror: await store.mirror.readMirrorStates(namespace, [name]),
    })
  }
  return JSON.stringify(told)
}

/** All that a reader can see of a namespace, as text. */
export async function toldBy(store: Store, namespace = 'test'): Promise<string> {
  const sessions = await store.sessions.listSessions(namespace, { limit: ALL })
  const told = [JSON.stringify(sessions), await toldByDocuments(store, namespace)]
  for (const { id } of sessions) told.push(await toldBySession(store, id, namespace))
  told.push(JSON.stringify(await store.events.readEvents({ after: null, limit: ALL })))
  told.push(JSON.stringify(await store.settings.readSettings(namespace)))
  told.push(JSON.stringify(await store.inbox.readWaiting(namespace, { limit: ALL })))
  told.push(JSON.stringify(await store.rebuilds.listWithheld(namespace, { left: 'nothing', limit: ALL })))
  told.push(JSON.stringify(await store.rebuilds.listWithheld(namespace, { left: 'extract', limit: ALL })))
  return told.join('\n')
}

export function assertForgotten(told: string, word = CANARY): void {
  const place = told.toLowerCase().indexOf(word.toLowerCase())
  const excerpt = place === -1 ? '' : told.slice(Math.max(0, place - 300), place + 100)
  assert.equal(place, -1, `it is still told: …${excerpt}…`)
}
