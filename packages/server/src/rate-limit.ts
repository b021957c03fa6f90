import type { Context } from 'hono'
import { PalimpsestError } from 'palimpsest/internals/errors'
import type { LiveSettings } from './live-settings.ts'
import type { Tenants } from './tenants.ts'
import { burstOf, TokenBuckets } from './token-buckets.ts'

/** Where others than this machine can call and nobody said otherwise. */
export const DEFAULT_RATE_LIMIT = 1_200

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

  /** Counts a call, or refuses it. */
  async count(context: Context, { caller, namespace }: Counted): Promise<void> {
    const settings = this.#settings.get(namespace) ?? (await this.#open(namespace))
    if (this.#take(caller, settings, 1) === 0) return
    // Every call that is let in takes up what others have changed; one that is not has to do so here.
    await settings.refresh()
    const wait = this.#take(caller, settings, 1)
    const { rateLimit } = settings.current.values
    if (wait === 0 || rateLimit === null) return
    throw rateLimited(context, wait, { limit: rateLimit, message: perMinute(rateLimit) })
  }

  /** Counts the further calls of a request that holds so many and was itself counted, or refuses all of them. */
  async countBatch(
    context: Context,
    { caller, namespace, calls }: Counted & { readonly calls: number },
  ): Promise<void> {
    const settings = this.#settings.get(namespace) ?? (await this.#open(namespace))
    const { rateLimit } = settings.current.values
    if (rateLimit === null) return
    const maxCalls = Math.floor(burstOf(rateLimit))
    // No wait would ever be long enough.
    if (calls > maxCalls) throw batchTooLarge({ calls, maxCalls, limitPerMinute: rateLimit })
    if (this.#take(caller, settings, calls - 1) === 0) return
    // The whole request comes again, so there has to be enough for its first call as well.
    const wait = this.#calls.waitFor(caller, rateLimit, performance.now(), calls)
    throw rateLimited(context, wait, {
      limit: rateLimit,
      message: `${perMinute(rateLimit)} Each call of a batch counts.`,
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

  #take(caller: string, settings: LiveSettings, calls: number): number {
    const { rateLimit } = settings.current.values
    return rateLimit === null ? 0 : this.#calls.take(caller, rateLimit, performance.now(), calls)
  }
}

function perMinute(limit: number): string {
  return `At most ${limit} calls a minute are taken from one caller (the setting rateLimit).`
}

function batchTooLarge(details: {
  readonly calls: number
  readonly maxCalls: number
  readonly limitPerMinute: number
}): PalimpsestError {
  const { calls, maxCalls, limitPerMinute } = details
  return new PalimpsestError(
    'batch_too_large',
    `A batch may hold at most ${maxCalls} calls and has ${calls}: the setting rateLimit allows ${limitPerMinute} calls a ` +
      'minute, a sixth of them at once and at least 10. Nothing was done; send them in smaller batches.',
    details,
  )
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
