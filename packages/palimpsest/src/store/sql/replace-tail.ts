import { HistoryConflictError } from '../../errors.ts'
import { type Content, ROLES } from '../../log/index.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { Operation } from '../operation.ts'
import { checkTraits } from '../session-traits.ts'
import type { AppendReceipt, ExpectedMessage, TailReceipt, TailRequest, Warn } from '../store.ts'
import { append, unassignedIn } from './append.ts'
import type { Dialect } from './driver.ts'
import { digestOf } from './keys.ts'
import { rollback } from './rollback.ts'
import { decodeContent, type SessionRow, traitsOf } from './rows.ts'
import { checkFollows } from './seen.ts'
import { lockOrCreateSession, lockSession } from './session.ts'
import { first, run, type Steps } from './steps.ts'
import { readVisible } from './visible.ts'

/** Runs in a transaction of its own. If the append is refused, the rollback is undone, too. */
export function* replaceTail(
  request: TailRequest,
  rules: { dialect: Dialect; warn: Warn },
): Steps<TailReceipt> {
  const { key, operation, now } = request
  const known = yield* lockSession(key, rules.dialect)
  if (known) checkTraits(key.id, request.traits, traitsOf(known))
  const earlier = known && operation ? yield* readOperation(known, operation) : null
  if (earlier) return { ...earlier, ...unassignedIn(known!, request) }
  yield* checkFollows(request, known)
  const hideAbove = yield* checkTail(known, request)
  const session = known ?? (yield* lockOrCreateSession(key, request, rules.dialect))
  if (request.expected === 'everything') yield* forgetOperations(session)
  if (hideAbove !== null) yield* rollback(session, { toSeq: hideAbove, now }, rules)
  // Messages that this operation takes back itself are not checked.
  const { follows: _, ...added } = request
  const receipt = yield* append(added, rules.dialect, rules.warn)
  if (hideAbove !== null && repeatsHidden(receipt, hideAbove))
    throw new HistoryConflictError({ sessionId: key.id, reason: 'external_id_replaced' })
  if (operation) yield* keepOperation(session, operation, receipt)
  return { ...receipt, repeated: false }
}

/**
 * True if a message repeats one that was hidden here: it would add nothing and be gone. A repeat of a message
 * that is added here is fine.
 */
function repeatsHidden({ messages }: AppendReceipt, hideAbove: number): boolean {
  const added = messages.filter(({ duplicate }) => !duplicate).map(({ seq }) => seq)
  const firstAdded = Math.min(...added)
  return messages.some(({ seq, duplicate }) => duplicate && seq > hideAbove && seq < firstAdded)
}

/** Operations of folds have ids of their own in the same table. */
const PREFIX = 'tail/'

/** For one session. A repeat of an older operation is taken for a new one. */
const MAX_OPERATIONS = 1_000

/** Makes a key of an id of any length and any characters. */
function keyOfOperation({ id }: Operation): string {
  return PREFIX + digestOf(id)
}

interface Kept {
  readonly fingerprint: string
  readonly messages: AppendReceipt['messages']
}

function* readOperation(session: SessionRow, operation: Operation): Steps<TailReceipt | null> {
  const row = yield* first<{ result: string }>(
    'SELECT result FROM operations WHERE session_id = ?1 AND operation_id = ?2',
    session.id,
    keyOfOperation(operation),
  )
  if (!row) return null
  const { fingerprint, messages } = JSON.parse(row.result) as Kept
  if (fingerprint !== operation.fingerprint)
    throw new HistoryConflictError({ sessionId: session.name, reason: 'operation_reused' })
  return {
    messages,
    session: { number: session.id, epoch: session.epoch },
    ...{ snapshot: null, decision: null, dueAt: null, extractAt: null },
    repeated: true,
  }
}

function* keepOperation(session: SessionRow, operation: Operation, { messages }: AppendReceipt): Steps<void> {
  const kept: Kept = { fingerprint: operation.fingerprint, messages }
  const newest = yield* first<{ number: number }>(
    `SELECT number FROM operations WHERE session_id = ?1 AND number IS NOT NULL ORDER BY number DESC LIMIT 1`,
    session.id,
  )
  const number = (newest?.number ?? 0) + 1
  yield* run(
    'INSERT INTO operations (session_id, operation_id, result, number) VALUES (?1, ?2, ?3, ?4)',
    session.id,
    keyOfOperation(operation),
    JSON.stringify(kept),
    number,
  )
  yield* run(
    'DELETE FROM operations WHERE session_id = ?1 AND number IS NOT NULL AND number <= ?2',
    session.id,
    number - MAX_OPERATIONS,
  )
}

function* forgetOperations(session: SessionRow): Steps<void> {
  yield* run(
    `DELETE FROM operations WHERE session_id = ?1 AND substr(operation_id, 1, ${PREFIX.length}) = ?2`,
    session.id,
    PREFIX,
  )
}

/** The `seq` above which everything is to be hidden; `null`: nothing is hidden. */
function* checkTail(session: SessionRow | undefined, { key, expected }: TailRequest): Steps<number | null> {
  if (expected === 'everything') return 0
  if (expected.length === 0) return null
  const newest = session ? yield* readNewest(session, expected.length) : []
  const isSame = newest.length === expected.length && newest.every((row, index) => is(row, expected[index]!))
  if (!isSame) throw new HistoryConflictError({ sessionId: key.id, reason: 'tail_changed' })
  return newest[0]!.seq - 1
}

interface TailRow {
  readonly seq: number
  readonly role: number
  readonly content: string
  readonly format: number
}

function* readNewest(session: SessionRow, limit: number): Steps<readonly TailRow[]> {
  return yield* readVisible<TailRow>(session, {
    columns: 'seq, role, content, format',
    tables: 'messages',
    after: 0,
    through: Number.MAX_SAFE_INTEGER,
    limit,
    from: 'newest',
  })
}

function is(row: TailRow, { role, content }: ExpectedMessage): boolean {
  return ROLES[row.role] === role && isSame(decodeContent(row), content)
}

function isSame(one: Content, other: Content): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other)
}
