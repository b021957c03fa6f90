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

/** A session's speakers, by the numbers in its columns. They only grow, so that blocks can be kept. */
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

  /** What blocks say, through a message. What is as it was is not unpacked again. */
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

  /** What it takes in memory, in messages. */
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

/** In messages, which take some 14 bytes each. */
const MAX_KEPT = 2_000_000
const SESSION_SIZE = 100
const MAX_SESSIONS = MAX_KEPT / SESSION_SIZE
const SPEAKER_SIZE = 20

/**
 * What searches unpacked, so that the next one in the same session need not: it reads the rows and compares them,
 * so it can never be behind. Of all sessions together it is bounded; the one that was searched last stays longest.
 */
export class KeptColumns {
  readonly #sessions = new BoundedMap<number, SessionColumns>(MAX_SESSIONS)

  /** With an erasure everything begins anew: no person who was erased stays among the speakers. */
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

/** A sender's row says the same as long as messages have it: only those of new speakers are read. Meanwhile another search may learn them, too. */
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
