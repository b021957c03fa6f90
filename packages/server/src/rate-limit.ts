import type { Context } from 'hono'
import { PalimpsestError } from 'palimpsest/internals/errors'
import type { LiveSettings } from './live-settings.ts'
import type { Tenants } from './tenants.ts'
import { burstOf, TokenBuckets } from './token-buckets.ts'

/** Calls a minute, if other machines can call and the operator set no limit. */
export const DEFAULT_RATE_LIMIT = 1_200

/** Calls a minute without a valid key that one address may make. */
const FAILURES_PER_MINUTE = 60

export interface RateLimitOptions {
  readonly tenants: Pick<Tenants, 'of'>
  /** Calls without a valid key are counted, too. */
  readonly limitsFailures: boolean
}

interface Counted {
  readonly caller: string
  readonly namespace: string
}

/**
 * Limits how often a caller may call. The settings of the caller's namespace
 * set the limit, per key or per address.
 */
export class RateLimit {
  readonly #options: RateLimitOptions
  readonly #calls = new TokenBuckets()
  readonly #failures = new TokenBuckets()
  readonly #settings = new Map<string, LiveSettings>()

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  async count(context: Context, { caller, namespace }: Counted): Promise<void> {
    const settings = this.#settings.get(namespace) ?? (await this.#open(namespace))
    if (this.#take(caller, settings, 1) === 0) return
    // An admitted call reads the changes of other processes. A refused call has to do so here, since the
    // limit may have changed.
    await settings.refresh()
    const wait = this.#take(caller, settings, 1)
    const { rateLimit } = settings.current.values
    if (wait === 0 || rateLimit === null) return
    throw rateLimited(context, wait, { limit: rateLimit, message: perMinute(rateLimit) })
  }

  /**
   * Counts the further calls of a request that holds several, or refuses all of them.
   * The request itself was counted before.
   */
  async countBatch(
    context: Context,
    { caller, namespace, calls }: Counted & { readonly calls: number },
  ): Promise<void> {
    const settings = this.#settings.get(namespace) ?? (await this.#open(namespace))
    const { rateLimit } = settings.current.values
    if (rateLimit === null) return
    const maxCalls = Math.floor(burstOf(rateLimit))
    // No wait would be long enough.
    if (calls > maxCalls) throw batchTooLarge({ calls, maxCalls, limitPerMinute: rateLimit })
    if (this.#take(caller, settings, calls - 1) === 0) return
    // The whole request is sent again, so there has to be room for its first call as well.
    const wait = this.#calls.waitFor(caller, rateLimit, performance.now(), calls)
    throw rateLimited(context, wait, {
      limit: rateLimit,
      message: `${perMinute(rateLimit)} Each call of a batch counts.`,
    })
  }

  /**
   * Counts a call without a valid key. The limit bounds how often one address can try keys. It does not apply
   * to calls with a valid key. A secret of 32 bytes cannot be found by trying. And callers who share an
   * address with an attacker, for example behind one proxy, would be kept out, too.
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
