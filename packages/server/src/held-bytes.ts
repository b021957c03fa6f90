import { PalimpsestError } from 'palimpsest/internals/errors'

/** The bytes of one request's body. They are held from their arrival until the answer is sent. */
export interface Held {
  readonly bytes: number
  /** Counts further bytes before they are kept, or refuses them. */
  take(bytes: number): void
  /** Gives all bytes back. A second call does nothing. */
  release(): void
}

/** The share of the limit that the requests of one caller may hold together. */
const CALLERS_SHARE = 0.5

/**
 * Counts the memory that the bodies of all requests of a process take, including bodies that are still
 * arriving. A limit for one body does not bound this: many bodies that begin and never end use up the memory,
 * too. A request that would exceed the limit is refused and told to come again. It does not wait, since a
 * waiting request holds memory as well.
 *
 * One caller may hold at most half, so that one caller cannot keep others out. A body larger than the limit
 * is accepted if no other body is held. A body larger than that half is accepted if its caller holds no
 * other.
 */
export class HeldBytes {
  readonly #limit: number
  readonly #callers = new Map<string, number>()
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  open(caller: string): Held {
    let own = 0
    let isReleased = false
    const add = (bytes: number) => {
      own += bytes
      this.#total += bytes
      const ofCaller = (this.#callers.get(caller) ?? 0) + bytes
      if (ofCaller === 0) this.#callers.delete(caller)
      else this.#callers.set(caller, ofCaller)
    }
    return {
      get bytes() {
        return own
      },
      take: bytes => {
        // Bytes that arrive after the answer are not kept by any code.
        if (isReleased) return
        const ofCaller = this.#callers.get(caller) ?? 0
        const fits = (held: number, most: number) => held === own || held + bytes <= most
        if (!fits(this.#total, this.#limit)) throw busy(this.#limit, 'all callers')
        if (!fits(ofCaller, this.#limit * CALLERS_SHARE))
          throw busy(Math.floor(this.#limit * CALLERS_SHARE), 'one caller')
        add(bytes)
      },
      release: () => {
        isReleased = true
        add(-own)
      },
    }
  }
}

function busy(limit: number, whose: string): PalimpsestError {
  return new PalimpsestError(
    'server_busy',
    `The bodies of requests under way hold as much as they may: ${limit} bytes of ${whose} (the setting ` +
      'maxHeldBodyBytes). Nothing was done; send it again in a moment.',
    { limit },
  )
}
