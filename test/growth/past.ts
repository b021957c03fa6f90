import { foldSession } from '../../bench/fold.ts'
import { NEVER } from '../../bench/policies.ts'
import { createPalimpsest } from '../../packages/palimpsest/src/index.ts'
import type { DocumentKey, Store } from '../../packages/palimpsest/src/store/index.ts'
import { findDocument, insertVersion } from '../../packages/palimpsest/src/store/sql/documents.ts'
import type { Driver } from '../../packages/palimpsest/src/store/sql/driver.ts'
import { recordEvent } from '../../packages/palimpsest/src/store/sql/events.ts'
import { insertFacts } from '../../packages/palimpsest/src/store/sql/facts.ts'
import { insertMemo, insertSegment } from '../../packages/palimpsest/src/store/sql/fold.ts'
import { packAllDocuments } from '../../packages/palimpsest/src/store/sql/pack-all.ts'
import { packSegments } from '../../packages/palimpsest/src/store/sql/pack-segments.ts'
import type { SessionRow } from '../../packages/palimpsest/src/store/sql/rows.ts'
import { findSession } from '../../packages/palimpsest/src/store/sql/session.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { run, type Steps } from '../../packages/palimpsest/src/store/sql/steps.ts'
import { deltaBack } from '../../packages/palimpsest/src/store/sql/text-delta.ts'
import { unpackingDriver } from '../../packages/palimpsest/src/store/sql/unpacking-driver.ts'
import { warnOnStderr } from '../../packages/palimpsest/src/store/store.ts'
import type { Talk } from './talk.ts'

/** With `rounds`, three turns of two. */
export const MESSAGES_A_FOLD = 6
/** In each of the two documents. What a thousand messages of the same talk left when they were folded one by one. */
const FACTS_A_FOLD = 3
const FOLDS_AT_A_TIME = 500
const DAY_MS = 86_400_000
const TEXT = 'They spoke about the tickets, agreed on the dates, and left the hotel open. '.repeat(6)

interface Past {
  readonly session: string
  readonly folds: number
  readonly talk: Talk
}

const NAMESPACE = 'default'
const MESSAGES_AT_A_TIME = 1_000

/**
 * A session with what so many folds leave behind, without folding: messages and their index, rolled-up segments, facts
 * that hold no longer, versions, memos, operations and events. Written by the store's own functions, so that it lies as
 * they lay it.
 */
export async function writePast(driver: Driver, past: Past): Promise<void> {
  const { session: id, folds, talk } = past
  const store = new SqlStore(driver, warnOnStderr)
  const palimpsest = await createPalimpsest({
    store,
    policy: NEVER,
    folding: 'manual',
    clock: () => talk.now,
  })
  const messages = folds * MESSAGES_A_FOLD
  for (let said = 0; said < messages; said += MESSAGES_AT_A_TIME)
    await palimpsest.session(id).append(talk.next(Math.min(MESSAGES_AT_A_TIME, messages - said)))
  await writeFolded(store, driver, past)
  await packAll(driver)
  await foldSession(store, { namespace: NAMESPACE, id }, 0, talk.now)
  while (!(await palimpsest.settled({ timeoutMs: 60_000 })));
  await palimpsest.close()
}

/** As far as it would have been by then. */
async function packAll(packed: Driver): Promise<void> {
  const driver = unpackingDriver(packed)
  const { dialect } = driver
  let document: number | null = 0
  while (document !== null) document = await driver.write(() => packAllDocuments(document!, dialect))
  // No day is as full as this one, and it was over long ago.
  await driver.write(() => run('UPDATE documents SET packed_through = version WHERE day IS NOT NULL'))
}

async function writeFolded(store: Store, driver: Driver, past: Past): Promise<void> {
  const { session: id, folds, talk } = past
  const namespace = NAMESPACE
  const documents: readonly DocumentKey[] = [
    { namespace, layer: 'chat', key: id },
    { namespace, layer: 'daily', key: `2020-01-02/${id}` },
  ]
  for (const key of documents)
    await store.documents.changeDocuments([
      {
        key,
        change: () => ({ content: contentOf(0), tokens: 40 }),
        author: { kind: 'extraction', name: 'extractive' },
        sources: [],
        now: talk.now,
      },
    ])
  for (let from = 0; from < folds; from += FOLDS_AT_A_TIME) {
    const through = Math.min(folds, from + FOLDS_AT_A_TIME)
    await unpackingDriver(driver).write(() => writeFolds(past, documents, { from, through }))
  }
}

/** It ends alike after any even number of folds. */
function contentOf(version: number): string {
  return `# Chat memory\n\n## History\n- 2020-01-02: user: ${TEXT.slice(0, 300)} ${version % 2}\n`
}

function* writeFolds(
  past: Past,
  documents: readonly DocumentKey[],
  { from, through }: { from: number; through: number },
): Steps<void> {
  const session = (yield* findSession({ namespace: NAMESPACE, id: past.session }))!
  for (let fold = from; fold < through; fold++) yield* writeFold(session, fold, past)
  yield* packSegments(
    session.id,
    Array.from({ length: through - from }, (_, place) => from + place + 1),
  )
  for (const key of documents) yield* writeDocument(session, key, { from, through, now: past.talk.now })
}

function* writeFold(session: SessionRow, fold: number, { folds, talk }: Past): Steps<void> {
  const { now } = talk
  const toSeq = (fold + 1) * MESSAGES_A_FOLD
  const segment = {
    fromSeq: toSeq - MESSAGES_A_FOLD + 1,
    toSeq,
    messageCount: MESSAGES_A_FOLD,
    summary: TEXT,
    events: [],
    details: [],
    text: TEXT,
    state: 'live',
    type: 'lite',
    reason: 'rounds',
    summarizer: 'extractive',
    promptVersion: '1',
    tokensBefore: 150,
    tokensAfter: 100,
    absorbs: [],
    // As if everything had been rolled up into the first that is shown.
    rolledInto: folds + 1,
    createdAt: now,
    withheld: 0,
  }
  yield* insertSegment(session.id, { ...segment, id: fold + 1, level: 1 })
  yield* insertMemo(session, { value: { topic: 'a trip', open: ['hotel'] }, throughSeq: toSeq })
  yield* run(
    'INSERT INTO operations (session_id, operation_id, result) VALUES (?1, ?2, ?3)',
    session.id,
    `past-${fold}`,
    JSON.stringify({ segmentIds: [fold + 1], epoch: fold + 1 }),
  )
  yield* recordEvent({
    sessionId: session.id,
    type: 'fold-committed',
    at: now,
    fromSeq: segment.fromSeq,
    toSeq,
    data: { outcome: 'applied', type: 'lite', reason: 'rounds', segmentIds: [fold + 1], throughSeq: toSeq },
  })
}

/** Each fold makes a version, and all that it adds is replaced by the next. */
function* writeDocument(
  session: SessionRow,
  key: DocumentKey,
  { from, through, now }: { from: number; through: number; now: number },
): Steps<void> {
  const document = (yield* findDocument(key))!
  for (let fold = from; fold < through; fold++) {
    const version = fold + 2
    const toSeq = (fold + 1) * MESSAGES_A_FOLD
    const source = { fromSeq: toSeq - MESSAGES_A_FOLD + 1, toSeq }
    yield* insertVersion(document.id, {
      version,
      at: now,
      author: { kind: 'extraction', name: 'extractive' },
      sources: [{ sessionId: session.name, ...source }],
      undoes: null,
      back: deltaBack(contentOf(fold), contentOf(fold + 1)),
      content: contentOf(fold + 1),
    })
    const facts = Array.from({ length: FACTS_A_FOLD }, (_, place) => ({
      id: fold * FACTS_A_FOLD + place + 1,
      line: `- ${dayOf(fold)}: user: the order no. ${fold}.${place} is late again, and I am tired of waiting for it.`,
      subject: null,
      sessionId: session.id,
      ...source,
      saidAt: now,
      on: null,
      from: 'fold' as const,
      version,
      supersededAt: now,
      isWithdrawn: false,
    }))
    yield* insertFacts(document.id, facts)
  }
  yield* run(
    'UPDATE facts SET superseded_by = version + 1 WHERE document_id = ?1 AND superseded_by IS NULL AND version >= ?2',
    document.id,
    from + 2,
  )
  yield* run(
    'UPDATE documents SET version = ?2, content = ?3 WHERE id = ?1',
    document.id,
    through + 1,
    JSON.stringify(contentOf(through)),
  )
}

function dayOf(fold: number): string {
  return new Date(Date.UTC(2020, 0, 2) + Math.floor(fold / 24) * DAY_MS).toISOString().slice(0, 10)
}
