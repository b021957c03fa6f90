import type { WaitingEntry } from 'palimpsest/internals/store/index'
import type { Burst } from './bursts.ts'
import type { Channel, Place, Trigger } from './channel.ts'

/** Where an answer goes, as it is stored with the message that waits for it. */
export interface Address extends Place {
  readonly channel: string
  /** Of that name, the one through which it came. */
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

/** As `toAddress` made it. */
export function addressOf({ address }: WaitingEntry): Address {
  return address as unknown as Address
}

/** What came through one channel is not answered through another, also where they share sessions. */
export function isReachedBy({ via, ...place }: Address, channel: Channel): boolean {
  return via === channel.via && channel.serves?.(place) !== false
}

/** What waits in one session: bursts to be answered, and answers to be delivered. */
export interface Owed {
  readonly address: Address
  readonly unanswered: readonly Burst[]
  readonly undelivered: readonly Undelivered[]
}

/** An answer that is stored and not delivered. */
export interface Undelivered {
  readonly burst: Burst
  readonly reply: readonly number[]
}

/**
 * What waits is answered together where it has the same key, after another quiet time: nobody knows any more how it
 * was divided, nor by whose clock it came.
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
