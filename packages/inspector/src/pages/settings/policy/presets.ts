import type { SettingDescription, SettingsAnswer } from '../../../api/types.ts'
import { type Draft, textOf } from '../draft-text.ts'

/** In the order of how often one should take them. */
export const PRESETS = ['tokens', 'rounds', 'window', 'count', 'resize'] as const

export type Preset = (typeof PRESETS)[number]

/** What matters of each, first of all; the others stand folded away below. */
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

/** Where a preset has another default than the one that the server names for all of them. */
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
 * The preset whose numbers these are; `null`: of none alone, or of several. As the server has it: what every preset has
 * says nothing.
 */
function presetOf(names: readonly string[], schema: readonly SettingDescription[]): string | null {
  const presets = schema
    .filter(({ name }) => names.includes(name))
    .flatMap(({ presets = [] }) => (presets.length === 1 ? presets : []))
  return new Set(presets).size === 1 ? presets[0]! : null
}

/**
 * Which preset the server would choose once the draft is saved: the one that is named, or whose numbers are set where
 * none is, what is stored before what the environment has.
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
  // What the environment says does not change by saving.
  if (sources['policy'] !== 'stored') return sources['policy'] === 'default' ? defaultPreset(schema) : current
  const inEnvironment = schema.filter(({ name }) => sources[name] === 'environment').map(({ name }) => name)
  return presetOf(inEnvironment, schema) ?? defaultPreset(schema)
}

function defaultPreset(schema: readonly SettingDescription[]): string {
  return textOf(schema.find(({ name }) => name === 'policy')?.default)
}
