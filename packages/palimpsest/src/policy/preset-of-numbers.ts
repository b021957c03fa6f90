import { olderNames } from '../older-names.ts'
import { PRESET_NAMES, PRESETS, type PresetName } from './presets.ts'

/** For each name that only one preset has, also by an older name: that preset. */
const ONLY_PRESET: ReadonlyMap<string, PresetName> = new Map(
  PRESET_NAMES.flatMap(preset =>
    Object.keys(PRESETS[preset])
      .filter(name => PRESET_NAMES.every(other => other === preset || !Object.hasOwn(PRESETS[other], name)))
      .flatMap(name => [name, ...olderNames(name)].map(each => [each, preset] as const)),
  ),
)

/**
 * The presets that these settings belong to, each with its settings. Names that several presets share are
 * left out.
 */
export function presetsOfNumbers(names: readonly string[]): ReadonlyMap<PresetName, readonly string[]> {
  // In the order of the presets, in whatever order the names came.
  const known = [...ONLY_PRESET.keys()].filter(name => names.includes(name))
  return Map.groupBy(known, name => ONLY_PRESET.get(name)!)
}

/** The text of an error for settings of several presets: it says what is allowed instead. */
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
