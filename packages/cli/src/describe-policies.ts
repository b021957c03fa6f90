import { describeParameter, type Parameter, PRESET_NAMES, PRESETS } from 'palimpsest/internals/policy/index'
import { fill } from './fill.ts'

/** Lists every policy with its settings, for `--help`. */
export function describePolicies(columns: number): string {
  const shared = new Map<string, Parameter>(
    Object.entries(PRESETS.resize).filter(([name]) => PRESET_NAMES.every(preset => name in PRESETS[preset])),
  )
  const lines = (parameters: Iterable<readonly [string, Parameter]>) =>
    [...parameters].map(([name, parameter]) =>
      fill(
        `    ${name.padEnd(23)} ${parameter.help} (${parameter.default ?? 'none'}; ${describeParameter(parameter)})`,
        columns,
        28,
      ),
    )
  return [
    ...PRESET_NAMES.flatMap(preset => [
      `  ${preset}`,
      ...lines(Object.entries<Parameter>(PRESETS[preset]).filter(([name, own]) => shared.get(name) !== own)),
    ]),
    '  all of them',
    ...lines(shared),
  ].join('\n')
}
