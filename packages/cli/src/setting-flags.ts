import { findSetting, type Layer } from 'palimpsest/internals/config/index'
import { InvalidSettingsError, type SettingsProblem } from 'palimpsest/internals/errors'

/** The settings of the environment, overridden by the flags. One error names all wrong flags at once. */
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
  // A file that the caller names wins over a database that the environment names.
  if (flags['db'] !== undefined && flags['store'] === undefined) layer['store'] = null
  return layer
}

/** `allowedHosts` becomes `--allowed-hosts`. */
export function flagName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

/** Hides everything before the `@` of an address. */
function withoutPassword(text: string): string {
  return text.replace(/(\/\/).*@/, '$1…@')
}
