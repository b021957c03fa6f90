import {
  findSetting,
  type Layer,
  policyOf,
  type Resolved,
  readLayer,
  resolveSettings,
  tryLayer,
} from '../config/index.ts'
import type { Configuration } from '../palimpsest.ts'
import type { Policy } from '../policy/index.ts'
import type { Store } from '../store/index.ts'
import { configurationOf } from './configuration.ts'

export interface LiveSettingsOptions {
  readonly store: Pick<Store, 'readSettings' | 'writeSettings'>
  readonly namespace?: string
  /** As `readEnvironment` gives it, flags of the command line put over it. */
  readonly environment?: Layer
  readonly onWarning?: (message: string) => void
}

/** The settings of a running server: those stored over those of the environment, and changes to the former. */
export class LiveSettings {
  readonly #options: LiveSettingsOptions
  readonly #namespace: string
  #stored: Layer = {}
  #resolved: Resolved
  #listener: (configuration: Configuration) => void = () => {}
  /** Changes are made one after the other: each is checked against what the one before left. */
  #changing: Promise<unknown> = Promise.resolve()

  constructor(options: LiveSettingsOptions) {
    this.#options = options
    this.#namespace = options.namespace ?? 'default'
    this.#resolved = this.#resolve({})
  }

  get current(): Resolved {
    return this.#resolved
  }

  /** Reads what is stored. What another version stored and this one cannot take has its default, with a warning. */
  async load(): Promise<Configuration> {
    const { layer, problems } = tryLayer(await this.#options.store.readSettings(this.#namespace), 'server')
    for (const { setting, allowed } of problems)
      this.#options.onWarning?.(`The stored setting ${setting} is not used; allowed: ${allowed}`)
    const resolved = this.#resolve(layer)
    const configuration = await configurationOf(resolved)
    this.#stored = layer
    this.#resolved = resolved
    return configuration
  }

  onChange(listener: (configuration: Configuration) => void): void {
    this.#listener = listener
  }

  /** Merges them into those stored; `null` takes one away. In force when it resolves; refused, nothing has changed. */
  change(input: Layer): Promise<Resolved> {
    const changed = this.#changing.then(() => this.#change(input))
    this.#changing = changed.catch(() => {})
    return changed
  }

  async #change(input: Layer): Promise<Resolved> {
    const layer = readLayer(input, 'server')
    const removed = Object.keys(input)
      .filter(name => input[name] === null)
      .map(name => findSetting(name)!.name)
      .filter(name => !(name in layer))
    const kept = Object.entries(this.#stored).filter(([name]) => !removed.includes(name))
    const stored = { ...Object.fromEntries(kept), ...layer }
    const resolved = this.#resolve(stored)
    // Whatever does not fit together is refused here, before anything is stored.
    const configuration = await configurationOf(resolved)
    await this.#options.store.writeSettings(this.#namespace, {
      ...Object.fromEntries(removed.map(name => [name, null])),
      // In the store `null` takes a setting away.
      ...Object.fromEntries(Object.entries(layer).map(([name, value]) => [name, value ?? 'none'])),
    })
    this.#stored = stored
    this.#resolved = resolved
    this.#listener(configuration)
    return resolved
  }

  /** What holds for one request; `policy` is left out where the request does not change it. */
  forRequest(overrides: Layer): { readonly resolved: Resolved; readonly policy?: Policy } {
    const request = readLayer(overrides, 'request')
    if (Object.keys(request).length === 0) return { resolved: this.#resolved }
    const resolved = this.#resolve(this.#stored, request)
    const changesPolicy = Object.keys(request).some(
      name => name === 'policy' || findSetting(name)!.presets !== undefined,
    )
    return changesPolicy ? { resolved, policy: policyOf(resolved) } : { resolved }
  }

  #resolve(stored: Layer, request: Layer = {}): Resolved {
    return resolveSettings({ request, stored, environment: this.#options.environment ?? {} })
  }
}
