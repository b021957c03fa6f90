import { InvalidSettingsError, type SettingsProblem } from '../errors.ts'
import { describeSeveral, type PresetName, presetsOfNumbers } from '../policy/index.ts'
import type { Layer } from './layers.ts'
import { findSetting } from './schema.ts'

/** The policy in force, and the layer that chose it. */
export interface PolicyChoice<Source extends string> {
  readonly policy: PresetName
  readonly source: Source | 'default'
  /** The numbers that chose the policy. Left out: the policy is named. */
  readonly chosenBy?: readonly string[]
  /**
   * Layers that set numbers of several policies, while no policy is named in that layer or in a stronger one.
   */
  readonly unclear: readonly Unclear<Source>[]
}

interface Unclear<Source extends string> {
  readonly source: Source
  readonly numbers: ReadonlyMap<PresetName, readonly string[]>
}

/**
 * The strongest layer that says something decides. A named policy wins. Numbers that belong to one policy
 * choose it, if no policy is named in their layer or above. Numbers of several policies choose nothing.
 *
 * @param layers The strongest first.
 */
export function choosePolicy<Source extends string>(
  layers: readonly (readonly [Source, Layer])[],
): PolicyChoice<Source> {
  const unclear: Unclear<Source>[] = []
  const below = (source: Source) => layers.slice(layers.findIndex(([name]) => name === source) + 1)
  for (const [source, layer] of layers) {
    if (Object.hasOwn(layer, 'policy')) return { policy: layer['policy'] as PresetName, source, unclear }
    const numbers = presetsOfNumbers(Object.keys(layer))
    const [only] = numbers
    if (numbers.size === 1)
      return chosenByNumbers({ policy: only![0], source, chosenBy: only![1], unclear }, below(source))
    if (numbers.size > 1) unclear.push({ source, numbers })
  }
  return { policy: findSetting('policy')!.default as PresetName, source: 'default', unclear }
}

/** If the next layer that names a policy names this same one, that layer counts as the source. */
function chosenByNumbers<Source extends string>(
  choice: PolicyChoice<Source>,
  below: readonly (readonly [Source, Layer])[],
): PolicyChoice<Source> {
  const { policy, unclear } = choice
  const named = below.find(([, layer]) => Object.hasOwn(layer, 'policy'))
  return named?.[1]['policy'] === policy ? { policy, source: named[0], unclear } : choice
}

/**
 * Throws if a change leaves numbers of several policies and names no policy. It ignores such a state if the
 * change does not touch the policy or its numbers.
 */
export function requireClearPolicy(layer: Layer, changed: readonly string[]): void {
  if (!changed.includes('policy') && presetsOfNumbers(changed).size === 0) return
  const numbers = presetsOfNumbers(Object.keys(layer))
  if (!Object.hasOwn(layer, 'policy') && numbers.size > 1)
    throw new InvalidSettingsError([unclearPolicy({ numbers })])
}

export function unclearPolicy({ numbers }: Pick<Unclear<string>, 'numbers'>): SettingsProblem {
  return { setting: 'policy', value: null, allowed: describeSeveral(numbers) }
}

/** The same problem, with the names of the environment variables. */
export function unclearVariables({ numbers }: Pick<Unclear<string>, 'numbers'>): SettingsProblem {
  const variable = (name: string) => findSetting(name)!.environment
  return { setting: variable('policy'), value: null, allowed: describeSeveral(numbers, variable) }
}
