import { InvalidSettingsError } from '../errors.ts'
import {
  describeSeveral,
  type Policy,
  PRESETS,
  type PresetName,
  presetFromSettings,
} from '../policy/index.ts'
import { ceilingsOf, inheritedValue, isAbove, isOnOperatorsKey, paysByItself } from './ceilings.ts'
import { choosePolicy, type PolicyChoice, unclearPolicy, unclearVariables } from './choose-policy.ts'
import type { Layer } from './layers.ts'
import { describePlace, KEY_PLACE, type KeyPlace, maySend, placeIn, placeOf, readPlace } from './model-key.ts'
import { findSetting, presetParameter, SETTINGS, type SettingValues } from './schema.ts'
import type { Setting } from './setting.ts'

/** The strongest first. */
const SOURCES = ['request', 'session', 'file', 'stored', 'environment', 'default'] as const
/**
 * `operator`: a namespace asks for more than the operator of the server allows, so the operator's value is in
 * force.
 */
export type Source = (typeof SOURCES)[number] | 'operator'

type LayerName = Exclude<(typeof SOURCES)[number], 'default'>

export type Layers = Partial<Readonly<Record<LayerName, Layer>>> & {
  /** The operator's values, for a namespace that is not the server's own. Left out: nothing is bounded. */
  readonly operator?: SettingValues
}

export interface Resolved {
  readonly values: SettingValues
  readonly sources: Readonly<Record<string, Source>>
  /** The numbers that chose the policy. Left out: the policy is named, or it is the default. */
  readonly policyChosenBy?: readonly string[]
  /** The layers that set numbers of several policies and name none, with what is allowed instead. */
  readonly unclear: PolicyChoice<LayerName>['unclear']
  /** Which settings are not in force, and why. For people who look at the settings. */
  readonly messages: readonly string[]
  /** The limits that a namespace may lower. Only for a namespace that is not the server's own. */
  readonly ceilings?: Readonly<Record<string, unknown>>
}

/**
 * The order, the strongest first: request, session, file, stored, environment, default. Each value comes with
 * its source. `choosePolicy` says how the policy is found.
 */
export function resolveSettings(layers: Layers): Resolved {
  const { policy, source, chosenBy, unclear } = choosePolicy(LAYERS.map(name => [name, layers[name] ?? {}]))
  const values: Record<string, unknown> = { policy }
  const sources: Record<string, Source> = { policy: source }
  const messages = unclear.map(notClear)
  for (const { name } of SETTINGS.filter(({ name }) => name !== 'policy')) {
    const source = LAYERS.find(source => Object.hasOwn(layers[source] ?? {}, name))
    sources[name] = source ?? 'default'
    values[name] = source === undefined ? defaultOf(name, values) : layers[source]![name]
  }
  const unbounded = values as SettingValues
  const { operator, environment } = layers
  if (operator) messages.push(...bound({ values, sources }, { operator, environment, layers }))
  const place = placeOfKey(layers, sources['modelApiKey']!)
  if (unbounded.modelApiKey !== null && place !== null && !maySend(place, placeOf(unbounded))) {
    values['modelApiKey'] = null
    messages.push(notSent(place, placeOf(unbounded)))
  }
  return {
    ...{ values: unbounded, sources, unclear, messages },
    ...(chosenBy && { policyChosenBy: chosenBy }),
    ...(operator && { ceilings: ceilingsOf(operator) }),
  }
}

const LAYERS: readonly LayerName[] = ['request', 'session', 'file', 'stored', 'environment']

const NAMES_OF_LAYERS: Readonly<Record<LayerName, string>> = {
  request: 'this request',
  session: "this session's settings",
  file: 'the file',
  stored: 'the stored settings',
  environment: 'the environment',
}

function notClear({ source, numbers }: Resolved['unclear'][number]): string {
  return `No policy is taken from ${NAMES_OF_LAYERS[source]}; allowed: ${describeSeveral(numbers)}.`
}

/**
 * The place that a key was given for. A caller that may set the address must not receive a key that was given
 * for another address.
 */
function placeOfKey(layers: Layers, source: Source): KeyPlace | null {
  const index = LAYERS.indexOf(source as LayerName)
  if (index < 0) return null
  const noted = source === 'stored' ? readPlace(layers.stored?.[KEY_PLACE]) : null
  // A stored key without a noted place belongs to the values that are stored with it. The same holds for the
  // key of an environment.
  return noted ?? placeIn(LAYERS.slice(index).map(name => layers[name]))
}

function notSent(given: KeyPlace, to: KeyPlace): string {
  return (
    `The modelApiKey was given for ${describePlace(given)} and is not sent to ${describePlace(to)}. ` +
    'Set it again for that.'
  )
}

interface Bounded {
  readonly values: Record<string, unknown>
  readonly sources: Record<string, Source>
}

/** Replaces each value that goes beyond what the operator allows. Returns a message for each of them. */
function bound(
  { values, sources }: Bounded,
  {
    operator,
    environment,
    layers,
  }: { readonly operator: SettingValues; readonly environment: Layer | undefined; readonly layers: Layers },
): readonly string[] {
  const messages: string[] = []
  const isOwn = (name: string) => sources[name] !== 'environment' && sources[name] !== 'default'
  const replace = (setting: Setting, value: unknown, source: Source) => {
    const { name, secret } = setting
    if (isOwn(name))
      messages.push(
        `${name}${secret ? '' : ` ${JSON.stringify(values[name])}`} is not in force: the operator of the server ` +
          `allows ${secret ? 'the one that is set there' : (value ?? 'none')}.`,
      )
    values[name] = value
    sources[name] = source
  }
  const hasOwnKey =
    isOwn('modelApiKey') &&
    paysByItself(values['modelBaseUrl'], environment) &&
    isKeyInForce(layers, values as SettingValues, sources)
  for (const setting of SETTINGS) {
    const { name, namespace, reach, freeWithKey } = setting
    if (reach === 'start' || namespace === 'free') continue
    const inherited: Source = Object.hasOwn(environment ?? {}, name) ? 'environment' : 'default'
    if (namespace === 'max') {
      if (isAbove(values[name], operator[name])) replace(setting, operator[name], 'operator')
    } else if (freeWithKey) {
      if (!hasOwnKey && isOwn(name) && !isOnOperatorsKey(setting, values[name], { operator, environment }))
        replace(setting, inheritedValue(setting, environment), inherited)
    } else if (name === 'modelApiKey') {
      if (!hasOwnKey && isOwn(name)) replace(setting, inheritedValue(setting, environment), inherited)
    } else if (JSON.stringify(values[name]) !== JSON.stringify(operator[name]))
      replace(setting, operator[name], 'operator')
  }
  return messages
}

function isKeyInForce(layers: Layers, values: SettingValues, sources: Bounded['sources']): boolean {
  if (values.modelApiKey === null) return false
  const place = placeOfKey(layers, sources['modelApiKey']!)
  return place !== null && maySend(place, placeOf(values))
}

/**
 * The default of the chosen policy. If that policy does not have the name, the default of a policy that has
 * it. `policy` is the first of all settings, and `threshold` comes before `keepLast`, so `earlier` holds
 * both.
 */
function defaultOf(name: string, earlier: Readonly<Record<string, unknown>>): unknown {
  const policy = earlier['policy'] as PresetName | undefined
  const parameter = policy === undefined ? null : presetParameter(policy, name)
  const usual = parameter ? parameter.default : findSetting(name)!.default
  // The policies bound it in the same way.
  return name === 'keepLast' ? Math.min(usual as number, earlier['threshold'] as number) : usual
}

/**
 * Builds the chosen policy with its parameters. The policy makes the last check that the parameters fit
 * together.
 */
export function policyOf({ values, sources, unclear }: Resolved): Policy {
  // An older version may have stored such numbers. A message says so, and the next layer decides.
  const refused = unclear.filter(({ source }) => source !== 'stored' && source !== 'session')
  if (refused.length > 0)
    throw new InvalidSettingsError(
      refused.map(each => (each.source === 'environment' ? unclearVariables : unclearPolicy)(each)),
    )
  const names = Object.keys(PRESETS[values.policy]).filter(name => sources[name] !== 'default')
  try {
    const policy = presetFromSettings(
      values.policy,
      Object.fromEntries(names.map(name => [name, values[name]])),
    )
    return { ...policy, verbatimBelowTokens: values.verbatimBelowTokens }
  } catch (error) {
    if (!(error instanceof InvalidSettingsError)) throw error
    throw new InvalidSettingsError(
      error.details.problems.map(problem =>
        sources[problem.setting] === 'environment'
          ? { ...problem, setting: findSetting(problem.setting)!.environment }
          : problem,
      ),
    )
  }
}

/**
 * The settings for a caller over the network. Those that are only for the start are left out. Of a secret it
 * tells only whether it is set.
 */
export function shownSettings({ values, sources, policyChosenBy, messages, ceilings }: Resolved): {
  readonly settings: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, Source>>
  readonly policyChosenBy?: readonly string[]
  /** Left out if there are none. */
  readonly messages?: readonly string[]
  readonly ceilings?: Readonly<Record<string, unknown>>
} {
  const shown = SETTINGS.filter(({ reach }) => reach !== 'start')
  return {
    settings: Object.fromEntries(
      shown.map(({ name, secret }) => [name, secret ? values[name] !== null : values[name]]),
    ),
    sources: Object.fromEntries(shown.map(({ name }) => [name, sources[name]!])),
    ...(policyChosenBy && { policyChosenBy }),
    ...(messages.length > 0 && { messages }),
    ...(ceilings && { ceilings }),
  }
}
