import { olderNames } from '../older-names.ts'
import { PRESET_NAMES, PRESETS, type PresetName } from './presets.ts'

/** Of each name that one preset alone has, also of the older ones: that preset. */
const ONLY_PRESET: ReadonlyMap<string, PresetName> = new Map(
  PRESET_NAMES.flatMap(preset =>
    Object.keys(PRESETS[preset])
      .filter(name => PRESET_NAMES.every(other => other === preset || !Object.hasOwn(PRESETS[other], name)))
      .flatMap(name => [name, ...olderNames(name)].map(each => [each, preset] as const)),
  ),
)

/** The presets that these settings are numbers of, each with those of them. What all presets have says nothing. */
export function presetsOfNumbers(names: readonly string[]): ReadonlyMap<PresetName, readonly string[]> {
  // In the order of the presets, whatever order they were given in.
  const known = [...ONLY_PRESET.keys()].filter(name => names.includes(name))
  return Map.groupBy(known, name => ONLY_PRESET.get(name)!)
}

/** Where they are numbers of several presets, and nothing says which is meant: what is allowed in place of that. */
export function describeSeveral(
  found: ReadonlyMap<PresetName, readonly string[]>,
  nameOf: (name: string) => string = name => name,
): string {
  const told = [...found].map(([preset, names]) => `${names.map(nameOf).join(', ')} for ${preset}`)
  return (
    `${[...found.keys()].join(', ')}: numbers of several policies are set (${told.join('; ')}) and none is named. ` +
    'Name one, or leave the numbers of one only'
  )
}
