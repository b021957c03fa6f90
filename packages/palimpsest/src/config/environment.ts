import { InvalidSettingsError, type SettingsProblem } from '../errors.ts'
import type { Layer } from './layers.ts'
import { findSetting, SETTINGS } from './schema.ts'
import { environmentName, type Setting } from './setting.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The settings of the environment, checked. Only this function reads them from there. An empty variable
 * counts as not set. A wrong value is refused under the variable's own name.
 */
export function readEnvironment(environment: Environment = process.env): {
  readonly layer: Layer
  readonly warnings: readonly string[]
} {
  const layer: Record<string, unknown> = {}
  const problems: SettingsProblem[] = []
  for (const setting of SETTINGS) {
    const variable = variablesOf(setting).find(name => (environment[name] ?? '').trim() !== '')
    if (variable === undefined) continue
    const text = environment[variable]!
    const read = setting.read(text.trim())
    if ('value' in read) layer[setting.name] = read.value
    else problems.push({ setting: variable, value: setting.secret ? '…' : text, allowed: read.allowed })
  }
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  const known = new Set(SETTINGS.flatMap(variablesOf))
  const unknown = Object.keys(environment).filter(name => name.startsWith('PALIMPSEST_') && !known.has(name))
  return { layer, warnings: unknown.map(name => `${name} is no setting of palimpsest and is not used`) }
}

/** The variable's current name first, then its older names. */
function variablesOf({ environment, aliases }: Setting): readonly string[] {
  return [environment, ...aliases.map(environmentName)]
}

/**
 * The tenant of a caller that names none. If the value is wrong, the usual one is returned here;
 * `readEnvironment` reports the error.
 */
export function environmentNamespace(environment: Environment = process.env): string {
  const { environment: variable, read, default: usual } = findSetting('namespace')!
  const given = read(environment[variable]?.trim() || usual)
  return String('value' in given ? given.value : usual)
}

/** `unreadable`: a `${` is not followed by a name and `}`. */
export type Filled =
  | { readonly text: string }
  | { readonly missing: readonly string[] }
  | { readonly unreadable: true }

/**
 * Replaces each `${NAME}` in a text from the environment. An empty variable counts as missing. `$${` stands
 * for `${` itself.
 */
export function fillIn(text: string, environment: Environment = process.env): Filled {
  const missing = new Set<string>()
  let isReadable = true
  const filled = text.replaceAll(/\$(\$\{)|\$\{(?:([A-Za-z_]\w*)\})?/g, (_, escaped, name) => {
    if (escaped !== undefined) return escaped
    if (name === undefined) isReadable = false
    const value = (Object.hasOwn(environment, name) && environment[name]) || ''
    if (value.trim() === '') missing.add(name)
    return value
  })
  if (!isReadable) return { unreadable: true }
  return missing.size > 0 ? { missing: [...missing] } : { text: filled }
}
