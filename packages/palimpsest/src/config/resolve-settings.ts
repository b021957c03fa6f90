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
/** `operator`: what was asked for is more than the operator of the server allows, so that is what holds. */
export type Source = (typeof SOURCES)[number] | 'operator'

type LayerName = Exclude<(typeof SOURCES)[number], 'default'>

export type Layers = Partial<Readonly<Record<LayerName, Layer>>> & {
  /** Of a namespace that is not the server's own: what holds in that one. Left out: nothing is bounded. */
  readonly operator?: SettingValues
}

export interface Resolved {
  readonly values: SettingValues
  readonly sources: Readonly<Record<string, Source>>
  /** The numbers that chose the policy, where none is named; left out: it is named, or the default. */
  readonly policyChosenBy?: readonly string[]
  /** Where numbers of several policies are set and none is named: the layers, and what is allowed in place of that. */
  readonly unclear: PolicyChoice<LayerName>['unclear']
  /** What was set and is not in force, and why: for those who look at the settings. */
  readonly messages: readonly string[]
  /** Of a namespace that is not the server's own: the limits that it may lower. */
  readonly ceilings?: Readonly<Record<string, unknown>>
}

/**
 * Request over session over a file over stored over environment over default, each value with where it comes from. The
 * policy is the one that is named, or the one that numbers choose: `choosePolicy` says how.
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

/** Whoever may name the address must not be sent the key that was given for another one. */
function placeOfKey(layers: Layers, source: Source): KeyPlace | null {
  const index = LAYERS.indexOf(source as LayerName)
  if (index < 0) return null
  const noted = source === 'stored' ? readPlace(layers.stored?.[KEY_PLACE]) : null
  // One that was stored before places were noted belongs to what is stored with it, as an environment's does.
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

/** Puts what the operator allows in place of what goes beyond it. Says what it was. */
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
 * The chosen policy's own default; where it does not know the name, that of one that does. `policy` is the
 * first of all settings and `threshold` comes before `keepLast`, so what is needed is there.
 */
function defaultOf(name: string, earlier: Readonly<Record<string, unknown>>): unknown {
  const policy = earlier['policy'] as PresetName | undefined
  const parameter = policy === undefined ? null : presetParameter(policy, name)
  const usual = parameter ? parameter.default : findSetting(name)!.default
  // As the policy has it.
  return name === 'keepLast' ? Math.min(usual as number, earlier['threshold'] as number) : usual
}

/** The chosen policy, with those of its parameters that were set. It has the last word on what fits together. */
export function policyOf({ values, sources, unclear }: Resolved): Policy {
  // What is stored may be from a version that took it: a message says so, and the next layer has its say.
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

/** For whoever asks over the network: nothing that is only for the start, and of secrets only whether they are set. */
export function shownSettings({ values, sources, policyChosenBy, messages, ceilings }: Resolved): {
  readonly settings: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, Source>>
  readonly policyChosenBy?: readonly string[]
  /** Left out where there is nothing to say. */
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
