import { MessageConflictError } from '../../errors.ts'
import { type Content, nextTotals, ROLES, type Sender, type Totals } from '../../log/index.ts'
import type { FoldState, Head, Verdict } from '../../policy/index.ts'
import type { Answers } from '../inbox.ts'
import { checkTraits, missingTraits } from '../session-traits.ts'
import type { AppendReceipt, AppendRequest, MeasuredMessage, Warn } from '../store.ts'
import { moveBehindAnswer } from './beginnings.ts'
import type { Dialect } from './driver.ts'
import { recordEvent } from './events.ts'
import { keepExtractAt } from './extraction.ts'
import { reachesCursor, settleFoldedTurns, stateWithoutFolds, writeFoldState } from './fold-state.ts'
import { readLastSeq, visibleHead } from './head.ts'
import { judgeHead, keepVerdict } from './judge.ts'
import { erasedKey, keyOf } from './keys.ts'
import {
  ERASED,
  type Extras,
  encodeContent,
  flagsOf,
  HEAD_COLUMNS,
  type HeadRow,
  SESSION_COLUMNS,
  type SessionRow,
  toFoldState,
  traitsOf,
} from './rows.ts'
import { checkFollows, checkSeen } from './seen.ts'
import { lockName, lockOrCreateSession } from './session.ts'
import { all, first, firstOfMany, insertContestedRow, run, type Steps } from './steps.ts'
import { rangeAround } from './visible.ts'
import { addWaiting, checkWaiting, keepReply } from './waiting.ts'

interface StoredMessage {
  readonly seq: number
  readonly role: number
  readonly content: string
  readonly format: number
  readonly version: number
}

/**
 * One request inside a shared transaction. All that can be refused is refused before the first write. So a
 * request that fails leaves nothing behind, and the other requests of the same commit are not touched.
 */
export function* append(request: AppendRequest, dialect: Dialect, warn: Warn): Steps<AppendReceipt> {
  yield* lockName(request.key, dialect)
  const { known, start } = yield* readStart(request)
  yield* checkSeen(request.key, known)
  if (known) checkTraits(request.key.id, request.traits, traitsOf(known))
  const repeats = yield* findRepeats(request, known, start)
  const answers = answersOf(request, repeats)
  if (answers) yield* checkWaiting(request.key, known, answers)
  yield* checkFollows(request, known)
  const session = yield* settleZone(
    known ?? (yield* lockOrCreateSession(request.key, request, dialect)),
    request,
  )
  const before = start.newest ? yield* visibleHead(session, start.newest) : null
  const { head, firstTurn, messages } = yield* insertAll(session, request, { before, repeats, start })
  yield* keepOwed(session, { request, answers, messages })
  const begun = head ? yield* settleLateAnswer(session, { request, answers, before, head }) : session
  const receipt = {
    messages,
    session: { number: session.id, epoch: session.epoch },
    ...unassignedIn(session, request),
  }
  if (head === null) return { ...receipt, snapshot: null, decision: null, dueAt: null, extractAt: null }
  const state = yield* foldStateAfter(session, { before, head, firstTurn }, warn)
  const verdict = yield* judgeAppend(begun, { head, state, request })
  yield* keepVerdict(session, verdict)
  const { extraction: rules, now } = request
  const extractAt = rules ? yield* keepExtractAt(session, { head, rules, now }) : null
  return { ...receipt, ...verdict, extractAt }
}

/**
 * An answer may come after a new beginning, although it answers a message before it. Then the answer belongs
 * before the beginning, too.
 */
function* settleLateAnswer(
  session: SessionRow,
  {
    request,
    answers,
    before,
    head,
  }: { request: AppendRequest; answers: Answers | undefined; before: Head | null; head: Head },
): Steps<SessionRow> {
  const follows = [...(request.follows ?? []), ...(answers?.seqs ?? [])]
  if (session.begins_after === 0 || request.messages.some(({ role }) => role === 'user')) return session
  return yield* moveBehindAnswer(session, { follows, before, head })
}

/**
 * A policy for one request decides about that request only. The configured policy decides when the session is
 * due next.
 */
function* judgeAppend(
  session: SessionRow,
  { head, state, request }: { head: Head; state: FoldState; request: AppendRequest },
): Steps<Verdict> {
  const { policy, configured, now } = request
  const verdict = yield* judgeHead(session, { head, state, policy, now })
  if (configured === undefined) return verdict
  const { dueAt } = yield* judgeHead(session, { head, state, policy: configured, now })
  return { ...verdict, dueAt }
}

/** A session that an earlier version made has no zone yet. */
function* settleZone(session: SessionRow, { zone, messages }: AppendRequest): Steps<SessionRow> {
  if (session.zone !== null || zone === undefined || messages.length === 0) return session
  yield* run('UPDATE sessions SET zone = ?2 WHERE id = ?1', session.id, zone)
  return { ...session, zone }
}

/** Traits that the session lacks. The caller must learn of them, because an append does not assign them. */
export function unassignedIn(
  session: SessionRow,
  { traits }: Pick<AppendRequest, 'traits'>,
): Pick<AppendReceipt, 'unassigned'> {
  const unassigned = missingTraits(traits, traitsOf(session))
  return unassigned.length === 0 ? {} : { unassigned }
}

/**
 * As cheap as an append has to be. It does not check whether the segments end at the cursor; a reader of the
 * session does that. If the log does not reach the cursor, the cursor is put right here, so that this costs
 * one append and not every append.
 */
function* foldStateAfter(
  session: SessionRow,
  { before, head, firstTurn }: { before: Head | null; head: Head; firstTurn: number | null },
  warn: Warn,
): Steps<FoldState> {
  if (!reachesCursor(session, before)) {
    const state = yield* stateWithoutFolds(session, head, warn)
    yield* writeFoldState(session, state)
    return state
  }
  const state = toFoldState(session)
  if (firstTurn === null || before === null || before.seq > state.compactedThrough) return state
  return yield* settleFoldedTurns(session, state, firstTurn)
}

/** What an append has to know before it writes, read in one query. Nearly all appends are of one message. */
interface Start {
  readonly newest: HeadRow | undefined
  /** The external id of the first message is not in the log. */
  readonly isFirstNew: boolean
  /** The sender of the first message. `null`: not known yet. */
  readonly senderId: number | null
}

const EMPTY_START: Start = { newest: undefined, isFirstNew: true, senderId: null }

const READ_START = `SELECT ${SESSION_COLUMNS}, ${HEAD_COLUMNS},
    (SELECT seq FROM messages WHERE session_id = s.id AND external_key = ?3) AS known_seq,
    (SELECT id FROM senders WHERE namespace = ?1 AND sender_key = ?4) AS known_sender
  FROM sessions s LEFT JOIN messages m
    ON m.session_id = s.id AND m.seq = (SELECT max(seq) FROM messages WHERE session_id = s.id)
  WHERE s.namespace = ?1 AND s.name_key = ?2 AND s.ready = 1`

function* readStart({
  key,
  messages: [message],
}: AppendRequest): Steps<{ known: SessionRow | undefined; start: Start }> {
  const row = yield* firstOfMany<SessionRow & NewestRow>(
    READ_START,
    key.namespace,
    keyOf(key.id),
    message?.externalId ? keyOf(message.externalId) : null,
    message?.sender ? senderKey(message.sender) : null,
  )
  return { known: row, start: row && isNewest(row) ? startOf(row) : EMPTY_START }
}

/** All columns are `null` if the session has no message. */
type NewestRow = (HeadRow | { readonly seq: null }) & {
  readonly known_seq: number | null
  readonly known_sender: number | null
}

function isNewest(row: NewestRow): row is NewestRow & HeadRow {
  return row.seq !== null
}

function startOf(row: NewestRow & HeadRow): Start {
  return { newest: row, isFirstNew: row.known_seq === null, senderId: row.known_sender }
}

/**
 * The messages that this request answers. If the whole request is a repeat, the first request has answered
 * them already.
 */
function answersOf({ answers }: AppendRequest, repeats: readonly Repeat[]): Answers | undefined {
  const isRepeat = repeats.length > 0 && repeats.every(repeat => repeat !== undefined)
  return isRepeat ? undefined : answers
}

/**
 * Keeps what the new messages wait for, and which messages they answer. Nearly all appends have neither, and
 * cost nothing here.
 */
function* keepOwed(
  session: SessionRow,
  owed: { request: AppendRequest; answers: Answers | undefined; messages: AppendReceipt['messages'] },
): Steps<void> {
  const { awaits, now } = owed.request
  if (!awaits && !owed.answers) return
  const added = owed.messages.flatMap(({ seq, duplicate }) => (duplicate ? [] : [seq]))
  if (awaits) yield* addWaiting(session, added, { awaits, now })
  if (owed.answers && !owed.answers.isPart) {
    const said = owed.messages.map(({ seq }) => seq)
    yield* keepReply(session, owed.answers, said)
  }
}

/** The first occurrence of a message, if there is one: a stored `seq`, or a place in the request itself. */
type Repeat = { readonly seq: number } | { readonly index: number } | undefined

function* findRepeats(
  request: AppendRequest,
  session: SessionRow | undefined,
  start: Start,
): Steps<readonly Repeat[]> {
  const repeats: Repeat[] = []
  const indexes = new Map<string, number>()
  for (const [index, message] of request.messages.entries()) {
    const { externalId } = message
    if (externalId === null) {
      repeats.push(undefined)
      continue
    }
    const isNew = index === 0 && start.isFirstNew
    const stored = session ? yield* findStored(session, externalId, isNew) : undefined
    const earlier = indexes.get(externalId)
    if (stored) {
      if (!(yield* isSame(session!, stored, message)))
        throw new MessageConflictError({ sessionId: request.key.id, externalId, seq: stored.seq })
      repeats.push({ seq: stored.seq })
    } else if (earlier !== undefined) {
      if (!isEqual(request.messages[earlier]!, message))
        throw new MessageConflictError({ sessionId: request.key.id, externalId, seq: null })
      repeats.push({ index: earlier })
    } else {
      indexes.set(externalId, index)
      repeats.push(undefined)
    }
  }
  return repeats
}

function* findStored(
  session: SessionRow,
  externalId: string,
  isNew: boolean,
): Steps<StoredMessage | undefined> {
  const stored = isNew ? undefined : yield* findByKey(session, keyOf(externalId))
  // Erased messages are hidden. If the session has no hidden messages, there is nothing to look for.
  if (stored || session.hidden_through === 0) return stored
  return yield* findByKey(session, erasedKey(externalId))
}

function* findByKey({ id }: SessionRow, key: string): Steps<StoredMessage | undefined> {
  return yield* first<StoredMessage>(
    `SELECT seq, role, content, format, version FROM messages WHERE session_id = ?1 AND external_key = ?2`,
    id,
    key,
  )
}

/**
 * The platform delivers what was sent. After an edit, that is the first version and not the current one. The
 * content of an erased message is unknown, so any repeat of it counts as the same.
 */
function* isSame(session: SessionRow, stored: StoredMessage, message: MeasuredMessage): Steps<boolean> {
  if (stored.format === ERASED) return true
  if (ROLES[stored.role] !== message.role) return false
  const { content, format } = encodeContent(message.content)
  if (stored.content === content && stored.format === format) return true
  if (stored.version === 1) return false
  const versions = yield* all<{ content: string; format: number }>(
    'SELECT content, format FROM message_versions WHERE session_id = ?1 AND seq = ?2',
    session.id,
    stored.seq,
  )
  return versions.some(version => version.content === content && version.format === format)
}

function isEqual(a: { role: string; content: Content }, b: { role: string; content: Content }): boolean {
  return a.role === b.role && JSON.stringify(a.content) === JSON.stringify(b.content)
}

function* insertAll(
  session: SessionRow,
  request: AppendRequest,
  { before, repeats, start }: { before: Head | null; repeats: readonly Repeat[]; start: Start },
): Steps<{ head: Head | null; firstTurn: number | null; messages: AppendReceipt['messages'] }> {
  const rules = { kind: session.kind, groupTurnMessages: request.groupTurnMessages }
  const messages: AppendReceipt['messages'][number][] = []
  let head = before
  let firstTurn: number | null = null
  // After a rollback the newest visible message is not the newest message. A hidden `seq` is never given
  // again.
  let seq = session.hidden_through > (head?.seq ?? 0) ? yield* readLastSeq(session) : (head?.seq ?? 0)
  const firstNew = seq + 1
  for (const [index, message] of request.messages.entries()) {
    const repeat = repeats[index]
    if (repeat) {
      messages.push(
        'seq' in repeat
          ? { seq: repeat.seq, duplicate: true, ...((yield* isHidden(session, repeat.seq)) && HIDDEN) }
          : { ...messages[repeat.index]!, duplicate: true },
      )
      continue
    }
    seq += 1
    const totals = nextTotals(head?.totals ?? null, message, message.size, rules)
    const senderId = index === 0 ? start.senderId : null
    yield* insertMessage(session, {
      seq,
      message: inZone(session, message, request),
      totals,
      senderId,
      now: request.now,
    })
    head = { seq, totals, appendedAt: request.now }
    firstTurn ??= totals.turn
    messages.push({ seq, duplicate: false })
  }
  if (seq >= firstNew)
    yield* recordEvent({
      sessionId: session.id,
      type: 'message-appended',
      at: request.now,
      fromSeq: firstNew,
      toSeq: seq,
    })
  return { head, firstTurn, messages }
}

const HIDDEN = { hidden: true } as const

function* isHidden(session: SessionRow, seq: number): Steps<boolean> {
  return seq <= session.hidden_through && (yield* rangeAround(session, seq)) !== undefined
}

/** If the zone is not the one in which the session began, the message has to say so. */
function inZone(session: SessionRow, message: MeasuredMessage, { zone }: AppendRequest): MeasuredMessage {
  return message.zone === null && zone !== undefined && zone !== session.zone ? { ...message, zone } : message
}

export const INSERT_MESSAGE = `INSERT INTO messages (session_id, seq, role, sender_id, content, format, at, lag,
  external_key, extras, characters, tokens, flags, position,
  total_messages, total_turns, total_replies, total_characters, total_tokens)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)`

export function* insertMessage(
  session: SessionRow,
  insert: {
    seq: number
    message: MeasuredMessage
    totals: Totals
    /** `null`: not known yet. */
    senderId: number | null
    now: number
  },
): Steps<void> {
  const { seq, message, totals, now } = insert
  const { content, format } = encodeContent(message.content)
  const at = message.at ?? now
  const parameters = [
    session.id,
    seq,
    ROLES.indexOf(message.role),
    message.sender === null
      ? null
      : (insert.senderId ?? (yield* findSender(session.namespace, message.sender))),
    content,
    format,
    at,
    now - at,
    message.externalId === null ? null : keyOf(message.externalId),
    extrasOf(message),
    message.size.characters,
    message.size.tokens,
    flagsOf(totals, message.content),
    totals.position,
    totals.messages,
    totals.turn,
    totals.replies,
    totals.characters,
    totals.tokens,
  ]
  yield { sql: INSERT_MESSAGE, parameters, isUnread: true, together: 'rows', text: { content: 4, format: 5 } }
}

function extrasOf(message: MeasuredMessage): string | null {
  const { zone, replyTo, externalId } = message
  const isLong = externalId !== null && keyOf(externalId) !== externalId
  if (zone === null && replyTo === null && !isLong) return null
  const extras: Extras = {
    ...(zone !== null && { zone }),
    ...(replyTo !== null && { replyTo }),
    ...(isLong && { externalId }),
  }
  return JSON.stringify(extras)
}

export function senderKey(sender: Sender): string {
  return keyOf(JSON.stringify([sender.id, sender.name ?? null, sender.isSelf ?? false]))
}

function* findSender(namespace: string, sender: Sender): Steps<number> {
  const key = senderKey(sender)
  const find = 'SELECT id FROM senders WHERE namespace = ?1 AND sender_key = ?2'
  const known = yield* firstOfMany<{ id: number }>(find, namespace, key)
  if (known) return known.id
  yield* insertContestedRow(
    'INSERT INTO senders (namespace, sender_key, sender) VALUES (?1, ?2, ?3)',
    namespace,
    key,
    JSON.stringify(sender),
  )
  return (yield* firstOfMany<{ id: number }>(find, namespace, key))!.id
}
