import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'
import { describeError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type { PalimpsestOptions } from 'palimpsest/internals/palimpsest'
import type { Store } from 'palimpsest/internals/store/index'
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
  /** Opened here, and closed with the app. */
  readonly store: Store
  /** Of those who need no key. The default: `default`. */
  readonly namespace?: string
  /** A folder for the memory's files of that namespace. Left out: none. */
  readonly workspace?: string
  readonly environment?: Layer
  readonly version?: string
  /** The names under which it answers. The default: those of the machine itself. `any` takes every name. */
  readonly hosts?: readonly string[] | 'any'
  /**
   * As `hosts`, and over it, for whoever runs a server. With another name than those of the machine itself nobody is let
   * in without a key: it is meant for others, who come by way of a proxy.
   */
  readonly allowedHosts?: readonly string[]
  /** The sites whose pages may call from a browser, such as `https://app.example.com`. The default: none. */
  readonly corsOrigins?: readonly string[]
  /** A proxy of ours says in `x-forwarded-for` who calls. Nobody is let in without a key then. */
  readonly trustsProxy?: boolean
  /** Nobody is let in without a key. The default: only once there is a key. */
  readonly needsKeys?: boolean
  /** The folder of the built inspector, which is served at `/`; `false`: nothing is. The default: the one that the build makes. */
  readonly inspector?: string | false
  readonly onWarning?: (message: string) => void
  readonly onError?: OnError
  /** What is left to whoever embeds it, for every namespace. */
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
  /** A namespace that it serves, as its requests find it. */
  tenant(namespace: string): Promise<Tenant>
  /** The first step of closing: whoever would wait for long is answered now. */
  release(): Promise<void>
  /** What is under way is finished first, the store is closed last. A repeat does nothing more. */
  close(): Promise<void>
}

/** Under these a program on the same machine calls, at any port. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** So long may be stored what came of answers that were cut off. */
const MAX_STORING_MS = 3_000

/** Everything that answers requests, put together. */
export async function openApp(options: AppOptions): Promise<OpenedApp> {
  checkOptions('openApp', options, APP)
  const { store, namespace: home = 'default', version = '0.0.0' } = options
  const { workspace, onWarning, onError, instances, corsOrigins = [], trustsProxy = false } = options
  const hosts = options.allowedHosts
    ? [...new Set([...LOOPBACK_HOSTS, ...options.allowedHosts])]
    : (options.hosts ?? LOOPBACK_HOSTS)
  const needsKeys = options.needsKeys === true || isMeantForOthers(options)
  const environment = {
    // Where others can call, unless somebody says otherwise.
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
    // What is due there is folded from now on, whether somebody calls or not.
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

/** What is wrong with one of them keeps nobody else from being served. */
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
