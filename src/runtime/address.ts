import type { WaitingEntry } from '../store/index.ts'
import type { Burst } from './bursts.ts'
import type { Place, Trigger } from './channel.ts'

/** Where an answer goes, as it is stored with the message that waits for it. */
export interface Address extends Place {
  readonly channel: string
  readonly trigger: Trigger
}

export function toAddress(channel: string, { chat, thread }: Place, trigger: Trigger): Address {
  return { channel, chat, ...(thread !== undefined && { thread }), trigger }
}

/** What waits in one session: bursts to be answered, and answers to be delivered. */
export interface Owed {
  readonly address: Address
  readonly unanswered: readonly Burst[]
  readonly undelivered: readonly { readonly burst: Burst; readonly reply: readonly number[] }[]
}

/** What waits is answered together where it has the same key: nobody knows any more how it was divided. */
export function owedIn(entries: readonly WaitingEntry[]): Owed {
  const address = entries[0]!.address as unknown as Address
  const stored = entries.filter(({ reply }) => reply !== null)
  const byKey = Map.groupBy(
    entries.filter(({ reply }) => reply === null),
    ({ burst }) => burst,
  )
  return {
    address,
    unanswered: [...byKey.values()].map(toBurst),
    undelivered: stored.map(entry => ({ burst: toBurst([entry]), reply: entry.reply! })),
  }
}

function toBurst(entries: readonly WaitingEntry[]): Burst {
  const [first] = entries as readonly [WaitingEntry, ...WaitingEntry[]]
  const instants = entries.map(({ receivedAt }) => receivedAt.getTime())
  return {
    key: first.burst,
    seqs: entries.map(({ seq }) => seq).sort((a, b) => a - b),
    trigger: (first.address as unknown as Address).trigger,
    firstAt: Math.min(...instants),
    lastAt: Math.max(...instants),
    attempts: Math.max(...entries.map(({ attempts }) => attempts)),
    notBefore: 0,
    sent: (entries.find(({ sent }) => Array.isArray(sent))?.sent ?? []) as readonly string[],
  }
}
