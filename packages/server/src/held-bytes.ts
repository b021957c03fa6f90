import { PalimpsestError } from 'palimpsest/internals/errors'

/** The bytes of one request's body. They are held from when they arrive until the answer is out. */
export interface Held {
  readonly bytes: number
  /** Notes further bytes before they are kept, or refuses them. */
  take(bytes: number): void
  /** None of them is held any more. A repeat does nothing. */
  release(): void
}

/** The part of the limit that one caller may have while others are kept waiting by it. */
const CALLERS_SHARE = 0.5

/**
 * What the bodies of all requests of a process take up, those that are still arriving included. A limit on one body
 * does not bound it: many that are begun and never finished are as good as memory that is gone. A request that would
 * go above the limit is refused and told to come again; it does not wait, since what waits is held as well.
 *
 * One caller has at most half of it, so that none is kept out by another. A body that is larger than the limit, or than
 * that half, is taken where it is the only one.
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

  /** For one request of this caller. */
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
        // What arrives after the answer is out is kept by nothing.
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
