import {
  beyondCeilings,
  describePlace,
  findSetting,
  KEY_PLACE,
  type Layer,
  type Layers,
  maySend,
  paysByItself,
  placeIn,
  policyOf,
  type Resolved,
  readLayer,
  readPlace,
  readStored,
  requireClearPolicy,
  resolveSettings,
  writePlace,
} from 'palimpsest/internals/config/index'
import { InvalidSettingsError, SettingsConflictError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type { Configuration } from 'palimpsest/internals/palimpsest'
import type { Policy } from 'palimpsest/internals/policy/index'
import { canonicalJson, type Store } from 'palimpsest/internals/store/index'
import { configurationOf, unfitNames } from './configuration.ts'
import { Revisions } from './revisions.ts'
import { sessionAware, withFitting, withOwn } from './session-aware.ts'
import { settingChanges, settledObjects } from './setting-changes.ts'
import { settingsTag } from './settings-tag.ts'

export interface LiveSettingsOptions {
  readonly store: Pick<Store, 'settings'>
  /** The revisions reader, shared with other users of the same store. */
  readonly revisions?: Revisions
  readonly namespace?: string
  /**
   * The settings of the server's own namespace; their limits bound these settings. Left out: these settings
   * are the operator's own.
   */
  readonly operator?: LiveSettings
  /** As `readEnvironment` gives it, with the flags of the command line on top. */
  readonly environment?: Layer
  /** Settings that take precedence over the stored ones, for example those of a file. */
  readonly over?: Layer
  readonly onWarning?: (message: string) => void
}

const OPTIONS = optionsOf<LiveSettingsOptions>({
  store: true,
  revisions: true,
  namespace: true,
  operator: true,
  environment: true,
  over: true,
  onWarning: true,
})

/** The result of a change. */
export interface Changed extends Resolved {
  /** Includes messages about settings that the change took away. */
  readonly messages: readonly string[]
}

interface Checked {
  readonly stored: Layer
  readonly resolved: Resolved
  readonly configuration: Configuration
}

/** How often another process may win the race before a change fails. */
const MAX_TRIES = 20

/** The settings that make up a policy, besides the parameters of the presets. */
const POLICY_SETTINGS: readonly string[] = ['policy', 'verbatimBelowTokens']

/**
 * The settings of a running server. Stored settings take precedence over those of the environment. A change
 * changes the stored ones.
 */
export class LiveSettings {
  readonly #options: LiveSettingsOptions
  readonly #namespace: string
  readonly #revisions: Revisions
  /** The settings as they are stored, including those that cannot be used. */
  #raw: Layer = {}
  #revision = 0
  #stored: Layer = {}
  #resolved: Resolved
  /** The operator's settings at the time when these were read. */
  #bounds: Resolved | null = null
  #listener: (configuration: Configuration, resolved: Resolved) => void = () => {}
  /** Changes run one after the other: each is checked against the result of the one before. */
  #changing: Promise<unknown> = Promise.resolve()

  constructor(options: LiveSettingsOptions) {
    checkOptions('LiveSettings', options, OPTIONS)
    this.#options = options
    this.#namespace = options.namespace ?? 'default'
    this.#revisions = options.revisions ?? new Revisions(options.store.settings)
    this.#resolved = this.#resolve({})
  }

  get current(): Resolved {
    return this.#resolved
  }

  /**
   * Reads the stored settings. Some are left out with a warning: those that another version stored and this
   * version cannot use, and those that do not fit the rest or the environment.
   */
  async load(): Promise<Configuration> {
    // The revision is read before the settings: a change in between is read by the next `refresh`.
    this.#revision = await this.#revisions.current()
    return this.#take(await this.#read())
  }

  async #take(raw: Layer): Promise<Configuration> {
    const { layer, problems } = readStored(raw)
    const bounds = this.#options.operator?.current ?? null
    for (const { setting, allowed } of problems)
      this.#options.onWarning?.(`The stored setting ${setting} is not used; allowed: ${allowed}`)
    const { stored, resolved, configuration } = await this.#fitting(layer, this.#options.onWarning)
    for (const message of resolved.messages) this.#options.onWarning?.(message)
    // The listener comes first: if it fails, the settings here do not claim to be in force.
    this.#listener(configuration, resolved)
    this.#raw = raw
    this.#stored = stored
    this.#resolved = resolved
    this.#bounds = bounds
    return configuration
  }

  /**
   * Reads changes of other processes. When it resolves, it has read everything that was stored before the
   * call, or before the store had the revision `known`.
   */
  async refresh(known?: number): Promise<void> {
    const revision = known ?? (await this.#revisions.current())
    if (revision > this.#revision) await this.#inTurn(() => this.#reload(revision))
  }

  async #reload(revision: number): Promise<void> {
    if (revision <= this.#revision) return
    await this.#options.operator?.refresh(revision)
    const isBoundAsBefore = (this.#options.operator?.current ?? null) === this.#bounds
    const raw = await this.#read()
    if (!isBoundAsBefore || canonicalJson(raw) !== canonicalJson(this.#raw)) await this.#take(raw)
    this.#revision = revision
  }

  async #read(): Promise<Layer> {
    return this.#options.store.settings.readSettings(this.#namespace)
  }

  /** Changes whenever any of the settings changes. */
  get tag(): string {
    return settingsTag(this.#raw, this.#resolved)
  }

  /**
   * Uses as many of the stored settings as fit together. Throws only if the environment itself does not fit.
   */
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
    const configuration = await configurationOf(resolved)
    return {
      stored,
      resolved,
      configuration: { ...configuration, policy: sessionAware(this.#layers(stored)) },
    }
  }

  onChange(listener: (configuration: Configuration, resolved: Resolved) => void): void {
    this.#listener = listener
  }

  /**
   * Merges the changes into the stored settings; `null` takes one away. They are in force when it resolves.
   * If it is refused, nothing has changed. `isExpected` gets the tag of the settings and tells whether they
   * are still those that the caller has read.
   */
  change(input: Layer, isExpected?: (tag: string) => boolean): Promise<Changed> {
    return this.#inTurn(() => this.#change(input, isExpected))
  }

  #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    const done = this.#changing.then(action)
    this.#changing = done.catch(() => {})
    return done
  }

  async #change(given: Layer, isExpected?: (tag: string) => boolean): Promise<Changed> {
    // `GET` shows only whether a secret is set, as `true` or `false`. Writing that back changes nothing.
    const isShownSecret = (name: string) => findSetting(name)?.secret && typeof given[name] === 'boolean'
    const input = without(given, Object.keys(given).filter(isShownSecret))
    const { layer, removed, changes } = settingChanges(input, 'server')
    await this.#options.operator?.refresh()
    let messages: readonly string[] = []
    for (let tries = 1; ; tries++) {
      // Another process may change the settings until they are written.
      const raw = await this.#read()
      const earlier = readStored(raw).layer
      if (isExpected && !isExpected(settingsTag(raw, (await this.#fitting(earlier)).resolved)))
        throw new SettingsConflictError()
      // A change that does not fit together is refused before anything is stored. Settings that were left out
      // before are no reason to refuse.
      const key = this.#keyAfter(earlier, { layer, removed })
      messages = key.messages
      const next = (before: Layer) =>
        without({ ...before, ...layer, ...key.layer }, [...removed, ...key.removed])
      this.#requireWithinCeilings(layer, next(earlier))
      requireClearPolicy(next(earlier), [...Object.keys(layer), ...removed])
      const changed = (before: Layer) => this.#check(next(before))
      await changed(earlier)
        .catch(async () => changed((await this.#fitting(earlier)).stored))
        .catch(error => {
          throw explained(error, messages)
        })
      try {
        const settled = settledObjects(raw, 'server')
        const all = {
          ...settled,
          ...changes,
          ...key.layer,
          ...Object.fromEntries(key.removed.map(name => [name, null])),
        }
        await this.#options.store.settings.writeSettings(this.#namespace, all, { expected: raw })
        break
      } catch (error) {
        if (tries === MAX_TRIES || isExpected || !(error instanceof SettingsConflictError)) throw error
      }
    }
    await this.#take(await this.#read())
    return { ...this.#resolved, messages: [...new Set([...messages, ...this.#resolved.messages])] }
  }

  /**
   * What a change does to the stored API key. A new key belongs to the place (provider and address) that is
   * called from now on. An older key is taken away if the change would send it to another place.
   */
  #keyAfter(
    earlier: Layer,
    { layer, removed }: { readonly layer: Layer; readonly removed: readonly string[] },
  ): KeyChange {
    const { environment } = this.#options
    const gone = { layer: {}, removed: Object.hasOwn(earlier, KEY_PLACE) ? [KEY_PLACE] : [], messages: [] }
    const key = Object.hasOwn(layer, 'modelApiKey') ? layer['modelApiKey'] : earlier['modelApiKey']
    if (typeof key !== 'string' || removed.includes('modelApiKey')) return gone
    const next = placeIn([without({ ...earlier, ...layer }, removed), environment])
    if (Object.hasOwn(layer, 'modelApiKey'))
      return { layer: { [KEY_PLACE]: writePlace(next) }, removed: [], messages: [] }
    const given = readPlace(earlier[KEY_PLACE]) ?? placeIn([earlier, environment])
    if (maySend(given, next)) {
      const place = { ...given, provider: given.provider ?? next.provider }
      return { layer: { [KEY_PLACE]: writePlace(place) }, removed: [], messages: [] }
    }
    const message =
      `The stored modelApiKey was given for ${describePlace(given)} and was taken away: it is not sent to ` +
      `${describePlace(next)}. Give the key for that together with the address or the model.`
    return { layer: {}, removed: ['modelApiKey', KEY_PLACE], messages: [message] }
  }

  #requireWithinCeilings(layer: Layer, next: Layer): void {
    const { operator, environment } = this.#options
    if (!operator) return
    const address = next['modelBaseUrl'] ?? environment?.['modelBaseUrl']
    const hasOwnKey =
      typeof next['modelApiKey'] === 'string' &&
      Object.hasOwn(next, KEY_PLACE) &&
      paysByItself(address, environment)
    const { values } = operator.current
    const problems = beyondCeilings(layer, { operator: values, environment, hasOwnKey })
    if (problems.length > 0) throw new InvalidSettingsError(problems)
  }

  /**
   * The settings of one request. `policy` is left out if the request does not change the policy. Overrides
   * that do not fit the session's own settings are refused.
   */
  async forRequest(
    overrides: Layer,
    session: { settings(): Promise<Layer> },
  ): Promise<{ readonly resolved: Resolved; readonly policy?: Policy }> {
    const request = readLayer(overrides, 'request')
    if (Object.keys(request).length === 0) return { resolved: this.#resolved }
    const layers = { ...this.#layers(this.#stored), request }
    const resolved = resolveSettings(layers)
    const changesPolicy = Object.keys(request).some(
      name => POLICY_SETTINGS.includes(name) || findSetting(name)!.presets !== undefined,
    )
    if (!changesPolicy) return { resolved }
    const own = withFitting(await session.settings(), this.#layers(this.#stored))
    policyOf(resolveSettings({ ...own, request }))
    return { resolved, policy: sessionAware(layers) }
  }

  /** The policy that a request asks for, in a session with these settings of its own. */
  asked(overrides: Layer, own: Layer = {}): { readonly resolved: Resolved; readonly policy: Policy } {
    const request = readLayer(overrides, 'request')
    const resolved = resolveSettings({ ...withFitting(own, this.#layers(this.#stored)), request })
    return { resolved, policy: policyOf(resolved) }
  }

  /** The settings in force for a session with these settings of its own. */
  forSession(own: Layer): Resolved {
    return resolveSettings(withFitting(own, this.#layers(this.#stored)))
  }

  /**
   * Throws an `InvalidSettingsError` if the session's settings do not fit together or do not fit the others.
   */
  checkForSession(own: Layer, changed: readonly string[]): void {
    const layers = withOwn(own, this.#layers(this.#stored))
    requireClearPolicy(layers.session ?? {}, changed)
    policyOf(resolveSettings(layers))
  }

  #layers(stored: Layer): Layers {
    const { environment = {}, over = {}, operator } = this.#options
    return { file: over, stored, environment, ...(operator && { operator: operator.current.values }) }
  }

  #resolve(stored: Layer): Resolved {
    return resolveSettings(this.#layers(stored))
  }
}

interface KeyChange {
  readonly layer: Layer
  readonly removed: readonly string[]
  readonly messages: readonly string[]
}

/** Adds to an error why the key is missing: the change itself took it away. */
function explained(error: unknown, messages: readonly string[]): unknown {
  if (!(error instanceof InvalidSettingsError) || messages.length === 0) return error
  return new InvalidSettingsError(
    error.details.problems.map(problem => ({
      ...problem,
      allowed:
        problem.setting === 'modelApiKey' ? `${problem.allowed}. ${messages.join(' ')}` : problem.allowed,
    })),
  )
}

function without(layer: Layer, names: readonly string[]): Layer {
  return Object.fromEntries(Object.entries(layer).filter(([name]) => !names.includes(name)))
}
