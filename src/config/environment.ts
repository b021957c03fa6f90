import { InvalidSettingsError, type SettingsProblem } from '../errors.ts'
import type { Layer } from './layers.ts'
import { SETTINGS } from './schema.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment's settings, checked. The only place that reads it. An empty variable is as good as none;
 * what is wrong is refused under the variable's own name.
 */
export function readEnvironment(environment: Environment = process.env): {
  readonly layer: Layer
  readonly warnings: readonly string[]
} {
  const layer: Record<string, unknown> = {}
  const problems: SettingsProblem[] = []
  for (const setting of SETTINGS) {
    const text = environment[setting.environment]
    if (text === undefined || text.trim() === '') continue
    const read = setting.read(text.trim())
    if ('value' in read) layer[setting.name] = read.value
    else
      problems.push({
        setting: setting.environment,
        value: setting.secret ? '…' : text,
        allowed: read.allowed,
      })
  }
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  const known = new Set(SETTINGS.map(({ environment }) => environment))
  const unknown = Object.keys(environment).filter(name => name.startsWith('PALIMPSEST_') && !known.has(name))
  return { layer, warnings: unknown.map(name => `${name} is no setting of palimpsest and is not used`) }
}
