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
import { configurationOf, unfitNames } from './configuration.ts'

export interface LiveSettingsOptions {
  readonly store: Pick<Store, 'readSettings' | 'writeSettings'>
  readonly namespace?: string
  /** As `readEnvironment` gives it, flags of the command line put over it. */
  readonly environment?: Layer
  readonly onWarning?: (message: string) => void
}

interface Checked {
  readonly stored: Layer
  readonly resolved: Resolved
  readonly configuration: Configuration
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

  /**
   * Reads what is stored. What another version stored and this one cannot take, and what does not fit the
   * rest or the environment, is left out with a warning.
   */
  async load(): Promise<Configuration> {
    const { layer, problems } = await this.#read()
    for (const { setting, allowed } of problems)
      this.#options.onWarning?.(`The stored setting ${setting} is not used; allowed: ${allowed}`)
    const { stored, resolved, configuration } = await this.#fitting(layer, this.#options.onWarning)
    this.#stored = stored
    this.#resolved = resolved
    return configuration
  }

  async #read() {
    return tryLayer(await this.#options.store.readSettings(this.#namespace), 'server')
  }

  /** As much of what is stored as fits together. Throws only where the environment itself does not. */
  async #fitting(stored: Layer, onWarning?: (message: string) => void): Promise<Checked> {
    try {
      return await this.#check(stored)
    } catch (error) {
      const unfit = await unfitNames(error, { resolved: this.#resolve(stored), stored })
      if (unfit.length === 0) throw error
      for (const name of unfit)
        onWarning?.(`The stored setting ${name} is not used, as it does not fit: ${(error as Error).message}`)
      return this.#fitting(without(stored, unfit), onWarning)
    }
  }

  async #check(stored: Layer): Promise<Checked> {
    const resolved = this.#resolve(stored)
    return { stored, resolved, configuration: await configurationOf(resolved) }
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

  async #change(given: Layer): Promise<Resolved> {
    // Of a secret `GET` says only whether it is set: written back, that changes nothing.
    const isShownSecret = (name: string) => findSetting(name)?.secret && typeof given[name] === 'boolean'
    const input = without(given, Object.keys(given).filter(isShownSecret))
    const layer = readLayer(input, 'server')
    const removed = Object.keys(input)
      .filter(name => input[name] === null)
      .map(name => findSetting(name)!.name)
      .filter(name => !(name in layer))
    const changed = (earlier: Layer) => this.#check({ ...without(earlier, removed), ...layer })
    // Another server may have changed them.
    const earlier = (await this.#read()).layer
    // Whatever does not fit together is refused here, before anything is stored; not for what was left out before.
    const { stored, resolved, configuration } = await changed(earlier).catch(async () =>
      changed((await this.#fitting(earlier)).stored),
    )
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

function without(layer: Layer, names: readonly string[]): Layer {
  return Object.fromEntries(Object.entries(layer).filter(([name]) => !names.includes(name)))
}
