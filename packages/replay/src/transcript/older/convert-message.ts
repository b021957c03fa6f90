import { createHash } from 'node:crypto'
import { InvalidMessageError } from 'palimpsest/internals/errors'
import type { MessageInput, Role, Sender } from 'palimpsest/internals/log/index'
import { foundMessages } from '../found-message.ts'
import { idOf, isRecord, type JsonRecord, nameOf, recordOf } from '../json-value.ts'
import { convertAiSdk } from '../read-ai-sdk.ts'
import { convertOpenAI } from '../read-openai.ts'
import { isAiSdkMessage } from '../recognize.ts'
import { ToolCalls } from '../tool-calls.ts'
import type { FoundMessage } from '../transcript.ts'
import { firstOf, TIME_FIELDS, timeOf } from './older-fields.ts'

/** A message as it is in the file, and its place, by which a person finds it there. */
export interface Entry {
  readonly place: string
  readonly value: unknown
}

export interface ReadOlderOptions {
  /** The time zone for times without an offset. */
  readonly zone: string
  /** The time for a session in which nothing has a time. */
  readonly now: number
}

export interface Converted {
  readonly messages: readonly FoundMessage[]
  /**
   * `after[n]`: how many messages the first n entries became. An empty entry becomes no message; an entry
   * with tools becomes several.
   */
  readonly after: readonly number[]
  readonly notes: readonly string[]
}

interface Timed {
  readonly found: FoundMessage
  readonly at: number | null
}

/**
 * Converts the messages of one session, with tool calls, names and times. A message without a time gets the
 * time of its neighbour.
 */
export function convertMessages(
  entries: readonly Entry[],
  { zone, now, fallback = null }: ReadOlderOptions & { readonly fallback?: number | null },
): Converted {
  const calls = new ToolCalls()
  const ids = new Map<string, number>()
  const after = [0]
  const timed: Timed[] = []
  let empty = 0
  const unread: string[] = []
  let local = false
  for (const { place, value } of entries) {
    const given = firstOf(recordOf(value), TIME_FIELDS)
    const at = timeOf(given, zone)
    if (given !== undefined && at === null) unread.push(place)
    local ||= isLocal(given, at)
    const found = foundMessages(place, () => convert(value, { place, calls, ids, given }))
    if (found.length === 0) empty += 1
    for (const one of found) timed.push({ found: one, at })
    after.push(timed.length)
  }
  const notes: string[] = []
  if (empty > 0) notes.push(`${counted(empty, 'message')} with nothing in it left out`)
  if (unread.length > 0)
    notes.push(`${counted(unread.length, 'time')} cannot be read (the first at ${unread[0]}): taken as none`)
  if (local) notes.push(`times without an offset are read in ${zone}; set PALIMPSEST_ZONE for another zone`)
  return { ...filled(timed, { fallback, now, notes }), after }
}

/** A time without an offset. Python writes the machine's local time like this, without naming its zone. */
function isLocal(given: unknown, at: number | null): boolean {
  return (
    at !== null &&
    typeof given === 'string' &&
    /\d:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*$/.test(given) &&
    !/[+-]\d{2}:?\d{2}\s*$/.test(given)
  )
}

/**
 * A missing time becomes the time of the message before or, at the beginning, of the first message with a
 * time. So a guessed time never breaks the order of times.
 */
function filled(
  timed: readonly Timed[],
  { fallback, now, notes }: { fallback: number | null; now: number; notes: string[] },
): Pick<Converted, 'messages' | 'notes'> {
  const lacking = timed.filter(({ at }) => at === null).length
  const first = timed.find(({ at }) => at !== null)?.at ?? null
  let last = first ?? fallback ?? now
  const messages = timed.map(({ found, at }) => {
    last = at ?? last
    return 'input' in found ? { ...found, input: { ...found.input, at: last } } : found
  })
  if (lacking === 0) return { messages, notes }
  const source =
    first !== null ? 'of the message beside it' : fallback !== null ? 'of its session' : 'of this import'
  return {
    messages,
    notes: [...notes, `${counted(lacking, 'message')} without a time: each takes the time ${source}`],
  }
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

interface Converting {
  readonly place: string
  readonly calls: ToolCalls
  /** How often a message with these words and this time was seen. */
  readonly ids: Map<string, number>
  readonly given: unknown
}

function convert(value: unknown, { place, calls, ids, given }: Converting): MessageInput[] {
  if (!isRecord(value)) throw new InvalidMessageError('message', value, 'an object with role and content')
  const { id, name, ...rest } = value
  const role = roleOf(value)
  const content = firstOf(value, ['content', 'text', 'message'])
  // A database row has a content column even if nothing was said: then the content is null.
  const said = content ?? ('content' in value || 'text' in value ? null : undefined)
  const message = { ...rest, role, ...(said !== undefined && { content: said }) }
  // Some systems identify the tool only by name, so a tool's message keeps its name.
  const named = role === 'tool' ? { ...message, name } : message
  const inputs = isAiSdkMessage(message) ? convertAiSdk(message, calls) : convertOpenAI(named, calls)
  const sender = senderOf(value, role)
  const own = ownId(value)
  return inputs.map((input, index) => {
    const externalId = own ?? derivedId(input, { place, ids, given, sender })
    return { ...input, sender, externalId: own === null || index === 0 ? externalId : `${own}:${index + 1}` }
  })
}

const ROLE_NAMES: Readonly<Record<string, Role>> = {
  human: 'user',
  ai: 'assistant',
  bot: 'assistant',
  model: 'assistant',
  developer: 'system',
  function: 'tool',
}

/** An unknown role stays as it is. The check of every message refuses it and names it. */
function roleOf(value: JsonRecord): unknown {
  const role = value['role']
  return (typeof role === 'string' && ROLE_NAMES[role.toLowerCase()]) || role
}

/**
 * The platform's own id stays as it is, so that a message is recognised when the platform delivers it again.
 * A row's number is no such id and gets a prefix.
 */
function ownId(value: JsonRecord): string | null {
  const platform = idOf(firstOf(value, ['external_id', 'externalId', 'message_id', 'messageId']))
  if (platform !== null) return platform
  const row = idOf(firstOf(value, ['id', 'msg_id', 'msgId']))
  return row === null ? null : `id:${row}`
}

/**
 * An id made from words and time, so that messages are still recognised in a file that lost its beginning.
 * Without a time, the place is part of the id, since people say "ok" more than once.
 */
function derivedId(
  { role, content }: MessageInput,
  {
    place,
    ids,
    given,
    sender,
  }: Pick<Converting, 'place' | 'ids' | 'given'> & { readonly sender: Sender | null },
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([role, content, sender, given ?? null]))
    .digest('base64url')
    .slice(0, 22)
  const base = given === undefined ? `${place.replace(' ', ':')}:${digest}` : `said:${digest}`
  const times = (ids.get(base) ?? 0) + 1
  ids.set(base, times)
  return times === 1 ? base : `${base}:${times}`
}

const PERSON = ['user_name', 'userName', 'username', 'nickname']

/**
 * In a table of rows, `user_id` names the person whose chat it is. In a reply's row it names the person who
 * was answered, so it counts only for users.
 */
function senderOf(value: JsonRecord, role: unknown): Sender | null {
  const isPerson = role === 'user'
  const own = firstOf(value, ['sender', 'from'])
  const record = recordOf(own)
  const id = idOf(
    firstOf(record, ['id', 'user_id', 'userId']) ??
      firstOf(value, ['sender_id', 'senderId', 'from_id', ...(isPerson ? ['user_id', 'userId'] : [])]),
  )
  const name = nameOf(
    firstOf(record, ['name', 'display_name', 'username', 'first_name']) ??
      (typeof own === 'string' ? own : undefined) ??
      firstOf(value, [
        'sender_name',
        'senderName',
        ...(isPerson ? PERSON : []),
        ...(role === 'tool' ? [] : ['name']),
      ]),
  )
  const known = id ?? (name !== null && idOf(name))
  if (!known) return null
  return { id: known, ...(name !== null && name !== known && { name }) }
}
