import type { Layer } from 'palimpsest/internals/config/index'
import { describeError } from 'palimpsest/internals/errors'
import type { Configuration, Palimpsest, PalimpsestOptions } from 'palimpsest/internals/palimpsest'
import { createPalimpsest } from 'palimpsest/internals/palimpsest'
import type { Store } from 'palimpsest/internals/store/index'
import { lentStore } from 'palimpsest/internals/store/lent-store'
import { FoldFailures } from './fold-failures.ts'
import { LiveSettings } from './live-settings.ts'
import { Metrics } from './metrics.ts'
import type { Revisions } from './revisions.ts'

/** Everything of one namespace. Nothing in it reaches another namespace. */
export interface Tenant {
  readonly namespace: string
  readonly palimpsest: Palimpsest
  readonly settings: LiveSettings
  readonly metrics: Metrics
  /**
   * The key from which the ids of forks follow, the same in every process on
   * the database. No caller may know it.
   */
  readonly forkKey: () => Promise<string>
}

export interface TenantsOptions {
  /** An open store. The tenants do not close it. */
  readonly store: Store
  readonly revisions: Revisions
  readonly environment?: Layer
  /** The namespace whose memory files are in the workspace. */
  readonly home: string
  readonly workspace?: string
  readonly onWarning?: (message: string) => void
  /** Options for all instances; for tests. */
  readonly options?: Partial<PalimpsestOptions>
}

/** The namespaces that this process serves. Each is opened when it is first needed. */
export class Tenants {
  readonly #options: TenantsOptions
  readonly #opened = new Map<string, Promise<Tenant>>()
  #closing: Promise<void> | null = null

  constructor(options: TenantsOptions) {
    this.#options = options
  }

  /**
   * The tenant of a namespace. Its settings are at least as new as this revision of the
   * store, whichever process changed them.
   */
  async of(namespace: string, revision?: number): Promise<Tenant> {
    const opened = this.#opened.get(namespace) ?? this.#open(namespace)
    const tenant = await opened
    await tenant.settings.refresh(revision)
    return tenant
  }

  #open(namespace: string): Promise<Tenant> {
    const opening = this.#create(namespace)
    this.#opened.set(namespace, opening)
    opening.catch(() => this.#opened.delete(namespace))
    return opening
  }

  async #create(namespace: string): Promise<Tenant> {
    const { store, revisions, environment, home, workspace, onWarning, options } = this.#options
    const settings = new LiveSettings({
      ...{ store, revisions, namespace },
      // The settings of the server's own namespace set the limits of the others.
      ...(namespace !== home && { operator: (await this.of(home)).settings }),
      ...(environment && { environment }),
      ...(onWarning && { onWarning }),
    })
    const configuration = await settings.load()
    for (const warning of warningsOf(configuration)) onWarning?.(warning)
    const metrics = new Metrics()
    const failures = new FoldFailures(text => onWarning?.(text))
    const palimpsest = await createPalimpsest({
      store: lentStore(store),
      namespace,
      ...configuration,
      ...(workspace !== undefined && namespace === home && { workspace }),
      onAppend: ({ messages }) => {
        const duplicates = messages.filter(({ duplicate }) => duplicate).length
        metrics.appended({ added: messages.length - duplicates, duplicates })
      },
      onFold: (outcome, details) => {
        metrics.folded(outcome)
        failures.note(outcome, details)
      },
      onExtraction: report => metrics.extracted(report),
      onError: (error, { sessionId }) =>
        onWarning?.(`session ${JSON.stringify(sessionId)}: ${describeError(error)}`),
      ...options,
    })
    settings.onChange(changed => palimpsest.configure(changed))
    const forkKey = async () => JSON.stringify([(await store.database.readIdentity()).id, namespace])
    return { namespace, palimpsest, settings, metrics, forkKey }
  }

  /** Ends manual folds: callers that wait for one are answered, and no new one is taken. */
  async abortManualFolds(): Promise<void> {
    await this.#each(({ palimpsest }) => palimpsest.abortManualFolds())
  }

  close(): Promise<void> {
    this.#closing ??= this.#each(({ palimpsest }) => palimpsest.close())
    return this.#closing
  }

  async #each(action: (tenant: Tenant) => Promise<void>): Promise<void> {
    const tenants = await Promise.allSettled(this.#opened.values())
    const opened = tenants.flatMap(tenant => (tenant.status === 'fulfilled' ? [tenant.value] : []))
    // All tenants get their turn, even if one fails.
    const done = await Promise.allSettled(opened.map(action))
    for (const each of done) if (each.status === 'rejected') throw each.reason
  }
}

function warningsOf({ policy }: Configuration): readonly string[] {
  return (policy as { warnings?: readonly string[] } | undefined)?.warnings ?? []
}
