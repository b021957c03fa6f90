import { SessionNotFoundError } from '../../errors.ts'
import { hasOrigins, nextTotals, type Size, type Totals } from '../../log/index.ts'
import { INITIAL_FOLD_STATE } from '../../policy/index.ts'
import { type FileMessage, type FileSegment, type SessionFile, tellable } from '../session-file.ts'
import type { MeasuredMessage, SessionKey } from '../store.ts'
import { insertMessage } from './append.ts'
import { settleBeginnings } from './beginnings.ts'
import { type Build, buildSession } from './build.ts'
import { correctionsOf, importCorrections } from './corrections.ts'
import type { Driver } from './driver.ts'
import { insertMemo, insertSegment } from './fold.ts'
import { stateFromSegments, writeFoldState } from './fold-state.ts'
import { readHead } from './head.ts'
import { insertRows } from './insert-rows.ts'
import { digestOfErased, keyOfErased } from './keys.ts'
import { languageAlone, sessionLanguage } from './layers.ts'
import { checkNewIds } from './new-ids.ts'
import { packSegments } from './pack-segments.ts'
import { insertPin, readPins } from './pins.ts'
import {
  decodeContent,
  ERASED,
  encodeContent,
  FOREIGN,
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageRow,
  SEGMENT_COLUMNS,
  SESSION_COLUMNS,
  type SegmentRow,
  type SessionRow,
  settingsOf,
  toFoldState,
  toMessage,
  toSegment,
} from './rows.ts'
import { findSession } from './session.ts'
import { exportDocuments, importDocuments } from './session-documents.ts'
import { all, run, type Steps } from './steps.ts'
import type { HiddenRange } from './visible.ts'

/** Export and import of a whole session. */

export function* exportSession(key: SessionKey): Steps<SessionFile> {
  const session = yield* findSession(key)
  if (!session) throw new SessionNotFoundError(key.id)
  const { decided, lastFoldAt, overheadTokens } = toFoldState(session)
  const { told } = correctionsOf(session)
  const language = sessionLanguage(session)
  const memos = (yield* all<{ memo: string; through_seq: number }>(
    'SELECT memo, through_seq FROM memos WHERE session_id = ?1 ORDER BY version',
    session.id,
  )).map(row => ({ value: JSON.parse(row.memo), throughSeq: row.through_seq }))
  return tellable({
    format: 'palimpsest-session',
    version: 1,
    id: session.name,
    kind: session.kind,
    user: session.user_id,
    scope: session.scope_id,
    createdAt: new Date(session.created_at).toISOString(),
    origin: session.origin === null ? null : JSON.parse(session.origin),
    settings: settingsOf(session),
    zone: session.zone,
    ...(language !== null && { language }),
    epoch: session.epoch - session.first_epoch,
    compactedThrough: session.compacted_through,
    counters: { decided, lastFoldAt, overheadTokens },
    memo: memos.at(-1) ?? null,
    memoVersions: memos.slice(0, -1),
    beginnings: yield* exportBeginnings(session),
    messages: yield* exportMessages(session),
    segments: yield* exportSegments(session),
    pins: (yield* readPins(session)).map(pin => ({ ...pin, createdAt: pin.createdAt.toISOString() })),
    documents: yield* exportDocuments(session),
    extractedThrough: session.extracted_through,
    ...(told.length > 0 && { corrected: told }),
  })
}

function* exportBeginnings({ id }: SessionRow): Steps<SessionFile['beginnings']> {
  const rows = yield* all<{ after_seq: number; folded_through: number; at: number }>(
    'SELECT after_seq, folded_through, at FROM beginnings WHERE session_id = ?1 ORDER BY after_seq',
    id,
  )
  return rows.map(row => ({
    afterSeq: row.after_seq,
    foldedThrough: row.folded_through,
    at: new Date(row.at).toISOString(),
  }))
}

function* importBeginnings(session: SessionRow, { beginnings }: SessionFile): Steps<void> {
  yield* insertRows(
    'beginnings',
    ['session_id', 'after_seq', 'folded_through', 'at'],
    beginnings.map(({ afterSeq, foldedThrough, at }) => [
      session.id,
      afterSeq,
      foldedThrough,
      Date.parse(at),
    ]),
  )
  yield* settleBeginnings(session)
}

function* exportMessages(session: SessionRow): Steps<readonly FileMessage[]> {
  const rows = yield* all<MessageRow>(
    `SELECT ${MESSAGE_COLUMNS} FROM ${MESSAGE_TABLES} WHERE m.session_id = ?1 ORDER BY m.seq`,
    session.id,
  )
  const versions = Map.groupBy(
    yield* all<{ seq: number; content: string; format: number; replaced_at: number }>(
      `SELECT seq, content, format, replaced_at FROM message_versions
       WHERE session_id = ?1 ORDER BY seq, version`,
      session.id,
    ),
    row => row.seq,
  )
  const hidden = yield* all<HiddenRange>(
    'SELECT from_seq, to_seq FROM hidden_ranges WHERE session_id = ?1 ORDER BY from_seq',
    session.id,
  )
  let place = 0
  return rows.map(row => {
    const { seq, role, sender, content, at, appendedAt, zone, externalId, replyTo } = toMessage(
      row,
      session.name,
      0,
    )
    const earlier = versions.get(seq)
    const isErased = row.format === ERASED
    while (place < hidden.length && hidden[place]!.to_seq < seq) place += 1
    return {
      seq,
      role,
      sender,
      content,
      at: at.toISOString(),
      appendedAt: appendedAt.toISOString(),
      zone,
      externalId: isErased ? null : externalId,
      replyTo,
      ...((hidden[place]?.from_seq ?? Number.POSITIVE_INFINITY) <= seq && { hidden: true as const }),
      ...(isErased && { erased: true as const }),
      ...(isErased && externalId !== null && { externalDigest: digestOfErased(externalId) }),
      ...(earlier && {
        versions: earlier.map(version => ({
          content: decodeContent(version),
          replacedAt: new Date(version.replaced_at).toISOString(),
        })),
      }),
    }
  })
}

function* exportSegments(session: SessionRow): Steps<readonly FileSegment[]> {
  const rows = yield* all<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM segments WHERE session_id = ?1 ORDER BY id`,
    session.id,
  )
  return rows.map(row => ({
    ...toSegment(row),
    state: row.state as FileSegment['state'],
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.withheld !== 0 && { withheld: WITHHELD.get(row.withheld)! }),
  }))
}

/** The stored numbers, and their names in a file. */
const WITHHELD = new Map<number, NonNullable<FileSegment['withheld']>>([
  [2, 'nothing'],
  [1, 'extract'],
  [-1, 'outdated'],
])

function withheldOf({ withheld }: FileSegment): number {
  return [...WITHHELD].find(([, name]) => name === withheld)?.[0] ?? 0
}

const MESSAGES_AT_A_TIME = 200

export interface ImportOptions {
  readonly measure: (message: FileMessage) => Size
  readonly groupTurnMessages: number
  readonly now: number
}

export async function importSession(
  driver: Driver,
  key: SessionKey,
  file: SessionFile,
  options: ImportOptions,
): Promise<void> {
  const traits = { kind: file.kind, user: file.user, scope: file.scope }
  checkNewIds({ user: file.user, scope: file.scope })
  const event = {
    type: 'session-imported',
    at: options.now,
    toSeq: file.messages.at(-1)?.seq ?? null,
  } as const
  await buildSession(driver, key, { traits, event }, async build => {
    let chain: Chain = { visible: null, newest: null }
    for (let start = 0; start < file.messages.length; start += MESSAGES_AT_A_TIME) {
      const slice = file.messages.slice(start, start + MESSAGES_AT_A_TIME)
      chain = await build.write(session => importMessages(session, slice, chain, options))
    }
    await build.write(session => importHidden(session, file.messages))
    await importFolds(build, file, options.now)
    build.whenPublished(session => importDocuments(session, key.id, file.documents))
  })
}

/**
 * The totals from which to go on. A visible message follows the last visible one. A hidden message follows
 * the one right before it.
 */
interface Chain {
  readonly visible: Totals | null
  readonly newest: Totals | null
}

function* importMessages(
  session: SessionRow,
  messages: readonly FileMessage[],
  chain: Chain,
  { measure, groupTurnMessages }: ImportOptions,
): Steps<Chain> {
  const rules = { kind: session.kind, groupTurnMessages }
  let { visible, newest } = chain
  for (const message of messages) {
    const size = message.erased ? NO_SIZE : measure(message)
    const measured: MeasuredMessage = { ...message, at: Date.parse(message.at), size }
    const totals = nextTotals(message.hidden ? newest : visible, measured, measured.size, rules)
    yield* insertMessage(session, {
      seq: message.seq,
      message: measured,
      totals,
      senderId: null,
      now: Date.parse(message.appendedAt),
    })
    if (message.erased) yield* importErased(session, message)
    yield* importVersions(session, message)
    newest = totals
    if (!message.hidden) visible = totals
  }
  return { visible, newest }
}

const NO_SIZE: Size = { characters: 0, tokens: 0 }

function* importErased({ id }: SessionRow, { seq, externalDigest }: FileMessage): Steps<void> {
  yield* run(
    `UPDATE messages SET content = '', format = ${ERASED}, external_key = ?3 WHERE session_id = ?1 AND seq = ?2`,
    id,
    seq,
    externalDigest === undefined ? null : keyOfErased(externalDigest),
  )
}

function* importVersions(session: SessionRow, { seq, versions = [] }: FileMessage): Steps<void> {
  for (const [index, version] of versions.entries()) {
    const { content, format } = encodeContent(version.content)
    yield* insertRows(
      'message_versions',
      ['session_id', 'seq', 'version', 'content', 'format', 'replaced_at'],
      [[session.id, seq, index + 1, content, format, Date.parse(version.replacedAt)]],
    )
  }
  if (versions.length > 0)
    yield* run(
      'UPDATE messages SET version = ?3, flags = flags | ?4 WHERE session_id = ?1 AND seq = ?2',
      session.id,
      seq,
      versions.length + 1,
      versions.some(({ content }) => hasOrigins(content)) ? FOREIGN : 0,
    )
}

/** Hidden messages and gaps between the `seq`s, as ranges that do not touch. */
function* importHidden(session: SessionRow, messages: readonly FileMessage[]): Steps<void> {
  const lastSeq = messages.at(-1)?.seq ?? 0
  let visibleBefore = 0
  let hiddenThrough = 0
  for (const seq of [
    ...messages.filter(message => !message.hidden).map(message => message.seq),
    lastSeq + 1,
  ]) {
    if (seq > visibleBefore + 1) {
      hiddenThrough = seq - 1
      yield* run(
        'INSERT INTO hidden_ranges (session_id, from_seq, to_seq) VALUES (?1, ?2, ?3)',
        session.id,
        visibleBefore + 1,
        hiddenThrough,
      )
    }
    if (seq <= lastSeq) visibleBefore = seq
  }
  yield* run(
    'UPDATE sessions SET hidden_through = ?2, visible_before = ?3 WHERE id = ?1',
    session.id,
    hiddenThrough,
    visibleBefore,
  )
}

async function importFolds(build: Build, file: SessionFile, now: number): Promise<void> {
  await build.write(function* (session) {
    for (const segment of file.segments)
      yield* insertSegment(session.id, {
        ...segment,
        createdAt: Date.parse(segment.createdAt),
        withheld: withheldOf(segment),
      })
    yield* packSegments(
      session.id,
      file.segments.map(({ id }) => id),
    )
    for (const memo of [...file.memoVersions, ...(file.memo ? [file.memo] : [])])
      yield* insertMemo(session, memo)
    for (const { note, createdAt, ...pin } of file.pins)
      yield* insertPin(session.id, {
        ...pin,
        note: note === null ? null : JSON.stringify(note),
        created_at: Date.parse(createdAt),
      })
    yield* importBeginnings(session, file)
    const [imported] = yield* all<SessionRow>(
      `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1`,
      session.id,
    )
    const head = yield* readHead(imported!)
    const state = yield* stateFromSegments(imported!, {
      head,
      state: { ...INITIAL_FOLD_STATE, ...file.counters },
    })
    yield* writeFoldState(session, { ...state, lastFoldAt: file.counters.lastFoldAt ?? state.lastFoldAt })
    yield* run(
      `UPDATE sessions SET epoch = ?2, origin = ?3, settings = ?4, created_at = ?5, extracted_through = ?6,
         zone = ?7, layers = ?8, layers_epoch = -1
       WHERE id = ?1`,
      session.id,
      file.epoch,
      file.origin === null ? null : JSON.stringify(file.origin),
      Object.keys(file.settings).length === 0 ? null : JSON.stringify(file.settings),
      Date.parse(file.createdAt),
      file.extractedThrough,
      file.zone,
      languageAlone(file.language ?? null),
    )
    yield* importCorrections(session, file.corrected ?? [], now)
  })
}
