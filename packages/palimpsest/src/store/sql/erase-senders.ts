import { headOf, type Sender } from '../../log/index.ts'
import { senderKey } from './append.ts'
import { deleteSome } from './delete-some.ts'
import { type ErasureStep, ownerOf, type Slice } from './erasure-slice.ts'
import { allIn } from './many.ts'
import { BEGINNING, LOOK_ROWS, type LogPlace, ROWS_AT_A_TIME, scanLog } from './scan-log.ts'
import { all, first, run, type Steps } from './steps.ts'

/**
 * A sender is kept once for a whole namespace, without a list of its messages. When messages go, their
 * senders are retired: they can no longer be found by name, so no new message can refer to them. Then the log
 * is read. Senders without any message are deleted. The others can be found again.
 */

/** A prefix that no sender's name can have. */
function retiredPrefix(slice: Pick<Slice, 'id'>): string {
  return `\u0001${ownerOf(slice)}/`
}

export function* retireSenders(ids: readonly number[], slice: Slice): Steps<void> {
  yield* allIn(
    `UPDATE senders SET sender_key = ?1 || CAST(id AS TEXT) WHERE id IN (*) AND sender_key <> ?1 || CAST(id AS TEXT)
     RETURNING id`,
    [retiredPrefix(slice)],
    [...new Set(ids)],
  )
}

interface SenderRow {
  readonly id: number
  readonly sender: string
}

export function* retiredSenders(slice: Slice): Steps<readonly (SenderRow & { readonly person: Sender })[]> {
  const prefix = retiredPrefix(slice)
  const rows = yield* all<SenderRow>(
    'SELECT id, sender FROM senders WHERE namespace = ?1 AND sender_key >= ?2 AND sender_key < ?3 ORDER BY id',
    slice.namespace,
    prefix,
    // The next character after the slash.
    `${prefix.slice(0, -1)}0`,
  )
  return rows.map(row => ({ ...row, person: JSON.parse(row.sender) as Sender }))
}

/** All rows of a person, under any name. */
export function* findSenders(personId: string, { namespace }: Slice): Steps<readonly number[]> {
  const prefix = headOf(`[${JSON.stringify(personId)},`, COMMON_CHARACTERS)
  const rows = yield* all<SenderRow>(
    'SELECT id, sender FROM senders WHERE namespace = ?1 AND sender_key >= ?2 AND sender_key < ?3',
    namespace,
    prefix,
    `${prefix}\u{10ffff}`,
  )
  return rows
    .filter(({ sender }) => (JSON.parse(sender) as Sender | null)?.id === personId)
    .map(({ id }) => id)
}

/** A long key keeps only this beginning unchanged. */
const COMMON_CHARACTERS = 150

interface Cursor {
  readonly place: LogPlace
  /** The retired senders that are still in use. */
  readonly used: readonly number[]
}

export const settleSenders: ErasureStep = function* (slice, cursor) {
  const { place, used } = (cursor ?? { place: BEGINNING, used: [] }) as Cursor
  const retired = yield* retiredSenders(slice)
  if (retired.length === 0) return 'nothing'
  const unknown = new Set(retired.map(({ id }) => id).filter(id => !used.includes(id)))
  const found = new Set(used)
  let at = place
  for (let rows = 0; rows < ROWS_AT_A_TIME && unknown.size > 0; ) {
    const page = yield* scanLog(slice.namespace, at)
    if (page === null) {
      for (const id of unknown) yield* dropSender(id, slice)
      unknown.clear()
      break
    }
    for (const { sender_id: id } of page.messages) if (id !== null && unknown.delete(id)) found.add(id)
    rows += page.messages.length + LOOK_ROWS
    at = page.next
  }
  if (unknown.size > 0) return { next: { place: at, used: [...found] } }
  for (const { id, person } of retired) if (found.has(id)) yield* restoreSender(id, person, slice)
  return 'done'
}

function* restoreSender(id: number, sender: Sender, { namespace }: Slice): Steps<void> {
  yield* run(
    // If the sender appeared anew meanwhile, both rows stay: messages refer to both.
    `UPDATE senders SET sender_key = CASE WHEN EXISTS (
       SELECT 1 FROM senders o WHERE o.namespace = ?2 AND o.sender_key = ?3) THEN ?4 ELSE ?3 END WHERE id = ?1`,
    id,
    namespace,
    senderKey(sender),
    nobodysKey(id),
  )
}

function nobodysKey(id: number): string {
  return `\u0001${id}`
}

/**
 * SQLite gives the highest number again once it is free, and another process may remember the sender that had
 * it. So that row stays, without a name.
 */
function* dropSender(id: number, slice: Slice): Steps<void> {
  slice.count('senders', 1)
  yield* run('DELETE FROM senders WHERE id = ?1 AND id < (SELECT max(id) FROM senders)', id)
  yield* leaveNobody(id)
}

function* leaveNobody(id: number): Steps<void> {
  yield* run(`UPDATE senders SET sender = 'null', sender_key = ?2 WHERE id = ?1`, id, nobodysKey(id))
}

/** All senders of a namespace. No speaker is left in it. */
export function* dropAllSenders(slice: Slice): Steps<boolean> {
  const { namespace } = slice
  const newest = yield* first<{ id: number }>(
    'SELECT id FROM senders WHERE namespace = ?1 AND id = (SELECT max(id) FROM senders)',
    namespace,
  )
  if (newest) yield* leaveNobody(newest.id)
  const gone = yield* deleteSome(
    { table: 'senders', where: 'namespace = ?1 AND id <> ?2', key: 'id' },
    namespace,
    newest?.id ?? 0,
  )
  slice.count('senders', gone.length)
  return gone.length > 0
}
