import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'
import { describeError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type { PalimpsestOptions } from 'palimpsest/internals/palimpsest'
import { checkStore, type Store } from 'palimpsest/internals/store/index'
import { Admission } from './admission.ts'
import { createApp } from './app.ts'
import { EventFeed } from './event-feed.ts'
import { HeldBytes } from './held-bytes.ts'
import type { OnError } from './http-errors.ts'
import { BUILT_PAGE } from './page/folder.ts'
import { PageFiles } from './page/page-files.ts'
import { DEFAULT_RATE_LIMIT, RateLimit } from './rate-limit.ts'
import { remoteAddress } from './remote-address.ts'
import { Revisions } from './revisions.ts'
import { type Tenant, Tenants } from './tenants.ts'
import { UnderWay } from './under-way.ts'

export interface AppOptions {
  /** The app opens this store, and closes it when the app is closed. */
  readonly store: Store
  /** The namespace of callers without a key. The default: `default`. */
  readonly namespace?: string
  /** A folder for the memory files of that namespace. Left out: there are no files. */
  readonly workspace?: string
  readonly environment?: Layer
  readonly version?: string
  /**
   * The host names that the app answers to. The default: the loopback names of
   * this machine. `any` accepts every name.
   */
  readonly hosts?: readonly string[] | 'any'
  /**
   * Host names for a server that an operator runs; replaces `hosts`. The loopback names are
   * always included. Any other name means that the server is for other machines, through a
   * proxy; then every caller needs a key.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * The sites whose pages may call from a browser, for example `https://app.example.com`. The default: none.
   */
  readonly corsOrigins?: readonly string[]
  /** A proxy of ours writes the caller's address into `x-forwarded-for`. Then every caller needs a key. */
  readonly trustsProxy?: boolean
  /** Every caller needs a key. The default: only once the store has a key. */
  readonly needsKeys?: boolean
  /**
   * The folder of the built inspector, which is served at `/`. `false`: no page is served. The default: the
   * folder that the build writes.
   */
  readonly inspector?: string | false
  readonly onWarning?: (message: string) => void
  readonly onError?: OnError
  /** Further options for the instances of all namespaces. */
  readonly instances?: Partial<PalimpsestOptions>
}

const APP = optionsOf<AppOptions>({
  store: true,
  namespace: true,
  workspace: true,
  environment: true,
  version: true,
  hosts: true,
  allowedHosts: true,
  corsOrigins: true,
  trustsProxy: true,
  needsKeys: true,
  inspector: true,
  onWarning: true,
  onError: true,
  instances: true,
})

/** A server without a port. */
export interface OpenedApp extends AsyncDisposable {
  readonly app: OpenAPIHono
  /** The tenant of a namespace, as the requests of that namespace use it. */
  tenant(namespace: string): Promise<Tenant>
  /** The first step of closing: callers that would wait for long are answered now. */
  release(): Promise<void>
  /** Finishes running work first and closes the store last. A second call does nothing more. */
  close(): Promise<void>
}

/** The host names under which programs on the same machine call, with any port. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** When the app closes, how long the storing of cut-off answers may take. */
const MAX_STORING_MS = 3_000

/**
 * Builds everything that answers requests, without listening on a port.
 *
 * @example
 * const opened = await openApp({ store: sqlite('./memory.db') })
 * const response = await opened.app.fetch(new Request('http://localhost/v1/sessions'))
 */
export async function openApp(options: AppOptions): Promise<OpenedApp> {
  checkOptions('openApp', options, APP)
  checkStore(options.store)
  const { store, namespace: home = 'default', version = '0.0.0' } = options
  const { workspace, onWarning, onError, instances, corsOrigins = [], trustsProxy = false } = options
  const hosts = options.allowedHosts
    ? [...new Set([...LOOPBACK_HOSTS, ...options.allowedHosts])]
    : (options.hosts ?? LOOPBACK_HOSTS)
  const needsKeys = options.needsKeys === true || isMeantForOthers(options)
  const environment = {
    // The default rate limit if other machines can call. The caller's environment may set another.
    ...(needsKeys && { rateLimit: DEFAULT_RATE_LIMIT }),
    ...options.environment,
  }
  await store.open()
  const revisions = new Revisions(store.settings)
  const tenants = new Tenants({
    ...{ store, revisions, home, environment },
    ...(workspace !== undefined && { workspace }),
    ...(onWarning && { onWarning }),
    ...(instances && { options: instances }),
  })
  const events = new EventFeed({
    store,
    ...(onWarning && { onError: error => onWarning(`events cannot be read: ${describeError(error)}`) }),
  })
  const underWay = new UnderWay()
  const rateLimit = new RateLimit({ tenants, limitsFailures: needsKeys })
  const addressOf = (context: Context) => remoteAddress(context, { trustsProxy })
  const admission = new Admission({ store, revisions, rateLimit, addressOf, home, needsKeys })
  const release = async () => {
    events.close()
    await tenants.abortManualFolds()
  }
  let closing: Promise<void> | null = null
  const close = () => {
    closing ??= release()
      .then(() => underWay.settled(MAX_STORING_MS))
      .finally(() => tenants.close())
      .finally(() => store.close())
    return closing
  }
  try {
    // Folds that are due in this namespace begin now, even if no call comes.
    await tenants.of(home)
    await openOthers(tenants, options)
  } catch (error) {
    await close()
    throw error
  }
  const { inspector = BUILT_PAGE } = options
  const page = inspector === false ? null : new PageFiles(inspector)
  const heldBytes = new HeldBytes(resolveSettings({ environment }).values.maxHeldBodyBytes)
  const app = createApp({
    ...{ store, revisions, tenants, events, underWay, admission, heldBytes, home, version },
    ...{ hosts, corsOrigins, page },
    ...(onError && { onError }),
  })
  return { app, tenant: name => tenants.of(name), release, close, [Symbol.asyncDispose]: close }
}

/** Opens the namespaces of all keys. A fault in one namespace does not keep the others from being served. */
async function openOthers(
  tenants: Tenants,
  { store, onWarning }: Pick<AppOptions, 'store' | 'onWarning'>,
): Promise<void> {
  for (const namespace of new Set((await store.keys.listKeys()).map(key => key.namespace)))
    await tenants
      .of(namespace)
      .catch(error =>
        onWarning?.(`the namespace ${JSON.stringify(namespace)} cannot be opened: ${describeError(error)}`),
      )
}

export function isMeantForOthers({
  allowedHosts = [],
  trustsProxy = false,
}: Pick<AppOptions, 'allowedHosts' | 'trustsProxy'>): boolean {
  return trustsProxy || allowedHosts.some(host => !LOOPBACK_HOSTS.includes(host))
}
