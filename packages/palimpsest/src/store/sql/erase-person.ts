import { inertName, listedId, listedName, originOf } from '../../log/index.ts'
import type { LayerName } from '../document.ts'
import { findDocumentById, versionsOf } from './documents.ts'
import { hideDocument, hideOwnedDocuments } from './erase-documents.ts'
import { eraseMessages, eraseWithin, MESSAGES_AT_A_TIME } from './erase-messages.ts'
import { findSenders, retiredSenders, retireSenders } from './erase-senders.ts'
import { hideSession, lockSessionById } from './erase-session.ts'
import type { ErasureStep, Progress, Slice } from './erasure-slice.ts'
import { lineKeyMaker } from './facts.ts'
import { type Finish, finishSession } from './finish-session.ts'
import { doomBuild } from './forks.ts'
import { FOREIGN } from './rows.ts'
import {
  BEGINNING,
  LOOK_ROWS,
  type LogPage,
  type LogPlace,
  ROWS_AT_A_TIME,
  type ScannedMessage,
  type ScannedSession,
  scanLog,
} from './scan-log.ts'
import { all, first, run, type Steps } from './steps.ts'
import { type ForeignMessage, findForeign } from './strip-origins.ts'

/**
 * A person is known by the id that senders and private sessions bear. What the person said goes from every
 * session. Sessions of the person go whole. So do the person's own document and those of the person's own
 * scopes. Facts about the person go from all other documents. What the assistant said to other people stays,
 * since it is theirs as well.
 */

function personOf({ target }: Slice): string {
  return target.kind === 'person' ? target.id : ''
}

/** From now on no new row refers to the old names. */
export const beginPerson: ErasureStep = function* (slice) {
  const id = personOf(slice)
  yield* hideDocument('user', id, slice)
  yield* hideOwnedDocuments(id, slice)
  yield* retireSenders(yield* findSenders(id, slice), slice)
  return 'done'
}

interface Cursor {
  readonly place: LogPlace
  /** The oldest message that was erased in the present session. */
  readonly oldest: number | null
  readonly finish: Finish | null
  /** Something was found since the beginning. Then the whole log is read once more. */
  readonly isFound: boolean
}

const START: Cursor = { place: BEGINNING, oldest: null, finish: null, isFound: false }

/** Reads the whole log again and again, until a pass finds nothing. */
export const eraseWhatWasSaid: ErasureStep = function* (slice, cursor) {
  const at = (cursor ?? START) as Cursor
  if (at.finish !== null) {
    const finish = yield* finishSession(at.finish, slice)
    return { next: { ...at, finish } }
  }
  const senders = new Set((yield* retiredSenders(slice)).filter(isOf(personOf(slice))).map(({ id }) => id))
  let { place } = at
  for (let rows = 0; rows < ROWS_AT_A_TIME; ) {
    const page = yield* scanLog(slice.namespace, place)
    if (page === null) return at.isFound ? { next: START } : 'done'
    const next = yield* eraseFromPage(page, { ...at, place }, senders, slice)
    if (next !== null) return { next } satisfies Progress
    rows += page.messages.length + LOOK_ROWS
    place = page.next
  }
  return { next: { ...at, place } }
}

function isOf(personId: string): (sender: { readonly person: { readonly id: string } | null }) => boolean {
  return ({ person }) => person?.id === personId
}

/** Returns where to go on after a write. `null`: this page had nothing to erase. */
function* eraseFromPage(
  { session, messages, next }: LogPage,
  at: Cursor,
  senders: ReadonlySet<number>,
  slice: Slice,
): Steps<Cursor | null> {
  if (session === null) return null
  const isBeginning = at.place.session !== session.id
  if (isBeginning && (yield* eraseWhole(session, slice)))
    return { ...at, place: { session: session.id, seq: 0 }, isFound: true }
  const isTheirs = ({ sender_id }: ScannedMessage) => sender_id !== null && senders.has(sender_id)
  const theirs = messages.filter(isTheirs).map(({ seq }) => seq)
  const passedOn = theirs.length > 0 ? null : yield* findPassedOn(session, messages, slice)
  if (passedOn !== null && passedOn.within.length > 0) {
    const locked = yield* lockSessionById(session.id, slice)
    if (locked) yield* eraseWithin(locked, passedOn.within, slice)
    const first = Math.min(at.oldest ?? Number.POSITIVE_INFINITY, passedOn.within[0]!.seq)
    return { ...at, place: at.place, oldest: first, isFound: true }
  }
  const seqs = passedOn?.whole ?? theirs
  const oldest = at.oldest ?? seqs[0] ?? null
  if (seqs.length > 0) {
    const batch = seqs.slice(0, MESSAGES_AT_A_TIME)
    const locked = yield* lockSessionById(session.id, slice)
    const erased = locked && (yield* eraseMessages(locked, batch, slice))
    const seq = erased?.through ?? batch.at(-1)!
    return { ...at, place: { session: session.id, seq }, oldest, isFound: true }
  }
  const isEnd = next.seq === 0
  if (!isEnd || oldest === null) return null
  return { ...at, place: next, oldest: null, finish: { session: session.id, from: oldest, through: oldest } }
}

/**
 * What the person said stays the person's when it is passed on. It is found by the id in its origin. A
 * message that holds nothing else is erased whole; from any other message the words are taken out. A name
 * alone identifies no person, so people who hide their ids are not found.
 */
function* findPassedOn(
  session: ScannedSession,
  messages: readonly ScannedMessage[],
  slice: Slice,
): Steps<{ readonly whole: readonly number[]; readonly within: readonly ForeignMessage[] }> {
  const seqs = messages.filter(({ flags }) => (flags & FOREIGN) !== 0).map(({ seq }) => seq)
  const id = personOf(slice)
  const found = seqs.length === 0 ? [] : yield* findForeign(session, seqs, ({ from }) => from?.id === id)
  const isWhole = ({ left }: ForeignMessage) => !left.some(part => originOf(part) === null)
  return {
    whole: found.filter(isWhole).map(({ seq }) => seq),
    within: found.filter(each => !isWhole(each)).slice(0, MESSAGES_AT_A_TIME),
  }
}

/**
 * Private sessions and agent threads that belong to the person go whole. A group belongs to all who speak
 * there. A session that is still being built may hold what the person said, and its builder has read that
 * already: such a session never appears.
 */
function* eraseWhole(session: ScannedSession, slice: Slice): Steps<boolean> {
  if (session.ready === 0) {
    yield* doomBuild(session.id, slice)
    return true
  }
  if (session.user_id !== personOf(slice)) return false
  const locked = yield* lockSessionById(session.id, slice)
  if (!locked) return true
  if (session.kind !== 'group') yield* hideSession(locked, slice)
  else yield* run('UPDATE sessions SET user_id = NULL WHERE id = ?1', session.id)
  return session.kind !== 'group'
}

interface DocumentCursor {
  readonly layer: LayerName | ''
  readonly name_key: string
}

const DOCUMENTS_AT_A_TIME = 20

/** Facts that documents hold about the person, and the person's name as their author. */
export const condemnFactsAbout: ErasureStep = function* (slice, cursor) {
  const { layer, name_key } = (cursor ?? { layer: '', name_key: '' }) as DocumentCursor
  const documents = yield* all<DocumentCursor & { id: number }>(
    `SELECT id, layer, name_key FROM documents
     WHERE namespace = ?1 AND (layer, name_key) > (?2, ?3) ORDER BY layer, name_key
     LIMIT ${DOCUMENTS_AT_A_TIME}`,
    slice.namespace,
    layer,
    name_key,
  )
  const last = documents.at(-1)
  if (!last) return cursor === null ? 'nothing' : 'done'
  const names = yield* namesOf(slice)
  for (const document of documents) {
    yield* run(
      'UPDATE facts SET gone = 2 WHERE document_id = ?1 AND subject = ?2 AND gone < 2',
      document.id,
      personOf(slice),
    )
    yield* forgetAuthor(document.id, names)
    if (document.layer === 'chat') yield* condemnLists(document, names)
  }
  return { next: { layer: last.layer, name_key: last.name_key } }
}

function* namesOf(slice: Slice): Steps<readonly string[]> {
  const id = personOf(slice)
  const senders = (yield* retiredSenders(slice)).filter(isOf(id))
  return [...new Set([id, ...senders.flatMap(({ person }) => person.name ?? [])])]
}

/** A display name is no identity. But as the author of a version it stands for the person. */
function* forgetAuthor(documentId: number, names: readonly string[]): Steps<void> {
  for (const name of names)
    yield* run(
      `UPDATE document_versions SET author_name = NULL
       WHERE document_id = ?1 AND author_kind = 'person' AND author_name = ?2`,
      documentId,
      JSON.stringify(name),
    )
}

/** The lines of all versions. */
function* everyLine(documentId: number): Steps<readonly string[]> {
  const row = yield* findDocumentById(documentId)
  const versions = row ? yield* versionsOf(row, { limit: row.version }) : []
  return [...new Set(versions.flatMap(({ content }) => content.split('\n')))]
}

/**
 * A new chat memory lists who is there, as `- With: Ann, Bo`. That is no fact, but it is about the person.
 */
function* condemnLists({ id }: { readonly id: number }, names: readonly string[]): Steps<void> {
  const lines = (yield* everyLine(id)).filter(line => isListOf(line, names))
  const lineKey = yield* lineKeyMaker()
  for (const line of new Set(lines)) {
    const newest = yield* first<{ id: number | null }>(
      'SELECT max(id) AS id FROM facts WHERE document_id = ?1',
      id,
    )
    yield* run(
      `INSERT INTO facts (document_id, id, line, line_key, session_id, from_seq, to_seq, said_at, source, version, gone)
       VALUES (?1, ?2, ?3, ?4, 0, 0, 0, 0, 'tool', 0, 2)`,
      id,
      (newest?.id ?? 0) + 1,
      JSON.stringify(line),
      lineKey(line),
    )
  }
}

const MAX_LABEL = 40

/** A name may itself hold commas, so each is searched for as a whole item. */
function isListOf(line: string, names: readonly string[]): boolean {
  const colon = line.indexOf(': ')
  if (!line.startsWith('- ') || colon === -1 || colon > MAX_LABEL) return false
  const listed = `, ${line.slice(colon + 2).trimEnd()}`
  return names.some(name =>
    [name, inertName(name), listedName(name), listedId(name)].some(
      item =>
        item !== '' &&
        (listed.endsWith(`, ${item}`) ||
          listed.includes(`, ${item}, `) ||
          listed.includes(`, ${item} (`) ||
          listed.includes(` (${item})`) ||
          listed.includes(` (${item};`)),
    ),
  )
}
