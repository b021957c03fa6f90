import { MEMO_INSTRUCTIONS } from '../compaction/index.ts'
import { InvalidArgumentError, InvalidSettingsError } from '../errors.ts'
import { instructionLines } from '../instruction-lines.ts'
import { type OLDER_NAMES, type OlderName, olderNames, withFlatNames } from '../older-names.ts'
import { PRESETS, type PresetSettings } from '../policy/index.ts'
import { readSettings, type SettingsInput } from '../policy/settings.ts'

type Parameters = (typeof PRESETS)['resize']

type OlderNames = OlderName<keyof Parameters & keyof typeof OLDER_NAMES>

/**
 * What the memo has to hold: a list, or a text with one point a line. `null` and `none`: the four default
 * points.
 */
type Instructions = readonly string[] | string | null

/**
 * The settings of the `resize` policy and of the memo, under their new or older names. If both are given, the
 * new name wins.
 */
export type ClassicSettings = Readonly<PresetSettings<'resize'>> & {
  readonly [Name in OlderNames]?: number | string | null
} & { readonly [Name in 'memoInstructions' | OlderName<'memoInstructions'>]?: Instructions }

/** All settings under their new names. A setting that is off is `null`. */
export type ResolvedSettings = Readonly<Required<PresetSettings<'resize'>>> & {
  readonly memoInstructions: readonly string[]
}

export const DEFAULT_SETTINGS: ResolvedSettings = Object.freeze({
  ...readSettings(PRESETS.resize, {}),
  memoInstructions: MEMO_INSTRUCTIONS,
})

const MEMO = 'memoInstructions'
const MEMO_NAMES: readonly string[] = [MEMO, ...olderNames(MEMO)]

/**
 * The settings so far with the given ones in their place. An unknown or wrong setting throws an error that
 * names it, and nothing changes.
 */
export function changeSettings(before: ResolvedSettings, given: ClassicSettings): ResolvedSettings {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InvalidArgumentError(
      'settings',
      given,
      `an object with ${[...Object.keys(PRESETS.resize), MEMO].join(', ')}`,
    )
  const flat: SettingsInput = withFlatNames(given)
  const isMemo = ([name]: readonly [string, unknown]) => MEMO_NAMES.includes(name)
  const input = Object.fromEntries(Object.entries(flat).filter(entry => !isMemo(entry)))
  const read = readSettings(PRESETS.resize, input)
  const changes = Object.keys(PRESETS.resize)
    .filter(name => isGiven(input, [name, ...olderNames(name)]))
    .map(name => [name, read[name as keyof Parameters]])
  return Object.freeze({ ...before, ...Object.fromEntries(changes), ...readInstructions(flat) })
}

function isGiven(input: SettingsInput, names: readonly string[]): boolean {
  return names.some(name => input[name] !== undefined)
}

function readInstructions(input: SettingsInput): Pick<ResolvedSettings, 'memoInstructions'> | object {
  const setting = MEMO_NAMES.find(name => input[name] !== undefined)
  if (setting === undefined) return {}
  const value = input[setting]
  if (value === null || value === 'none') return { memoInstructions: MEMO_INSTRUCTIONS }
  const lines = instructionLines(value)
  if (lines === null || lines.length === 0)
    throw new InvalidSettingsError([{ setting, value, allowed: 'a text, or a list of texts, or none' }])
  return { memoInstructions: Object.freeze(lines) }
}
