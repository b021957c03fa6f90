import { findSetting, type Layer } from 'palimpsest/internals/config/index'
import { InvalidSettingsError, type SettingsProblem } from 'palimpsest/internals/errors'

/** Settings by their flags, over the environment's. What cannot be taken is named by its flag, all of it at once. */
export function withFlags(environment: Layer, flags: Readonly<Record<string, string | undefined>>): Layer {
  const layer: Record<string, unknown> = { ...environment }
  const problems: SettingsProblem[] = []
  for (const [name, text] of Object.entries(flags)) {
    if (text === undefined) continue
    const read = findSetting(name)!.read(text)
    if ('value' in read) layer[name] = read.value
    else problems.push({ setting: flagName(name), value: withoutPassword(text), allowed: read.allowed })
  }
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  // Who names a file means it, whatever database the environment names.
  if (flags['db'] !== undefined && flags['store'] === undefined) layer['store'] = null
  return layer
}

/** `allowedHosts` is `--allowed-hosts`. */
export function flagName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

/** Whatever stands before the `@` of an address. */
function withoutPassword(text: string): string {
  return text.replace(/(\/\/).*@/, '$1…@')
}
