import type { Context } from 'hono'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { type ApiKey, SCOPES, type Scope, type Store } from 'palimpsest/internals/store/index'
import type { Access } from './access.ts'
import { KnownKeys } from './keys/known-keys.ts'
import { isSecretOf } from './keys/secret.ts'
import { parseKey, sentKey, type WrittenKey } from './keys/written-key.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Revisions } from './revisions.ts'

export interface AdmissionOptions {
  readonly store: Pick<Store, 'keys'>
  readonly revisions: Revisions
  readonly rateLimit: RateLimit
  readonly addressOf: (context: Context) => string
  /** The namespace of callers without a key. */
  readonly home: string
  /** Every caller needs a key, even if the store has no key yet. */
  readonly needsKeys: boolean
}

/** Lets callers in. It decides who they are, where they may go, what they may do, and how often. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #keys: KnownKeys

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#keys = new KnownKeys(options.store.keys)
  }

  /** `revision` is the store's revision, read after the call came in. */
  async admit(context: Context, revision: number): Promise<Access> {
    const { revisions, rateLimit, addressOf, home, needsKeys } = this.#options
    const sent = sentKey(name => context.req.header(name))
    const written = sent === null ? null : parseKey(sent)
    const key = sent === null ? null : await this.#find(written, { sent, revision })
    if (key) {
      const { namespace } = key
      const account = `key ${key.id}`
      const counted = { caller: account, namespace }
      await rateLimit.count(context, counted)
      return {
        ...{ namespace, scopes: scopesOf(key), caller: `key ${key.name}`, account },
        countBatch: calls => rateLimit.countBatch(context, { ...counted, calls }),
        isStillGood: async () => (await this.#keys.find(key.id, await revisions.current())) !== null,
      }
    }
    const address = addressOf(context)
    // Some clients always send a key of another service. They are let in while this server has no
    // keys. A caller with one of our keys that is no longer valid is refused: without a key, the
    // call would land in another namespace.
    if (needsKeys || written !== null || (await this.#keys.hasKeys(revision))) {
      rateLimit.countFailure(context, address)
      throw keyRequired()
    }
    const counted = { caller: address, namespace: home }
    await rateLimit.count(context, counted)
    return {
      ...{ namespace: home, scopes: EVERYTHING, caller: address, account: address },
      countBatch: calls => rateLimit.countBatch(context, { ...counted, calls }),
      isStillGood: async () => !(await this.#keys.hasKeys(await revisions.current())),
    }
  }

  /** Admits a call that needs no key. */
  async admitAnybody(context: Context): Promise<void> {
    const { rateLimit, addressOf, home } = this.#options
    await rateLimit.count(context, { caller: addressOf(context), namespace: home })
  }

  /**
   * Does the same work whatever was sent. The time that a look into the store takes tells at
   * most an id, and ids are not secret.
   */
  async #find(
    written: WrittenKey | null,
    { sent, revision }: { readonly sent: string; readonly revision: number },
  ): Promise<ApiKey | null> {
    const key = written === null ? null : await this.#keys.find(written.id, revision)
    return isSecretOf(key, written?.secret ?? sent) ? key : null
  }
}

const EVERYTHING: ReadonlySet<Scope> = new Set(SCOPES)

function scopesOf({ scopes }: ApiKey): ReadonlySet<Scope> {
  return scopes.includes('admin') ? EVERYTHING : new Set(scopes)
}

/** The error is the same for every fault of a key, and it repeats nothing of what was sent. */
function keyRequired(): PalimpsestError {
  return new PalimpsestError(
    'key_required',
    'This server needs a key that it knows: send one of them as "Authorization: Bearer pal_…" or as "x-api-key: pal_…". ' +
      'Whoever runs it makes one with "palimpsest keys create NAME".',
    {},
  )
}
