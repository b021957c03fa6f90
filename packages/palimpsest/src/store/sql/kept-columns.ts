import { BoundedMap } from '../../bounded-map.ts'
import { ROLES, type Sender } from '../../log/index.ts'
import { type Speaker, speakerName } from '../search.ts'
import { allIn } from './many.ts'
import {
  BLOCK_MESSAGES,
  type BlockSpeaker,
  type Columns,
  emptyColumns,
  speakerNumber,
  unpackColumns,
} from './postings.ts'
import type { Steps } from './steps.ts'

export interface BlockRow {
  readonly block: number
  readonly data: Uint8Array
}

/**
 * A session's speakers, by their numbers in its columns. The list only grows, so that unpacked blocks can be
 * kept.
 */
class SessionColumns {
  readonly erasedEpoch: number | null
  readonly packed: BlockSpeaker[] = []
  readonly #places = new Map<number, number>()
  readonly #blocks = new Map<number, { readonly data: Uint8Array; readonly columns: Columns }>()
  speakers: readonly Speaker[] = []
  names: readonly string[] = []

  constructor(erasedEpoch: number | null) {
    this.erasedEpoch = erasedEpoch
  }

  learn(speakers: readonly Speaker[]): void {
    this.speakers = [...this.speakers, ...speakers]
    this.names = this.speakers.map(speakerName)
  }

  /** The columns of the blocks, up to a message. A block that has not changed is not unpacked again. */
  read(rows: readonly BlockRow[], lastSeq: number): Columns {
    const whole = emptyColumns(lastSeq + 1)
    for (const row of rows) {
      const { lengths, speakers, minutes } = this.#columnsOf(row)
      const first = row.block * BLOCK_MESSAGES
      const count = Math.min(lengths.length, lastSeq + 1 - first)
      if (count <= 0) continue
      whole.lengths.set(lengths.subarray(0, count), first)
      whole.speakers.set(speakers.subarray(0, count), first)
      whole.minutes.set(minutes.subarray(0, count), first)
    }
    return whole
  }

  /** The size in memory, counted in messages. */
  get size(): number {
    let messages = 0
    for (const { columns } of this.#blocks.values()) messages += columns.lengths.length
    return SESSION_SIZE + messages + this.packed.length * SPEAKER_SIZE
  }

  #columnsOf({ block, data }: BlockRow): Columns {
    const kept = this.#blocks.get(block)
    if (kept && Buffer.compare(kept.data, data) === 0) return kept.columns
    const columns = unpackColumns(data, speaker => this.#placeOf(speaker))
    this.#blocks.set(block, { data, columns })
    return columns
  }

  #placeOf(speaker: BlockSpeaker): number {
    const number = speakerNumber(speaker)
    const place = this.#places.get(number) ?? this.packed.push(speaker) - 1
    this.#places.set(number, place)
    return place
  }
}

/** Counted in messages, which take about 14 bytes each. */
const MAX_KEPT = 2_000_000
const SESSION_SIZE = 100
const MAX_SESSIONS = MAX_KEPT / SESSION_SIZE
const SPEAKER_SIZE = 20

/**
 * Columns that searches unpacked, so that the next search in the same session need not. That search still
 * reads the rows and compares them, so the kept columns can never be out of date. The total size over all
 * sessions is bounded. The session that was searched last stays longest.
 */
export class KeptColumns {
  readonly #sessions = new BoundedMap<number, SessionColumns>(MAX_SESSIONS)

  /** After an erasure everything starts again, so that no erased person stays among the speakers. */
  of({
    id,
    erased_epoch: epoch,
  }: {
    readonly id: number
    readonly erased_epoch: number | null
  }): SessionColumns {
    const kept = this.#sessions.get(id)
    const columns = kept?.erasedEpoch === epoch ? kept : new SessionColumns(epoch)
    this.#sessions.set(id, columns)
    return columns
  }

  forgetOldest(): void {
    this.#sessions.shrinkTo(MAX_KEPT, ({ size }) => size)
  }
}

/**
 * A sender's row does not change while messages refer to it, so only the rows of new speakers are read.
 * Another search may read them at the same time.
 */
export function* learnSpeakers(sessions: readonly SessionColumns[]): Steps<void> {
  for (;;) {
    const behind = sessions
      .filter(({ packed, speakers }) => packed.length > speakers.length)
      .map(columns => ({
        columns,
        from: columns.speakers.length,
        added: columns.packed.slice(columns.speakers.length),
      }))
    if (behind.length === 0) return
    const senders = yield* readSenders(behind.flatMap(({ added }) => added))
    for (const { columns, from, added } of behind)
      if (columns.speakers.length === from)
        columns.learn(
          added.map(({ role, senderId }) => ({ role: ROLES[role]!, sender: senders.get(senderId) ?? null })),
        )
  }
}

function* readSenders(speakers: readonly BlockSpeaker[]): Steps<ReadonlyMap<number | null, Sender>> {
  const rows = yield* allIn<{ id: number; sender: string }>(
    'SELECT id, sender FROM senders WHERE id IN (*)',
    [],
    [...new Set(speakers.map(({ senderId }) => senderId).filter(id => id !== null))],
  )
  return new Map(rows.map(({ id, sender }) => [id, JSON.parse(sender) as Sender]))
}
