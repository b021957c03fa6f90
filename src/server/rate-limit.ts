import type { Context } from 'hono'
import { PalimpsestError } from '../errors.ts'
import type { LiveSettings } from './live-settings.ts'
import type { Tenants } from './tenants.ts'
import { burstOf, TokenBuckets } from './token-buckets.ts'

/** Where others than this machine can call and nobody said otherwise. */
export const USUAL_RATE_LIMIT = 1_200

/** Calls a minute that may come from one address without a key that fits. */
const FAILURES_PER_MINUTE = 60

export interface RateLimitOptions {
  readonly tenants: Pick<Tenants, 'of'>
  /** Also those who have no key that fits are counted. */
  readonly limitsFailures: boolean
}

interface Counted {
  readonly caller: string
  readonly namespace: string
  /** Left out: one. */
  readonly calls?: number
}

/** How often somebody may call: as the settings of their namespace have it, for each key or address. */
export class RateLimit {
  readonly #options: RateLimitOptions
  readonly #calls = new TokenBuckets()
  readonly #failures = new TokenBuckets()
  readonly #settings = new Map<string, LiveSettings>()

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Counts a call, or several that came as one request, or refuses all of them. */
  async count(context: Context, { caller, namespace, calls = 1 }: Counted): Promise<void> {
    const settings = this.#settings.get(namespace) ?? (await this.#open(namespace))
    if (this.#waitFor(caller, settings, calls) === 0) return
    // Every call that is let in takes up what others have changed; one that is not has to do so here.
    await settings.refresh()
    const wait = this.#waitFor(caller, settings, calls)
    const { rateLimit } = settings.current.values
    if (wait === 0 || rateLimit === null) return
    const atOnce = Math.floor(burstOf(rateLimit))
    throw rateLimited(context, wait, {
      limit: rateLimit,
      message:
        `At most ${rateLimit} calls a minute are taken from one caller (the setting rateLimit).` +
        (calls > atOnce ? ` Each call of a batch counts, and at most ${atOnce} are taken at once.` : ''),
    })
  }

  /**
   * Counts a call without a key that fits. The limit bounds how much an address can try. It
   * does not hold for a key that fits: no one finds a secret of 32 bytes by trying, and whoever shares the address of
   * somebody who tries (behind one proxy, say) would be kept out with them.
   */
  countFailure(context: Context, address: string): void {
    if (!this.#options.limitsFailures) return
    const wait = this.#failures.take(address, FAILURES_PER_MINUTE, performance.now())
    if (wait === 0) return
    throw rateLimited(context, wait, {
      limit: FAILURES_PER_MINUTE,
      message: `At most ${FAILURES_PER_MINUTE} calls a minute are answered where the key is missing or wrong.`,
    })
  }

  async #open(namespace: string): Promise<LiveSettings> {
    const { settings } = await this.#options.tenants.of(namespace)
    this.#settings.set(namespace, settings)
    return settings
  }

  #waitFor(caller: string, settings: LiveSettings, calls: number): number {
    const { rateLimit } = settings.current.values
    return rateLimit === null ? 0 : this.#calls.take(caller, rateLimit, performance.now(), calls)
  }
}

function rateLimited(
  context: Context,
  waitMs: number,
  { limit, message }: { readonly limit: number; readonly message: string },
): PalimpsestError {
  const retryAfterSec = Math.ceil(waitMs / 1_000)
  context.header('retry-after', String(retryAfterSec))
  return new PalimpsestError('rate_limited', `${message} Try again in ${retryAfterSec} s.`, {
    limitPerMinute: limit,
    retryAfterSec,
  })
}
