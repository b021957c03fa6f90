import { InvalidArgumentError } from '../errors.ts'
import { PRESETS, type PresetSettings } from '../policy/index.ts'
import { readSettings, type SettingsInput } from '../policy/settings.ts'

type Parameters = (typeof PRESETS)['resize']

type OlderNames = {
  [Name in keyof Parameters]: Parameters[Name] extends { readonly aliases: readonly (infer Older)[] }
    ? Older & string
    : never
}[keyof Parameters]

/** Those of the `resize` policy, under their names or the older ones. Of two for the same, the new name wins. */
export type ClassicSettings = Readonly<PresetSettings<'resize'>> & {
  readonly [Name in OlderNames]?: number | string | null
}

/** All of them, under their new names; what is off is `null`. */
export type ResolvedSettings = Readonly<Required<PresetSettings<'resize'>>>

export const DEFAULT_SETTINGS: ResolvedSettings = Object.freeze(readSettings(PRESETS.resize, {}))

/** The settings so far with what is given in their place. What is unknown or wrong is named, and nothing changes. */
export function changeSettings(before: ResolvedSettings, given: ClassicSettings): ResolvedSettings {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InvalidArgumentError(
      'settings',
      given,
      `an object with ${Object.keys(PRESETS.resize).join(', ')}`,
    )
  const input: SettingsInput = given
  const read = readSettings(PRESETS.resize, input)
  const changes = Object.entries(PRESETS.resize)
    .filter(([name, parameter]) =>
      isGiven(input, [name, ...('aliases' in parameter ? parameter.aliases : [])]),
    )
    .map(([name]) => [name, read[name as keyof ResolvedSettings]])
  return Object.freeze({ ...before, ...Object.fromEntries(changes) })
}

function isGiven(input: SettingsInput, names: readonly string[]): boolean {
  return names.some(name => input[name] !== undefined)
}
