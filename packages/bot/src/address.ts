import type { WaitingEntry } from 'palimpsest/internals/store/index'
import type { Burst } from './bursts.ts'
import type { Channel, Place, Trigger } from './channel.ts'

/** Where an answer goes. It is stored with the message that waits for the answer. */
export interface Address extends Place {
  readonly channel: string
  /** The channel through which the message came, among several channels of this name. */
  readonly via?: string
  readonly trigger: Trigger
}

export function toAddress({ name, via }: Channel, { chat, thread }: Place, trigger: Trigger) {
  return {
    ...{ channel: name, chat, trigger },
    ...(via !== undefined && { via }),
    ...(thread !== undefined && { thread }),
  }
}

/** Reads back what `toAddress` made. */
export function addressOf({ address }: WaitingEntry): Address {
  return address as unknown as Address
}

/**
 * A message that came through one channel is answered through that channel only, even where channels share
 * sessions.
 */
export function isReachedBy({ via, ...place }: Address, channel: Channel): boolean {
  return via === channel.via && channel.serves?.(place) !== false
}

/** What waits in one session: bursts that need an answer, and answers that need delivery. */
export interface Owed {
  readonly address: Address
  readonly unanswered: readonly Burst[]
  readonly undelivered: readonly Undelivered[]
}

/** An answer that is stored and not yet delivered. */
export interface Undelivered {
  readonly burst: Burst
  readonly reply: readonly number[]
}

/**
 * Messages with the same key are answered together, after another quiet time. How they were divided before is
 * unknown, and so is the clock by which they came.
 */
export function owedIn(entries: readonly WaitingEntry[], now: number): Owed {
  const address = addressOf(entries[0]!)
  const stored = entries.filter(({ reply }) => reply !== null)
  const byKey = Map.groupBy(
    entries.filter(({ reply }) => reply === null),
    ({ burst }) => burst,
  )
  return {
    address,
    unanswered: [...byKey.values()].map(entries => toBurst(entries, now)),
    undelivered: stored.map(entry => ({ burst: toBurst([entry], now), reply: entry.reply! })),
  }
}

function toBurst(entries: readonly WaitingEntry[], now: number): Burst {
  const [first] = entries as readonly [WaitingEntry, ...WaitingEntry[]]
  return {
    key: first.burst,
    seqs: entries.map(({ seq }) => seq).sort((a, b) => a - b),
    trigger: addressOf(first).trigger,
    firstAt: now,
    lastAt: now,
    attempts: Math.max(...entries.map(({ attempts }) => attempts)),
    notBefore: 0,
    sent: (entries.find(({ sent }) => Array.isArray(sent))?.sent ?? []) as readonly string[],
    isRepeat: true,
  }
}
