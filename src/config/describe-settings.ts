import { presetParameter, SETTINGS } from './schema.ts'
import type { Setting } from './setting.ts'

/** Every setting with its variable, for `--help`. */
export function describeSettings(): string {
  return SETTINGS.map(setting => {
    const { environment, help, allowed } = setting
    return `  ${environment.padEnd(36)} ${help} (${describeDefault(setting)}; ${allowed})`
  }).join('\n')
}

/** In words; where the presets differ, with those that do. */
export function describeDefault({ name, default: usual, presets = [] }: Setting): string {
  const others = presets
    .map(preset => ({ preset, own: presetParameter(preset, name)!.default }))
    .filter(({ own }) => own !== usual)
    .map(({ preset, own }) => `, with ${preset} ${own ?? 'none'}`)
  return `${usual ?? 'none'}${others.join('')}`
}
