import { InvalidArgumentError, MessageNotFoundError } from '../../errors.ts'
import type { Pin } from '../../log/index.ts'
import type { ContextPin, NewPin } from '../store.ts'
import { readShown } from './fold-state.ts'
import { isVisible } from './messages.ts'
import { MESSAGE_COLUMNS, MESSAGE_TABLES, type MessageRow, type SessionRow, toMessage } from './rows.ts'
import { all, ask, first, type Question, run, type Steps } from './steps.ts'

interface PinRow {
  readonly id: number
  readonly seq: number | null
  readonly note: string | null
  readonly tokens: number
  readonly created_at: number
}

function toPin({ id, seq, note, tokens, created_at }: PinRow): Pin {
  return { id, seq, note: note === null ? null : JSON.parse(note), tokens, createdAt: new Date(created_at) }
}

const PINS = 'SELECT id, seq, note, tokens, created_at FROM pins WHERE session_id = ?1 ORDER BY id'

export function pinRows({ id }: SessionRow): Question<PinRow> {
  return ask(PINS, id)
}

export function* readPins({ id }: SessionRow): Steps<readonly Pin[]> {
  return (yield* all<PinRow>(PINS, id)).map(toPin)
}

/** Pins with their messages. A pinned message that a rollback hid is left out. */
export function* contextPins(
  session: SessionRow,
  rows: readonly PinRow[],
  compactedThrough: number,
): Steps<readonly ContextPin[]> {
  const pins: ContextPin[] = []
  for (const pin of rows.map(toPin)) {
    // A pinned message before the newest beginning is not shown.
    if (pin.seq !== null && pin.seq <= session.begins_after) continue
    if (pin.seq === null) pins.push({ ...pin, message: null })
    else if (yield* isVisible(session, pin.seq)) {
      const row = yield* first<MessageRow>(
        `SELECT ${MESSAGE_COLUMNS} FROM ${MESSAGE_TABLES} WHERE m.session_id = ?1 AND m.seq = ?2`,
        session.id,
        pin.seq,
      )
      pins.push({ ...pin, message: toMessage(row!, session.name, compactedThrough) })
    }
  }
  return pins
}

export function* pin(session: SessionRow, { seq, note, tokens, mostTokens, now }: NewPin): Steps<Pin> {
  const pins = yield* readPins(session)
  if (seq !== null) {
    const pinned = pins.find(pin => pin.seq === seq)
    if (pinned) return pinned
    if (!(yield* isVisible(session, seq))) throw new MessageNotFoundError(session.name, seq)
  }
  const all = pins.reduce((sum, pin) => sum + pin.tokens, tokens)
  if (all > mostTokens)
    throw new InvalidArgumentError(
      'pin',
      tokens,
      `${mostTokens} tokens for all pins; together they would be ${all}`,
    )
  const row = {
    id: (pins.at(-1)?.id ?? 0) + 1,
    seq,
    note: note === null ? null : JSON.stringify(note),
    tokens,
    created_at: now,
  }
  yield* insertPin(session.id, row)
  yield* countPins(session)
  return toPin(row)
}

export function* insertPin(sessionId: number, { id, seq, note, tokens, created_at }: PinRow): Steps<void> {
  yield* run(
    'INSERT INTO pins (session_id, id, seq, note, tokens, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    sessionId,
    id,
    seq,
    note,
    tokens,
    created_at,
  )
}

export function* unpin(session: SessionRow, id: number): Steps<boolean> {
  const row = yield* first('SELECT id FROM pins WHERE session_id = ?1 AND id = ?2', session.id, id)
  if (!row) return false
  yield* run('DELETE FROM pins WHERE session_id = ?1 AND id = ?2', session.id, id)
  yield* countPins(session)
  return true
}

/** Pins count with the segments. No epoch begins, so that a pin loses no fold in flight. */
function* countPins(session: SessionRow): Steps<void> {
  const { tokens } = yield* readShown(session)
  yield* run('UPDATE sessions SET segment_tokens = ?2 WHERE id = ?1', session.id, tokens)
}
