import {
  ErasureNotFoundError,
  InvalidArgumentError,
  MessageNotFoundError,
  SessionNotFoundError,
} from '../../errors.ts'
import { ID_RULE, isId } from '../../log/index.ts'
import { ERASURE_STAGES, type ErasurePlace, type ErasureRecord, type ErasureTarget } from '../erasure.ts'
import type { ErasureListStore, ErasureStore, Warn } from '../store.ts'
import type { Dialect } from './driver.ts'
import { emptyDocuments, hideAllDocuments } from './erase-documents.ts'
import { forgetEvents } from './erase-events.ts'
import { eraseFromFamily, eraseFromForks } from './erase-family.ts'
import { forgetNamespace, hideAllSessions } from './erase-namespace.ts'
import { beginPerson, condemnFactsAbout, eraseWhatWasSaid } from './erase-person.ts'
import { settleSenders } from './erase-senders.ts'
import { emptySessions, forgetSessions, hideTarget } from './erase-session.ts'
import { type Counts, ERASURE_COLUMNS, type ErasureRow, findErasure, toRecord } from './erasure-records.ts'
import type { ErasureStep, Slice } from './erasure-slice.ts'
import { MAX_FLOOR } from './first-number.ts'
import { allIn } from './many.ts'
import { rewriteDocuments } from './rewrite-documents.ts'
import type { SessionRow } from './rows.ts'
import { findSession } from './session.ts'
import { first, forgetJobs, run, type Steps } from './steps.ts'

export { listErasable } from './erasable.ts'
export {
  forgetErasedDocuments,
  listErasedDocuments,
  noteErasedDocuments,
  trustFiles,
} from './erase-documents.ts'
export { readFamily } from './erase-family.ts'

/**
 * The steps of the first stage of an erasure, in their order. Each slice of a step is a transaction of its
 * own, and leaves the data whole. The place to go on is stored with it, so any process may go on, at any
 * time.
 */
const STEPS: Readonly<Record<ErasureTarget['kind'], readonly ErasureStep[]>> = {
  messages: [eraseFromFamily, emptySessions, rewriteDocuments, forgetSessions],
  session: [
    hideTarget,
    eraseFromForks,
    emptySessions,
    rewriteDocuments,
    emptyDocuments,
    forgetEvents,
    forgetSessions,
    settleSenders,
  ],
  person: [
    beginPerson,
    eraseWhatWasSaid,
    // Again, for what was written about the person meanwhile.
    beginPerson,
    condemnFactsAbout,
    eraseFromForks,
    emptySessions,
    rewriteDocuments,
    emptyDocuments,
    forgetEvents,
    forgetSessions,
    settleSenders,
  ],
  namespace: [
    hideAllSessions,
    hideAllDocuments,
    emptySessions,
    emptyDocuments,
    forgetEvents,
    forgetSessions,
    forgetNamespace,
  ],
}

/** Where to go on: the step, and the place in it. */
interface Place {
  readonly step: number
  readonly cursor: unknown
}

export function* beginErasure(
  namespace: string,
  { target, now, listId }: Parameters<ErasureStore['beginErasure']>[1],
): Steps<ErasureRecord> {
  const progress: Place = { step: 0, cursor: yield* firstCursor(namespace, target) }
  // A job may hold what a summariser said of a message.
  yield* forgetJobs({ words: { namespace } })
  const row = yield* first<ErasureRow>(
    `INSERT INTO erasures (namespace, target, requested_at, stage, places, progress, list_id)
     VALUES (?1, ?2, ?3, 'erasing', '{}', ?4, ?5) RETURNING ${ERASURE_COLUMNS}`,
    namespace,
    JSON.stringify(target),
    now,
    JSON.stringify(progress),
    listId ?? null,
  )
  return toRecord(row!)
}

/** A namespace that no caller can name. It stands for an erasure of something that is not there. */
const NO_NAMESPACE = ''

export function* repeatErasure({
  found,
  listId,
  requestedAt,
}: Parameters<ErasureListStore['repeatErasure']>[0]): Steps<ErasureRecord> {
  const target = found && (yield* stillThere(found.namespace, found.target))
  if (found && target)
    return yield* beginErasure(found.namespace, { target, now: requestedAt.getTime(), listId })
  const row = yield* first<ErasureRow>(
    `INSERT INTO erasures (namespace, target, requested_at, stage, places, progress, list_id)
     VALUES (?1, NULL, ?2, 'done', '{}', NULL, ?3) RETURNING ${ERASURE_COLUMNS}`,
    found?.namespace ?? NO_NAMESPACE,
    requestedAt.getTime(),
    listId,
  )
  return toRecord(row!)
}

/** The part of the target that is still there. `null`: nothing. */
function* stillThere(namespace: string, target: ErasureTarget): Steps<ErasureTarget | null> {
  if (target.kind === 'namespace' || target.kind === 'person') return target
  const session = yield* findSession({ namespace, id: target.sessionId })
  if (!session) return null
  if (target.kind === 'session') return target
  const seqs = yield* seqsOf(session, target.seqs)
  return seqs.length === 0 ? null : { ...target, seqs }
}

function* seqsOf({ id }: Pick<SessionRow, 'id'>, seqs: readonly number[]): Steps<readonly number[]> {
  const rows = yield* allIn<{ seq: number }>(
    'SELECT seq FROM messages WHERE session_id = ?1 AND seq IN (*)',
    [id],
    seqs.filter(Number.isSafeInteger),
  )
  return rows.map(({ seq }) => seq).sort((a, b) => a - b)
}

export function* nameErasure(
  namespace: string,
  { id, listId }: { id: number; listId: string },
): Steps<ErasureRecord> {
  yield* run(
    'UPDATE erasures SET list_id = ?3 WHERE id = ?1 AND namespace = ?2 AND list_id IS NULL',
    id,
    namespace,
    listId,
  )
  return toRecord(yield* requireErasure(namespace, id))
}

/** A session is named by its number, because another session may have its name by the time of the erasure. */
function* firstCursor(namespace: string, target: ErasureTarget): Steps<unknown> {
  if (target.kind === 'namespace') return null
  if (target.kind === 'person') {
    if (isId(target.id)) return null
    throw new InvalidArgumentError('id', target.id, ID_RULE)
  }
  const session = yield* findSession({ namespace, id: target.sessionId })
  if (!session) throw new SessionNotFoundError(target.sessionId)
  if (target.kind === 'messages') {
    const there = new Set(yield* seqsOf(session, target.seqs))
    const missing = target.seqs.find(seq => !there.has(seq))
    if (missing !== undefined) throw new MessageNotFoundError(target.sessionId, missing)
  }
  return { session: session.id }
}

export function* continueErasure(
  namespace: string,
  { id, now }: { id: number; now: number },
  rules: { dialect: Dialect; warn: Warn },
): Steps<ErasureRecord> {
  const row = yield* lockErasure(namespace, id, rules.dialect)
  if (row.stage !== 'erasing' || row.target === null) return toRecord(row)
  const target = JSON.parse(row.target) as ErasureTarget
  const counts = JSON.parse(row.places) as Counts
  let highest = row.highest
  const slice: Slice = {
    id,
    namespace,
    target,
    now,
    ...rules,
    count: (place, number) => {
      if (number > 0) counts[place] = (counts[place] ?? 0) + number
    },
    exceed: number => {
      if (number <= MAX_FLOOR) highest = Math.max(highest, number)
    },
  }
  const place = yield* takeStep(slice, JSON.parse(row.progress ?? '{"step":0,"cursor":null}') as Place)
  const updated = yield* first<ErasureRow>(
    `UPDATE erasures SET places = ?2, highest = ?3, progress = ?4, stage = ?5 WHERE id = ?1 RETURNING ${ERASURE_COLUMNS}`,
    id,
    JSON.stringify(counts),
    highest,
    place === null ? null : JSON.stringify(place),
    place === null ? 'rebuilding' : 'erasing',
  )
  return toRecord(updated!)
}

/** Steps that find nothing to do take no transaction of their own. `null`: that was the last step. */
function* takeStep(slice: Slice, { step, cursor }: Place): Steps<Place | null> {
  const steps = STEPS[slice.target.kind]
  for (let [at, from] = [step, cursor]; at < steps.length; at++, from = null) {
    const progress = yield* steps[at]!(slice, from)
    if (progress === 'nothing') continue
    if (progress !== 'done') return { step: at, cursor: progress.next }
    return at + 1 < steps.length ? { step: at + 1, cursor: null } : null
  }
  return null
}

/** One process at a time works on an erasure. Its lock comes before those of sessions and documents. */
function* lockErasure(namespace: string, id: number, dialect: Dialect): Steps<ErasureRow> {
  yield* dialect.lock('erasure', [namespace, id])
  return yield* requireErasure(namespace, id)
}

function* requireErasure(namespace: string, id: number): Steps<ErasureRow> {
  const row = yield* findErasure(namespace, id)
  if (!row) throw new ErasureNotFoundError(id)
  return row
}

export function* advanceErasure(
  namespace: string,
  { id, from, counts = {} }: Parameters<ErasureStore['advanceErasure']>[1],
): Steps<ErasureRecord> {
  const row = yield* requireErasure(namespace, id)
  if (row.stage !== from) return toRecord(row)
  const sum = JSON.parse(row.places) as Counts
  for (const [place, number] of Object.entries(counts) as [ErasurePlace, number][])
    if (number > 0) sum[place] = (sum[place] ?? 0) + number
  const stage = ERASURE_STAGES[ERASURE_STAGES.indexOf(from) + 1]!
  const isForgotten = stage === 'scrubbing' || stage === 'done'
  if (stage === 'scrubbing' && toRecord(row).target?.kind === 'namespace')
    yield* run('DELETE FROM mirrors WHERE namespace = ?1', namespace)
  const updated = yield* first<ErasureRow>(
    `UPDATE erasures SET stage = ?2, places = ?3, target = ?4, progress = NULL WHERE id = ?1 AND stage = ?5
     RETURNING ${ERASURE_COLUMNS}`,
    id,
    stage,
    JSON.stringify(sum),
    // The target may name a person. The bytes of that name are scrubbed with the rest.
    isForgotten ? null : row.target,
    from,
  )
  return toRecord(updated ?? (yield* requireErasure(namespace, id)))
}
