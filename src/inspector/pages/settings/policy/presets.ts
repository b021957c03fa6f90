import type { SettingDescription } from '../../../api/types.ts'

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
