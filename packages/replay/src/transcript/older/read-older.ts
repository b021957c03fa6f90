import { isDeepStrictEqual } from 'node:util'
import {
  GROUP_TURN_MESSAGES,
  nextTotals,
  type SessionKind,
  type Totals,
} from 'palimpsest/internals/log/index'
import { idOf, isRecord, type JsonRecord, listOf, nameOf, recordOf, textOf } from '../json-value.ts'
import type { FoundConversation, FoundMessage } from '../transcript.ts'
import {
  type Converted,
  convertMessages,
  counted,
  type Entry,
  type ReadOlderOptions,
} from './convert-message.ts'
import {
  CURSOR_FIELDS,
  CURSOR_TIME_FIELDS,
  firstOf,
  hasAny,
  kindOf,
  ROUND_FIELDS,
  SUMMARY_FIELDS,
  TIME_FIELDS,
  timeOf,
} from './older-fields.ts'
import { NO_PAST, type Past, type PastSummary } from './past.ts'
import { readRows } from './read-rows.ts'
import type { OlderValue } from './recognize-older.ts'

export function readOlder(value: OlderValue, options: ReadOlderOptions): FoundConversation[] {
  switch (value.kind) {
    case 'rows':
      return readRows(value.rows, options)
    case 'session':
      return [readOlderSession(value.session, idOf(value.id), options)]
    case 'sessions':
      return value.sessions.map(({ id, session }) =>
        readOlderSession(
          session,
          id ?? idOf(firstOf(session, ['id', 'session_id', 'chat_id', 'key'])),
          options,
        ),
      )
  }
}

/** `places`: how a person finds the messages in the file, where their number alone is not enough. */
export function readOlderSession(
  session: JsonRecord,
  id: string | null,
  options: ReadOlderOptions & { readonly places?: readonly string[] },
): FoundConversation {
  const { zone } = options
  const createdAt = timeOf(firstOf(session, ['created_at', 'createdAt']), zone)
  const cursorTime = firstOf(session, CURSOR_TIME_FIELDS)
  const foldedAt = timeOf(cursorTime, zone)
  const fallback = createdAt ?? timeOf(firstOf(session, ['updated_at', 'updatedAt']), zone) ?? foldedAt
  const { entries, rounds } = entriesOf(session, options.places)
  const converted = convertMessages(entries, { ...options, fallback })
  const notes = [...converted.notes]
  if (cursorTime !== undefined && foldedAt === null)
    notes.push('the time of the last consolidation cannot be read and is taken as none')
  const found = { converted, entries, rounds, notes }
  const window = windowOf(session, converted, options)
  const kind = kindOf(session)
  const folded = window?.folded ?? foldedOf(session, found, kind ?? 'private')
  const past: Past = {
    ...NO_PAST,
    ...{ folded, foldedAt, createdAt, kind },
    summaries: summariesOf(session, { ...found, folded, zone, kind: kind ?? 'private' }),
    window: window?.messages ?? null,
    memo: memoOf(session, converted, folded),
    resizedAt: resizedAt(session, converted),
    settings: settingsOf(session, notes),
    notes,
  }
  return { id, title: nameOf(firstOf(session, ['title', 'name'])), messages: converted.messages, past }
}

interface Found {
  readonly converted: Converted
  readonly entries: readonly Entry[]
  /** After how many entries each round ends; `null`: the file does not say. */
  readonly rounds: readonly number[] | null
  readonly notes: string[]
}

function entriesOf(session: JsonRecord, places?: readonly string[]): Pick<Found, 'entries' | 'rounds'> {
  const numbered = (values: readonly unknown[]) =>
    values.map((value, index) => ({ place: places?.[index] ?? `message ${index + 1}`, value }))
  const full = listOf(session['full_chat_history'])
  if (full.length > 0) return { entries: numbered(full), rounds: null }
  const messages = listOf(session['messages'])
  const { rounds } = session
  if (messages.length > 0 || !Array.isArray(rounds))
    return {
      entries: numbered(messages.length > 0 ? messages : listOf(session['current_chat_history'])),
      rounds: null,
    }
  const entries: Entry[] = []
  const ends = rounds.map((round, index) => {
    for (const [number, value] of messagesOfRound(round).entries())
      entries.push({ place: `round ${index + 1}, message ${number + 1}`, value })
    return entries.length
  })
  return { entries, rounds: ends }
}

function messagesOfRound(round: unknown): readonly unknown[] {
  if (Array.isArray(round)) return round
  const record = recordOf(round)
  if (Array.isArray(record['messages'])) return record['messages']
  const time = firstOf(record, TIME_FIELDS)
  const asked = firstOf(record, ['user', 'question', 'input'])
  const answered = firstOf(record, ['assistant', 'answer', 'reply', 'output'])
  const message = (role: string, said: unknown) =>
    said === undefined ? [] : [{ role, content: said, ...(time !== undefined && { timestamp: time }) }]
  const both = [...message('user', asked), ...message('assistant', answered)]
  // An object that is no round is refused as a message, and the error names it.
  return both.length > 0 ? both : [round]
}

/** The older system's cursor, as a number of messages that were found. */
function foldedOf(session: JsonRecord, found: Found, kind: SessionKind): number {
  const round = firstOf(session, ROUND_FIELDS)
  if (round !== undefined) return foldedThroughRound(round, found, kind)
  const cursor = firstOf(session, CURSOR_FIELDS)
  if (cursor === undefined) return 0
  const { entries, converted, notes } = found
  const count = countOf(cursor)
  if (count === null) {
    notes.push(`last_consolidated (${shown(cursor)}) makes no sense and is taken as none`)
    return 0
  }
  if (count > entries.length)
    notes.push(
      `last_consolidated is ${count} of ${counted(entries.length, 'message')}: it is taken as the end`,
    )
  return converted.after[Math.min(count, entries.length)]!
}

function foldedThroughRound(value: unknown, { entries, rounds, converted, notes }: Found, kind: SessionKind) {
  const round = countOf(value)
  if (round === null) {
    notes.push(`compressedThroughRound (${shown(value)}) makes no sense and is taken as none`)
    return 0
  }
  const ends = rounds ?? roundsIn(entries) ?? null
  const last = ends === null ? turnEnds(converted.messages, kind) : ends.map(end => converted.after[end]!)
  if (round > last.length)
    notes.push(
      `compressedThroughRound is ${round} of ${counted(last.length, 'round')}: it is taken as the end`,
    )
  return round === 0 || last.length === 0 ? 0 : last[Math.min(round, last.length) - 1]!
}

/** The ends of rounds, if each message names its round. */
function roundsIn(entries: readonly Entry[]): readonly number[] | null {
  const ends: number[] = []
  for (const [index, { value }] of entries.entries()) {
    const round = countOf(recordOf(value)['round'])
    if (round === null || round < 1 || round > entries.length) return null
    ends[round - 1] = index + 1
  }
  let end = 0
  return Array.from(ends, each => {
    end = Math.max(end, each ?? 0)
    return end
  })
}

/** After how many messages each turn ends. Turns are counted as the engine counts them. */
function turnEnds(messages: readonly FoundMessage[], kind: SessionKind): readonly number[] {
  const ends: number[] = []
  let totals: Totals | null = null
  for (const [index, found] of messages.entries()) {
    if (!('input' in found)) continue
    const { role, content, text = '' } = found.input
    const size = { characters: 0, tokens: 0 }
    const rules = { kind, groupTurnMessages: GROUP_TURN_MESSAGES }
    totals = nextTotals(totals, { role, content: content ?? text }, size, rules)
    ends[totals.turn - 1] = index + 1
  }
  return ends
}

/**
 * For a session with two histories: what stood for its folded messages. The longest end of the current
 * history that is also the end of the full one is raw. The messages before it stand for the rest of the full
 * history. If all of them are in the full history, too, they say nothing about the rest, and there is no
 * window.
 */
function windowOf(
  session: JsonRecord,
  { messages }: Converted,
  options: ReadOlderOptions,
): { folded: number; messages: Past['window'] } | null {
  const current = session['current_chat_history']
  if (!Array.isArray(current) || listOf(session['full_chat_history']).length === 0) return null
  const entries = current.map((value, index) => ({ place: `current message ${index + 1}`, value }))
  const said = convertMessages(entries, options).messages.flatMap(found =>
    'input' in found ? [{ role: found.input.role, content: found.input.content ?? found.input.text! }] : [],
  )
  const full = messages.map(found =>
    'input' in found ? { role: found.input.role, content: found.input.content ?? found.input.text! } : null,
  )
  let kept = 0
  while (
    kept < said.length &&
    kept < full.length &&
    isDeepStrictEqual(said.at(-1 - kept), full.at(-1 - kept))
  )
    kept += 1
  const before = said.slice(0, said.length - kept)
  const known = new Set(full.map(message => JSON.stringify(message)))
  const isOwn = before.some(message => !known.has(JSON.stringify(message)))
  const folded = full.length - kept
  if (folded > 0 || !isOwn) return { folded, messages: isOwn ? before : null }
  // These messages stand for nothing yet. To keep them, the window stands for the oldest message, and also
  // contains it.
  return { folded: 1, messages: [...before, full[0]!] }
}

function summariesOf(
  session: JsonRecord,
  found: Found & { readonly folded: number; readonly zone: string; readonly kind: SessionKind },
): readonly PastSummary[] {
  const { folded, zone, converted, kind, rounds, entries } = found
  const name = SUMMARY_FIELDS.find(name => isThere(session[name]))
  if (name === undefined) return []
  const given = session[name]
  const values: readonly unknown[] = Array.isArray(given)
    ? given
    : isRecord(given)
      ? eventsIn(given)
      : [given]
  const ends = () =>
    (rounds ?? roundsIn(entries))?.map(end => converted.after[end]!) ?? turnEnds(converted.messages, kind)
  const loose: string[] = []
  const ranged: PastSummary[] = []
  for (const value of values) {
    const record = recordOf(value)
    const text = (
      typeof value === 'string' ? value : textOf(firstOf(record, ['summary', 'text', 'content', 'event']))
    ).trim()
    if (text === '') continue
    const time = firstOf(record, [...TIME_FIELDS, 'on', 'day'])
    const at = timeOf(time, zone)
    const range = roundRange(record, ends) ?? indexRange(record, converted)
    if (range !== null) ranged.push({ ...range, text, at })
    else loose.push(typeof time === 'string' && isRecord(value) ? `- ${time.slice(0, 10)} ${text}` : text)
  }
  if (loose.length === 0) return ranged
  return [{ from: 0, to: folded, text: loose.join('\n'), at: null }, ...ranged]
}

function isThere(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isRecord(value) ? eventsIn(value).length > 0 : textOf(value).trim() !== ''
}

/** A session memory is often an object with a text and events. */
function eventsIn(value: JsonRecord): readonly unknown[] {
  const text = firstOf(value, ['summary', 'text', 'content'])
  return [...(text === undefined ? [] : [text]), ...listOf(value['events'])]
}

function roundRange(record: JsonRecord, ends: () => readonly number[]): { from: number; to: number } | null {
  const from = countOf(firstOf(record, ['fromRound', 'from_round', 'startRound', 'start_round', 'round']))
  const to = countOf(firstOf(record, ['toRound', 'to_round', 'endRound', 'end_round', 'round']))
  if (from === null || to === null || from < 1) return null
  const all = ends()
  return { from: from === 1 ? 0 : (all[from - 2] ?? all.at(-1) ?? 0), to: all[to - 1] ?? all.at(-1) ?? 0 }
}

/** Half-open, like the cursor. */
function indexRange(record: JsonRecord, { after }: Converted): { from: number; to: number } | null {
  const from = countOf(firstOf(record, ['start', 'start_index', 'startIndex', 'from']))
  const to = countOf(firstOf(record, ['end', 'end_index', 'endIndex', 'to']))
  if (from === null || to === null) return null
  const last = after.length - 1
  return { from: after[Math.min(from, last)]!, to: after[Math.min(to, last)]! }
}

function memoOf(session: JsonRecord, { messages, after }: Converted, folded: number): Past['memo'] {
  const { memo } = session
  const value = isRecord(memo) ? memo : textOf(memo) === '' ? {} : { memo }
  if (Object.keys(value).length === 0) return null
  const cursor = countOf(firstOf(session, ['memo_cursor', 'memoCursor']))
  return { value, through: cursor === null ? folded : (after[cursor] ?? messages.length) }
}

function resizedAt(session: JsonRecord, { after }: Converted): number | null {
  const turn = countOf(firstOf(session, ['last_resize_turn', 'lastResizeTurn']))
  return turn === null ? null : (after[turn] ?? null)
}

const A_NAMES = ['fullContextTurns', 'full_context_turns', 'A']
const B_NAMES = ['cachedContextTurns', 'cached_context_turns', 'B']
const SETTING_PLACES = ['settings', 'contextWindow', 'context_window', 'agent']

/** Finds A and B in any of the places where sessions keep them. */
function settingsOf(session: JsonRecord, notes: string[]): Readonly<Record<string, unknown>> {
  const places = [session, ...SETTING_PLACES.map(name => recordOf(session[name]))]
  const inner = places.flatMap(place => [place, recordOf(place['contextWindow'])])
  const holder = inner.find(place => hasAny(place, [...A_NAMES, ...B_NAMES]))
  if (holder === undefined) return {}
  const found: [string, unknown][] = [
    ['fullContextTurns', firstOf(holder, A_NAMES)],
    ['cachedContextTurns', firstOf(holder, B_NAMES)],
  ]
  const given = found.filter(([, value]) => value !== undefined)
  const good = given.flatMap(([name, value]) => {
    const count = countOf(value)
    if (count !== null && count > 0) return [[name, count] as const]
    notes.push(`${name} (${shown(value)}) is no whole number above 0 and is left out`)
    return []
  })
  return good.length === 0 ? {} : { policy: 'rounds', ...Object.fromEntries(good) }
}

/** A whole number of at least 0, also if it is written as text; `null`: the value is none. */
function countOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 40)
}
