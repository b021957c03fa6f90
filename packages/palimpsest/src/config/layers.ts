import { InvalidSettingsError, type SettingsProblem } from '../errors.ts'
import { suggestion } from '../known-options.ts'
import { withFlatNames } from '../older-names.ts'
import { KEY_PLACE } from './model-key.ts'
import { findSetting, SETTINGS } from './schema.ts'
import type { Reach, Setting } from './setting.ts'

/** Checked values by name. `null`: the value was set to none. Absent: it was not set. */
export type Layer = Readonly<Record<string, unknown>>

/**
 * Checks the settings that a caller asks for. Older names become the newest ones, and all problems are
 * reported at once. `undefined` and `null` ask for nothing.
 */
export function readLayer(input: Layer, reach: Reach): Layer {
  const { layer, problems } = tryLayer(input, reach)
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  return layer
}

export function tryLayer(
  written: Layer,
  reach: Reach,
): { readonly layer: Layer; readonly problems: readonly SettingsProblem[] } {
  const layer: Record<string, unknown> = {}
  const problems: SettingsProblem[] = []
  const input = withFlatNames(written)
  for (const given of inPrecedence(Object.keys(input))) {
    const value = input[given]
    const setting = findSetting(given)
    const unfit = unfitness(given, reach)
    if (unfit !== null || setting === undefined) problems.push({ setting: given, value, ...unfit! })
    else if (value != null && !(setting.name in layer)) {
      const read = setting.read(value)
      if ('value' in read) layer[setting.name] = read.value
      else problems.push({ setting: given, value: setting.secret ? '…' : value, allowed: read.allowed })
    }
  }
  return { layer, problems }
}

/** Checks what a store holds. Beside the settings it holds the place of a key, which is no setting. */
export function readStored(raw: Layer): ReturnType<typeof tryLayer> {
  const { [KEY_PLACE]: place, ...settings } = raw
  const { layer, problems } = tryLayer(settings, 'server')
  return { layer: place === undefined ? layer : { ...layer, [KEY_PLACE]: place }, problems }
}

/** A newer name wins over an older one. */
function inPrecedence(names: readonly string[]): readonly string[] {
  const age = (name: string) => findSetting(name)?.aliases.indexOf(name) ?? -1
  return names.toSorted((one, other) => age(one) - age(other))
}

function unfitness(given: string, reach: Reach): Omit<SettingsProblem, 'setting' | 'value'> | null {
  const setting = findSetting(given)
  if (setting === undefined) {
    const names = namesWithin(reach)
    return { allowed: `${suggestion(given, names)}the settings ${names.join(', ')}`, isUnknown: true }
  }
  if (setting.reach === 'start' && reach !== 'start')
    return {
      allowed: `only at the start, with ${setting.environment} or a flag of palimpsest serve`,
      isUnknown: true,
    }
  if (!isWithin(setting, reach))
    return {
      allowed:
        setting.reach === 'session'
          ? `only for a session, with PUT /v1/sessions/{id}/settings, or for all, with PUT /v1/settings or ${setting.environment}`
          : `only for all requests, with PUT /v1/settings or ${setting.environment}`,
      isUnknown: true,
    }
  return null
}

/** The narrowest first. A setting that may be set for one request may also be set for all. */
const REACHES: readonly Reach[] = ['request', 'session', 'server', 'start']

function isWithin(setting: Setting, reach: Reach): boolean {
  return REACHES.indexOf(setting.reach) <= REACHES.indexOf(reach)
}

export function namesWithin(reach: Reach): readonly string[] {
  return SETTINGS.filter(setting => isWithin(setting, reach)).map(({ name }) => name)
}
