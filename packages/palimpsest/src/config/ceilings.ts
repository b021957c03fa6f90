import type { SettingsProblem } from '../errors.ts'
import type { Layer } from './layers.ts'
import { SETTINGS, type SettingValues } from './schema.ts'
import type { Setting } from './setting.ts'

/** `null` means no limit, so it is above every number. */
export function isAbove(value: unknown, ceiling: unknown): boolean {
  if (ceiling === null) return false
  return value === null || Number(value) > Number(ceiling)
}

/** The limits that the operator has set, by name. A namespace may lower these. */
export function ceilingsOf(operator: SettingValues): Readonly<Record<string, unknown>> {
  const limits = SETTINGS.filter(({ namespace, reach }) => namespace === 'max' && reach !== 'start')
  return Object.fromEntries(
    limits.filter(({ name }) => operator[name] !== null).map(({ name }) => [name, operator[name]]),
  )
}

/** The value that a namespace has when it sets nothing itself. */
export function inheritedValue({ name, default: usual }: Setting, environment: Layer = {}): unknown {
  return Object.hasOwn(environment, name) ? environment[name] : usual
}

interface Bounds {
  readonly operator: SettingValues
  readonly environment: Layer | undefined
}

/** Whether a namespace may have this value for calls that use the operator's key. */
export function isOnOperatorsKey(
  setting: Setting,
  value: unknown,
  { operator, environment }: Bounds,
): boolean {
  if (value === inheritedValue(setting, environment)) return true
  if (setting.name !== 'model' && setting.name !== 'fallbackModel') return false
  // Without a model nothing is spent.
  return value === null || (operator.allowedModels?.includes(String(value)) ?? false)
}

/**
 * Whether the namespace pays for calls that use its own key. The operator pays if the operator's own address
 * asks for no key: a key that a namespace sets there is not used.
 */
export function paysByItself(modelBaseUrl: unknown, environment: Layer = {}): boolean {
  const address = environment['modelBaseUrl'] ?? null
  const asksForNone = address !== null && (environment['modelApiKey'] ?? null) === null
  return !asksForNone || modelBaseUrl !== address
}

/**
 * The problems of a change that a namespace asks for. `hasOwnKey`: after the change, it has a key of its own.
 */
export function beyondCeilings(
  layer: Layer,
  { hasOwnKey, ...bounds }: Bounds & { readonly hasOwnKey: boolean },
): readonly SettingsProblem[] {
  const { operator, environment } = bounds
  const allowedOf = (setting: Setting): string | null => {
    const { name, namespace, freeWithKey } = setting
    const value = layer[name]
    if (namespace === 'max')
      return isAbove(value, operator[name])
        ? `at most ${operator[name]}, which the operator of the server has set for every namespace`
        : null
    if (namespace === 'free') return null
    if (name === 'modelApiKey')
      return value === null ? 'a key of its own, which null takes away again: it has none otherwise' : null
    if (!freeWithKey)
      return JSON.stringify(value) === JSON.stringify(operator[name])
        ? null
        : 'only for the operator of the server, by the environment or in its own namespace'
    if (hasOwnKey || isOnOperatorsKey(setting, value, bounds)) return null
    const inherited = inheritedValue(setting, environment) ?? 'none'
    const models = name === 'model' || name === 'fallbackModel' ? (operator.allowedModels ?? []) : []
    return `${[inherited, ...models].join(', ')}, or any with a modelApiKey of the namespace's own, given with it`
  }
  return SETTINGS.filter(({ name }) => Object.hasOwn(layer, name)).flatMap(setting => {
    const allowed = allowedOf(setting)
    const value = setting.secret ? '…' : layer[setting.name]
    return allowed === null ? [] : [{ setting: setting.name, value, allowed }]
  })
}
