import { presetParameter, SETTINGS } from './schema.ts'
import type { NamespaceRight, Setting } from './setting.ts'

/** Every setting with its variable, for `--help`. */
export function describeSettings(): string {
  return SETTINGS.map(setting => {
    const { environment, help, allowed } = setting
    const right = RIGHTS[setting.namespace]
    const inNamespace = right === null || setting.reach === 'start' ? '' : `; ${right}`
    return `  ${environment.padEnd(36)} ${help} (${describeDefault(setting)}; ${allowed}${inNamespace})`
  }).join('\n')
}

const RIGHTS: Readonly<Record<NamespaceRight, string | null>> = {
  max: 'a namespace may lower it',
  fixed: 'a namespace may not change it',
  free: null,
}

/** What a namespace may do with this setting, for the documentation. */
export function describeRight({ namespace, freeWithKey }: Setting): string {
  return freeWithKey ? 'fixed; free with a key of its own' : namespace
}

/** The default in words. Where presets have other defaults, these are listed too. */
export function describeDefault({ name, default: usual, presets = [] }: Setting): string {
  const others = presets
    .map(preset => ({ preset, own: presetParameter(preset, name)!.default }))
    .filter(({ own }) => own !== usual)
    .map(({ preset, own }) => `, with ${preset} ${own ?? 'none'}`)
  return `${usual ?? 'none'}${others.join('')}`
}
