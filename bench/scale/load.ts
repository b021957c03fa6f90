import type { ClientBase } from 'pg'
import { messageAt } from '../corpus.ts'
import { copyIn } from './copy.ts'

export const MESSAGES_EACH = 20
const SESSIONS_AT_A_TIME = 10_000
/** As many texts as are worth making: a database sees no difference. */
const TEXTS = Array.from({ length: 997 }, (_, index) => messageAt(index).text)
const START = Date.UTC(2025, 0, 1)
const APPENDED = 1

export function sessionName(index: number): string {
  return `chat-${String(index).padStart(9, '0')}`
}

/**
 * Sessions with a person and the assistant, twenty messages each, every one with its event: as our own appends would
 * have left them. Those of some thousand sessions lie among each other, as if all of them had talked at once. How
 * many sessions there are in the end: fewer than wanted if time ran out.
 */
export async function loadSessions(
  client: ClientBase,
  wanted: { readonly sessions: number; readonly withinMs: number },
  progress: (message: string) => void,
): Promise<number> {
  const begun = performance.now()
  let loaded = 0
  while (loaded < wanted.sessions) {
    const size = Math.min(SESSIONS_AT_A_TIME, wanted.sessions - loaded)
    await copyBlock(client, loaded, size)
    loaded += size
    const spent = performance.now() - begun
    if (loaded % (5 * SESSIONS_AT_A_TIME) === 0)
      progress(`scale: ${loaded.toLocaleString('en')} sessions after ${Math.round(spent / 1_000)} s`)
    if (spent > wanted.withinMs) break
  }
  // Identities go on above what was copied.
  for (const table of ['sessions', 'senders', 'events'])
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`,
    )
  return loaded
}

async function copyBlock(client: ClientBase, first: number, size: number): Promise<void> {
  const numbers = Array.from({ length: size }, (_, place) => first + place)
  await client.query('BEGIN')
  await copyIn(
    client,
    'COPY sessions (id, namespace, name_key, name, kind, user_id, created_at, epoch, first_epoch) FROM STDIN',
    [numbers.map(sessionRow).join('')],
  )
  await copyIn(client, 'COPY senders (id, namespace, sender_key, sender) FROM STDIN', [
    numbers.map(senderRow).join(''),
  ])
  await copyIn(client, `COPY messages (${MESSAGE_COLUMNS}) FROM STDIN`, inRounds(numbers, messageRow))
  await copyIn(
    client,
    'COPY events (session_id, type, at, from_seq, to_seq) FROM STDIN',
    inRounds(numbers, eventRow),
  )
  await client.query('COMMIT')
}

function* inRounds(numbers: readonly number[], row: (index: number, seq: number) => string) {
  for (let seq = 1; seq <= MESSAGES_EACH; seq++)
    for (let from = 0; from < numbers.length; from += 500)
      yield numbers
        .slice(from, from + 500)
        .map(index => row(index, seq))
        .join('')
}

function line(...values: readonly (string | number | null)[]): string {
  return `${values.map(value => value ?? '\\N').join('\t')}\n`
}

function sessionRow(index: number): string {
  const name = sessionName(index)
  return line(index + 1, 'default', name, name, 'private', `user-${index}`, START, 1, 1)
}

/** As `senderKey` writes it. */
function senderRow(index: number): string {
  const id = `user-${index}`
  return line(index + 1, 'default', JSON.stringify([id, null, false]), JSON.stringify({ id }))
}

const MESSAGE_COLUMNS = `session_id, seq, role, sender_id, content, format, at, lag, external_key, characters, tokens, flags,
  position, total_messages, total_turns, total_replies, total_characters, total_tokens`

function messageRow(index: number, seq: number): string {
  const isAnswer = seq % 2 === 0
  const turn = (seq + 1) >> 1
  return line(
    ...[index + 1, seq, isAnswer ? 2 : 1, isAnswer ? null : index + 1],
    ...[TEXTS[(index * 31 + seq) % TEXTS.length]!, 0, START + seq * 60_000, 0, `m-${100_000 + seq}`],
    ...[200, 45, 7, isAnswer ? 2 : 1, seq, turn, seq >> 1, seq * 200, seq * 45],
  )
}

function eventRow(index: number, seq: number): string {
  return line(index + 1, APPENDED, START + seq * 60_000, seq, seq)
}
