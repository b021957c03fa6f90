import type { SettingDescription, SettingsAnswer } from '../../../api/types.ts'
import { type Draft, textOf } from '../draft-text.ts'

/** In the order of how often a reader should choose them, the most often first. */
export const PRESETS = ['tokens', 'rounds', 'window', 'count', 'resize'] as const

export type Preset = (typeof PRESETS)[number]

/**
 * The most important numbers of each preset, most important first. The others are in a closed section below.
 */
export const MAIN_NUMBERS: Readonly<Record<Preset, readonly string[]>> = {
  tokens: ['budget', 'lowWater', 'idleSec'],
  rounds: ['fullContextTurns', 'cachedContextTurns'],
  window: [
    'tailKeepSize',
    'compressionWindowSize',
    'contextSize',
    'compressionHardLimit',
    'compressionCooldownSec',
  ],
  count: ['threshold', 'keepLast'],
  resize: ['everyNTurns', 'turnUnit', 'maxMessagesTextLength', 'maxKeepMessagesCount'],
}

export function isPreset(name: string): name is Preset {
  return (PRESETS as readonly string[]).includes(name)
}

/** Defaults of a preset that differ from the server's default for all presets. */
const OWN_DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  tokens: { budget: 16_000 },
}

export function defaultFor(
  preset: string,
  description: Pick<SettingDescription, 'name' | 'default'>,
): unknown {
  return OWN_DEFAULTS[preset]?.[description.name] ?? description.default
}

/**
 * The preset that these numbers belong to, by the same rule as on the server; `null`: to none alone, or to
 * several. A number that all presets have does not count.
 */
function presetOf(names: readonly string[], schema: readonly SettingDescription[]): string | null {
  const presets = schema
    .filter(({ name }) => names.includes(name))
    .flatMap(({ presets = [] }) => (presets.length === 1 ? presets : []))
  return new Set(presets).size === 1 ? presets[0]! : null
}

/**
 * The preset that the server would choose after the draft is saved. A named preset comes first, then the
 * preset whose numbers are set. What is stored comes before what is in the environment.
 */
export function presetAfterSaving(
  { settings, sources, policyChosenBy, schema = [] }: SettingsAnswer,
  draft: Draft,
): string {
  const edited = draft['policy']
  if (edited?.text) return edited.text
  const isNamed = (source: string) =>
    edited === undefined && policyChosenBy === undefined && sources['policy'] === source
  const current = textOf(settings['policy'])
  if (isNamed('stored')) return current
  const isStored = ({ name }: SettingDescription) =>
    draft[name] === undefined ? sources[name] === 'stored' : draft[name].text !== null
  const stored = presetOf(
    schema.filter(isStored).map(({ name }) => name),
    schema,
  )
  if (stored !== null) return stored
  // Saving does not change the environment.
  if (sources['policy'] !== 'stored') return sources['policy'] === 'default' ? defaultPreset(schema) : current
  const inEnvironment = schema.filter(({ name }) => sources[name] === 'environment').map(({ name }) => name)
  return presetOf(inEnvironment, schema) ?? defaultPreset(schema)
}

function defaultPreset(schema: readonly SettingDescription[]): string {
  return textOf(schema.find(({ name }) => name === 'policy')?.default)
}
