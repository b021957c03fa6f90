import { DocumentConflictError, LeaseLostError, SessionExistsError } from '../../errors.ts'
import {
  CopyHash,
  type CopyImport,
  type CopyPage,
  type CopyReceipt,
  type CopyRecord,
  type CopyRow,
  hashOfRows,
} from '../copying.ts'
import type { DocumentKey } from '../document.ts'
import { InvalidExportError } from '../session-file.ts'
import type { SessionKey } from '../store.ts'
import { discard, discardAbandoned, KEPT_FOR_MS } from './build.ts'
import {
  ALIAS_COPIED,
  ALLOWANCE_COPIED,
  BEGINNING_COPIED,
  COPY_OPERATION,
  HIDDEN_COPIED,
  MEMO_COPIED,
  MESSAGE_COPIED,
  OPERATION_COPIED,
  PIN_COPIED,
  SCHEDULE_COPIED,
  SEGMENT_COPIED,
  SESSION_COPIED,
  VERSION_COPIED,
  WAITING_COPIED,
} from './copy-columns.ts'
import { deleteDocuments, insertDocuments } from './copy-documents.ts'
import { firstPlace, pageOf, readCopyRecord, readDocumentCopy, stateOf } from './copy-read.ts'
import { lockDocuments } from './document-locks.ts'
import { findDocument } from './documents.ts'
import type { Dialect, Driver } from './driver.ts'
import { recordEvent } from './events.ts'
import { FLOOR, MAX_FLOOR } from './first-number.ts'
import { readLastSeq } from './head.ts'
import { insertRows } from './insert-rows.ts'
import { digestOf, keyOf } from './keys.ts'
import { languageAlone, sessionLanguage } from './layers.ts'
import { allIn } from './many.ts'
import { packSegments } from './pack-segments.ts'
import { MAX_FORMAT, SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { lockSession } from './session.ts'
import { all, first, run, type SqlValue, type Steps } from './steps.ts'

/** The writing side of a copy. */

/**
 * Like a fork, a copy is written in many short transactions, and appears whole or not at all. Unlike a fork,
 * it is found again after a crash: its hidden name is made from the session's own name.
 */
export async function importCopy(driver: Driver, key: SessionKey, given: CopyImport): Promise<CopyReceipt> {
  checkNumber('sessions.epoch', given.original.epoch)
  const copy = { ...given, pages: checkedPages(given.pages) }
  return copy.replaces !== undefined && copy.replaces.after > 0
    ? continueCopy(driver, key, { ...copy, replaces: copy.replaces })
    : buildCopy(driver, key, copy)
}

async function* checkedPages(pages: CopyImport['pages']): AsyncGenerator<CopyPage> {
  for await (const page of pages) {
    for (const { table, values } of page.rows) {
      checkFormat(table, values)
      for (const [column, value] of Object.entries(values))
        if (typeof value === 'number') checkNumber(`${table}.${column}`, value)
    }
    yield page
  }
}

/**
 * A higher format says that the text is stored elsewhere in the original database. In this database another
 * text may stand there.
 */
function checkFormat(table: string, { format }: CopyRow['values']): void {
  if (format === undefined || (typeof format === 'number' && format >= 0 && format <= MAX_FORMAT)) return
  throw new InvalidExportError(`${table}.format`, `a number from 0 to ${MAX_FORMAT}`, format)
}

/**
 * A number above this leaves no room for higher ones, so it is refused. A database may have it from a file
 * that was imported before numbers were checked.
 */
function checkNumber(field: string, value: number): void {
  if (Number.isSafeInteger(value) && Math.abs(value) <= MAX_FLOOR) return
  throw new InvalidExportError(field, `a whole number of at most ${MAX_FLOOR}`, value)
}

async function buildCopy(driver: Driver, key: SessionKey, copy: CopyImport): Promise<CopyReceipt> {
  const pages = copy.pages[Symbol.asyncIterator]()
  const first = await pages.next()
  if (first.done) throw new Error('a copy without pages')
  const atOnce =
    first.value.next === null ? await writeAtOnce(driver, key, { copy, page: first.value }) : null
  if (atOnce) return atOnce
  const build = await driver.write(() => beginBuild(key, copy.original))
  if (build.outdated !== null) await discard(driver, build.outdated)
  await discardAbandoned(driver)
  const hash = new CopyHash()
  let written = 0
  for await (const page of startingWith(first.value, pages)) {
    hash.add(page.rows)
    const rows = page.rows.filter(row => !isMessageThrough(row, build.through))
    written += countMessages(rows)
    if (page.next === null) {
      const record = recordOf(copy, hash.digest())
      const retired = await driver.write(function* () {
        // This order is the same everywhere: a writer takes the session's lock first.
        const replaced = yield* retire(key, copy, driver.dialect)
        yield* renew(build)
        yield* finish(build.session, key, { rows, replaced, record, now: copy.now })
        return replaced
      })
      if (retired) await discard(driver, retired)
      return { hash: record.hash, verified: false, messages: hash.messages, written }
    }
    if (rows.length > 0)
      await driver.write(function* () {
        yield* renew(build)
        yield* writeParts(build.session, rows)
      })
  }
  throw new Error('a copy without a last page')
}

async function* startingWith(first: CopyPage, others: AsyncIterator<CopyPage>): AsyncGenerator<CopyPage> {
  yield first
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value
}

/** A copy of one page needs only one transaction. `null`: there is a build to go on with. */
async function writeAtOnce(
  driver: Driver,
  key: SessionKey,
  { copy, page }: { readonly copy: CopyImport; readonly page: CopyPage },
): Promise<CopyReceipt | null> {
  const hash = hashOfRows(page.rows)
  const result = await driver.write(function* () {
    const replaced = yield* retire(key, copy, driver.dialect)
    if (yield* findBuild(key)) return null
    const session = yield* insertBuild(key, `\u0001${crypto.randomUUID()}`, null)
    const record = recordOf(copy, hash)
    yield* finish(session, key, { rows: page.rows, replaced, record, now: copy.now })
    const stored = yield* findExisting(session)
    const read = yield* pageOf(stored, { ...firstPlace(stored), limit: Number.MAX_SAFE_INTEGER })
    const verified = hashOfRows(read.rows) === hash
    if (verified) yield* noteVerified(stored, hash)
    return { replaced, verified }
  })
  if (result === null) return null
  if (result.replaced) await discard(driver, result.replaced)
  const messages = countMessages(page.rows)
  return { hash, verified: result.verified, messages, written: messages }
}

function countMessages(rows: readonly CopyRow[]): number {
  return rows.filter(({ table }) => table === 'messages').length
}

function* finish(
  session: SessionRow,
  key: SessionKey,
  last: {
    readonly rows: readonly CopyRow[]
    readonly replaced: SessionRow | null
    readonly record: Omit<CopyRecord, 'copy'>
    readonly now: number
  },
): Steps<void> {
  yield* writeParts(session, last.rows)
  yield* writeRest(session, key, last.rows)
  yield* publish(session, key, last)
  yield* keepRecord(session, last.record)
}

function* findExisting({ id }: SessionRow): Steps<SessionRow> {
  return (yield* first<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1`, id))!
}

/** True for a message that an earlier run has written, and for its versions. */
function isMessageThrough({ table, values }: CopyRow, through: number): boolean {
  return (table === 'messages' || table === 'message_versions') && (values['seq'] as number) <= through
}

function recordOf({ original }: CopyImport, hash: string): Omit<CopyRecord, 'copy'> {
  return { original: original.mark, epoch: original.epoch, hash, verified: false }
}

interface CopyBuild {
  readonly session: SessionRow
  /** Messages up to this one are there already. */
  readonly through: number
  /** Grows each time a process goes on with the copy. The process before it can then write no more. */
  readonly token: number
  /** The rest of a copy of an older state. */
  readonly outdated: { readonly id: number } | null
}

function buildName({ id }: SessionKey): string {
  return `\u0001copy#${digestOf(id)}`
}

function* findBuild(key: SessionKey): Steps<SessionRow | undefined> {
  return yield* first<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE namespace = ?1 AND name_key = ?2 AND ready = 0`,
    key.namespace,
    buildName(key),
  )
}

function* insertBuild(key: SessionKey, name: string, origin: string | null): Steps<SessionRow> {
  const [session] = yield* all<SessionRow>(
    `INSERT INTO sessions (namespace, name_key, name, ready, kind, created_at, lease_owner, lease_until, last_outcome)
     VALUES (?1, ?2, ?3, 0, 'private', 0, 'copy', ?4, ?5) RETURNING ${SESSION_COLUMNS}`,
    key.namespace,
    name,
    key.id,
    Date.now() + KEPT_FOR_MS,
    origin,
  )
  return session!
}

function* beginBuild(key: SessionKey, original: CopyImport['original']): Steps<CopyBuild> {
  // Folds, edits and rollbacks begin an epoch. If messages were only added, the copy goes on where it is.
  const origin = JSON.stringify({ store: original.store, epoch: original.epoch })
  const found = yield* findBuild(key)
  if (found?.last_outcome === origin) return yield* goOn(found)
  if (found)
    yield* run(
      'UPDATE sessions SET name_key = ?2, lease_until = 0 WHERE id = ?1',
      found.id,
      `\u0001${crypto.randomUUID()}`,
    )
  const session = yield* insertBuild(key, buildName(key), origin)
  return { session, through: 0, token: session.lease_token, outdated: found ?? null }
}

function* goOn({ id }: SessionRow): Steps<CopyBuild> {
  const [session] = yield* all<SessionRow>(
    `UPDATE sessions SET lease_token = lease_token + 1, lease_until = ?2 WHERE id = ?1 RETURNING ${SESSION_COLUMNS}`,
    id,
    Date.now() + KEPT_FOR_MS,
  )
  // These come before the messages, and there are few of them. So they are deleted and written again.
  for (const table of ['segments', 'packs', 'memos'])
    yield* run(`DELETE FROM ${table} WHERE session_id = ?1`, id)
  return {
    session: session!,
    through: yield* readLastSeq(session!),
    token: session!.lease_token,
    outdated: null,
  }
}

function* renew({ session, token }: CopyBuild): Steps<void> {
  const [renewed] = yield* all(
    'UPDATE sessions SET lease_until = ?3 WHERE id = ?1 AND ready = 0 AND lease_token = ?2 RETURNING id',
    session.id,
    token,
    Date.now() + KEPT_FOR_MS,
  )
  if (!renewed) throw new LeaseLostError(session.name, token)
}

/** Hides the copy that is to be replaced, if it is still as the caller saw it. `null`: there is none. */
function* retire(key: SessionKey, { replaces }: CopyImport, dialect: Dialect): Steps<SessionRow | null> {
  const current = yield* lockUnchanged(key, replaces, dialect)
  if (current === null) return null
  yield* deleteDocuments(current.id)
  yield* run('DELETE FROM waiting WHERE session_id = ?1', current.id)
  yield* run('DELETE FROM aliases WHERE session_id = ?1', current.id)
  yield* run(
    `UPDATE sessions SET name_key = ?2, ready = 0, lease_owner = 'copy', lease_until = 0, pending = NULL,
       due_at = NULL, extract_at = NULL, rebuild_at = NULL, origin = NULL WHERE id = ?1`,
    current.id,
    `\u0001${crypto.randomUUID()}`,
  )
  return current
}

function* lockUnchanged(
  key: SessionKey,
  replaces: CopyImport['replaces'],
  dialect: Dialect,
): Steps<SessionRow | null> {
  const current = yield* lockSession(key, dialect)
  if (!current && replaces === undefined) return null
  if (!current || (yield* stateOf(current)).contentMark !== replaces?.contentMark)
    throw new SessionExistsError(key.id)
  return current
}

function* publish(
  session: SessionRow,
  key: SessionKey,
  { replaced, now }: { readonly replaced: SessionRow | null; readonly now: number },
): Steps<void> {
  const { id } = session
  if (replaced) {
    // What other documents learned from the old copy stays in them.
    yield* run('UPDATE facts SET session_id = ?2 WHERE session_id = ?1', replaced.id, id)
    yield* run('UPDATE sessions SET lease_token = lease_token + ?2 WHERE id = ?1', id, replaced.lease_token)
  }
  yield* run(
    'UPDATE sessions SET ready = 1, name_key = ?2, lease_owner = NULL, lease_until = NULL WHERE id = ?1',
    id,
    keyOf(key.id),
  )
  yield* recordEvent({
    sessionId: id,
    type: 'session-imported',
    at: now,
    toSeq: (yield* readLastSeq(session)) || null,
  })
}

/** Adds to a copy in one transaction, so that no reader sees a part of it. */
async function continueCopy(
  driver: Driver,
  key: SessionKey,
  copy: CopyImport & { readonly replaces: NonNullable<CopyImport['replaces']> },
): Promise<CopyReceipt> {
  const hash = new CopyHash()
  const rows: CopyRow[] = []
  let last: CopyPage | null = null
  for await (const page of copy.pages) {
    hash.add(page.rows)
    rows.push(...page.rows.filter(row => !isFolded(row) && !isMessageThrough(row, copy.replaces.after)))
    last = page
  }
  if (last?.next !== null) throw new Error('a copy without a last page')
  const record = recordOf(copy, hash.digest())
  await driver.write(function* () {
    const session = (yield* lockUnchanged(key, copy.replaces, driver.dialect))!
    yield* writeParts(session, rows)
    yield* writeRest(session, key, rows)
    yield* recordEvent({
      sessionId: session.id,
      type: 'session-imported',
      at: copy.now,
      fromSeq: copy.replaces.after,
      toSeq: yield* readLastSeq(session),
    })
    yield* keepRecord(session, record)
  })
  return { hash: record.hash, verified: false, messages: hash.messages, written: countMessages(rows) }
}

/** Rows of the same epoch are the same as before. */
function isFolded({ table }: CopyRow): boolean {
  return table === 'segments' || table === 'memos'
}

function valuesOf(
  rows: readonly CopyRow[],
  table: CopyRow['table'],
  columns: readonly string[],
): SqlValue[][] {
  return rows
    .filter(row => row.table === table)
    .map(({ values }) => columns.map(column => values[column] ?? null))
}

/** Rows that have their own place in the session and do not depend on other rows. */
function* writeParts(session: SessionRow, rows: readonly CopyRow[]): Steps<void> {
  const { id } = session
  const own = (table: CopyRow['table'], columns: readonly string[]) =>
    insertRows(
      table,
      ['session_id', ...columns],
      valuesOf(rows, table, columns).map(values => [id, ...values]),
    )
  yield* own('segments', SEGMENT_COPIED)
  yield* packSegments(
    id,
    valuesOf(rows, 'segments', ['id']).map(([segment]) => segment as number),
  )
  yield* own('memos', MEMO_COPIED)
  const messages = rows.filter(({ table }) => table === 'messages')
  const senders = yield* findSenders(session, messages)
  yield* insertRows(
    'messages',
    ['session_id', 'sender_id', ...MESSAGE_COPIED],
    messages.map(({ values }) => [
      id,
      senders.get(values['sender_key'] as string) ?? null,
      ...MESSAGE_COPIED.map(column => values[column] ?? null),
    ]),
  )
  yield* own('message_versions', VERSION_COPIED)
}

/**
 * The same order everywhere, so that two copies with the same people cannot wait for each other in a circle.
 */
function* findSenders(
  { namespace }: SessionRow,
  messages: readonly CopyRow[],
): Steps<ReadonlyMap<string, number>> {
  const wanted = new Map(
    messages.flatMap(({ values: { sender_key: key, sender } }) =>
      typeof key === 'string' ? [[key, sender as string] as const] : [],
    ),
  )
  const find = () =>
    allIn<{ id: number; sender_key: string }>(
      'SELECT id, sender_key FROM senders WHERE namespace = ?1 AND sender_key IN (*)',
      [namespace],
      [...wanted.keys()].sort(),
    )
  const known = new Map((yield* find()).map(row => [row.sender_key, row.id]))
  if (known.size === wanted.size) return known
  for (const key of [...wanted.keys()].sort())
    if (!known.has(key))
      yield* run(
        'INSERT INTO senders (namespace, sender_key, sender) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING',
        namespace,
        key,
        wanted.get(key)!,
      )
  return new Map((yield* find()).map(row => [row.sender_key, row.id]))
}

/** Replaces all the small parts. */
function* writeRest(session: SessionRow, key: SessionKey, rows: readonly CopyRow[]): Steps<void> {
  const { id } = session
  yield* deleteDocuments(id)
  for (const [table, columns] of [
    ['hidden_ranges', HIDDEN_COPIED],
    ['beginnings', BEGINNING_COPIED],
    ['pins', PIN_COPIED],
    ['operations', OPERATION_COPIED],
    ['allowances', ALLOWANCE_COPIED],
  ] as const) {
    yield* run(`DELETE FROM ${table} WHERE session_id = ?1`, id)
    const values = valuesOf(rows, table, columns).map(each => [id, ...each])
    yield* insertRows(table, ['session_id', ...columns], values)
  }
  yield* run('DELETE FROM waiting WHERE session_id = ?1', id)
  yield* insertRows(
    'waiting',
    ['namespace', 'session_id', ...WAITING_COPIED],
    valuesOf(rows, 'waiting', WAITING_COPIED).map(values => [key.namespace, id, ...values]),
  )
  yield* run('DELETE FROM aliases WHERE session_id = ?1', id)
  yield* insertRows(
    'aliases',
    ['namespace', 'session_id', ...ALIAS_COPIED],
    valuesOf(rows, 'aliases', ALIAS_COPIED).map(values => [key.namespace, id, ...values]),
  )
  const shift = yield* writeOwnRow(session, key, rows)
  const { isShifted } = yield* insertDocuments(rows, {
    namespace: key.namespace,
    session: { id, name: key.id },
  })
  // Frozen layers name documents by version. The versions are different here, so the layers are frozen again.
  if (shift > 0 || isShifted)
    yield* run(
      'UPDATE sessions SET layers = ?2, layers_epoch = -1 WHERE id = ?1',
      id,
      languageAlone(sessionLanguage(rows.find(({ table }) => table === 'schedule')!.values as never)),
    )
}

/**
 * Returns how much higher its epochs are than the original's. A session of this name that was erased here had
 * lower ones.
 */
function* writeOwnRow({ id }: SessionRow, key: SessionKey, rows: readonly CopyRow[]): Steps<number> {
  const said = rows.find(({ table }) => table === 'session')!.values
  const schedule = rows.find(({ table }) => table === 'schedule')!.values
  const floor = (yield* first<{ floor: number }>(`SELECT ${FLOOR} AS floor`, key.namespace))!.floor
  const shift = Math.max(0, floor - (schedule['first_epoch'] as number))
  const firstEpoch = (schedule['first_epoch'] as number) + shift
  const values: Record<string, SqlValue> = {
    ...said,
    ...schedule,
    epoch: firstEpoch + (said['epoch'] as number),
    first_epoch: firstEpoch,
    lease_token: Math.max(floor, schedule['lease_token'] as number),
    rewrites: shiftedRewrites(schedule['rewrites'] as string | null, shift),
  }
  const columns = [...SESSION_COPIED, ...SCHEDULE_COPIED, 'epoch']
  const assignments = columns.map((column, index) => `${column} = ?${index + 2}`)
  yield* run(
    `UPDATE sessions SET ${assignments.join(', ')} WHERE id = ?1`,
    id,
    ...columns.map(column => values[column] ?? null),
  )
  return shift
}

/** A rewrite is a pair of an epoch and a seq. */
function shiftedRewrites(rewrites: string | null, shift: number): string | null {
  if (rewrites === null || shift === 0) return rewrites
  return JSON.stringify(
    (JSON.parse(rewrites) as [number, number][]).map(([epoch, seq]) => [epoch + shift, seq]),
  )
}

function* keepRecord(session: SessionRow, record: Omit<CopyRecord, 'copy'>): Steps<void> {
  const { contentMark } = yield* stateOf(yield* findExisting(session))
  const kept: CopyRecord = { ...record, copy: contentMark }
  yield* run(
    'INSERT INTO operations (session_id, operation_id, result) VALUES (?1, ?2, ?3)',
    session.id,
    COPY_OPERATION,
    JSON.stringify(kept),
  )
}

/** Does nothing if the session was copied again since. */
export function* noteVerified(session: SessionRow, hash: string): Steps<void> {
  const copied = yield* readCopyRecord(session.id)
  if (copied?.hash !== hash || copied.verified) return
  yield* run(
    'UPDATE operations SET result = ?3 WHERE session_id = ?1 AND operation_id = ?2',
    session.id,
    COPY_OPERATION,
    JSON.stringify({ ...copied, verified: true } satisfies CopyRecord),
  )
}

/**
 * A document that belongs to no session. `replaces` is the hash of the document that is there; `null`: there
 * is none.
 */
export function* importDocumentCopy(
  key: DocumentKey,
  copy: { readonly rows: readonly CopyRow[]; readonly replaces: string | null; readonly now: number },
  dialect: Dialect,
): Steps<void> {
  yield* lockDocuments([key], dialect)
  const current = yield* readDocumentCopy(key)
  const row = yield* findDocument(key)
  if ((current === null ? null : hashOfRows(current)) !== copy.replaces)
    throw new DocumentConflictError(key, { expected: 0, actual: row?.version ?? 0 })
  if (row) {
    for (const table of ['facts', 'document_versions', 'packs'])
      yield* run(`DELETE FROM ${table} WHERE document_id = ?1`, row.id)
    yield* run('DELETE FROM documents WHERE id = ?1', row.id)
  }
  yield* insertDocuments(copy.rows, { namespace: key.namespace, session: null })
  const stored = (yield* findDocument(key))!
  yield* recordEvent({
    sessionId: 0,
    documentId: stored.id,
    type: 'memory-changed',
    at: copy.now,
    data: { layer: key.layer, key: key.key, version: stored.version, author: 'person' },
  })
}
