import { InvalidSettingsError, type SettingsProblem } from '../errors.ts'
import { suggestion } from '../known-options.ts'
import { olderNames, withFlatNames } from '../older-names.ts'

/** One parameter of a preset. */
export interface Parameter {
  readonly default: number | string | null
  readonly help: string
  readonly integer?: true
  readonly above?: number
  readonly below?: number
  /** A value at or below zero, or `null`, means off. */
  readonly offAtZero?: true
  /** `null` is allowed and means not set. */
  readonly optional?: true
  readonly oneOf?: readonly string[]
}

type Parameters = Readonly<Record<string, Parameter>>

type ValueOf<P extends Parameter> = P['oneOf'] extends readonly (infer Choice)[]
  ? Choice
  : P extends { offAtZero: true } | { optional: true }
    ? number | null
    : number

export type SettingsOf<Ps extends Parameters> = { -readonly [Name in keyof Ps]: ValueOf<Ps[Name]> }

/** Settings from a program, a command line, an environment or a request, not yet checked. */
export type SettingsInput = Readonly<Record<string, unknown>>

/** Checks the settings and fills in the defaults. An error names every problem, with what is allowed. */
export function readSettings<Ps extends Parameters>(
  parameters: Ps,
  written: SettingsInput,
  check: (settings: SettingsOf<Ps>) => readonly SettingsProblem[] = () => [],
): SettingsOf<Ps> {
  const input = withFlatNames(written)
  const known = new Set(Object.keys(parameters).flatMap(name => [name, ...olderNames(name)]))
  const problems: SettingsProblem[] = Object.keys(input)
    .filter(name => !known.has(name))
    .map(name => ({
      setting: name,
      value: input[name],
      allowed: `${suggestion(name, Object.keys(parameters))}the settings ${Object.keys(parameters).join(', ')}`,
      isUnknown: true,
    }))
  const settings: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    const given = [name, ...olderNames(name)].find(alias => input[alias] !== undefined)
    const read = given === undefined ? { value: parameter.default } : readParameter(parameter, input[given])
    if ('allowed' in read) problems.push({ setting: given!, value: input[given!], allowed: read.allowed })
    else settings[name] = read.value
  }
  if (problems.length === 0) problems.push(...check(settings as SettingsOf<Ps>))
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  return settings as SettingsOf<Ps>
}

/** Checks one value. Returns the value as it is used, or what is allowed instead. */
export function readParameter(
  parameter: Parameter,
  given: unknown,
): { value: unknown } | { allowed: string } {
  const { oneOf, offAtZero, optional } = parameter
  if (oneOf) return oneOf.includes(given as string) ? { value: given } : { allowed: oneOf.join(', ') }
  const mayBeNone = offAtZero === true || optional === true
  if (mayBeNone && (given === null || given === 'none' || given === 'off')) return { value: null }
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
  const isAllowed =
    typeof number === 'number' &&
    Number.isFinite(number) &&
    (!parameter.integer || Number.isSafeInteger(number)) &&
    number > (parameter.above ?? -Infinity) &&
    number < (parameter.below ?? Infinity)
  if (!isAllowed) return { allowed: describeParameter(parameter) }
  return { value: offAtZero && number <= 0 ? null : number }
}

/** The allowed values in words, for errors, help texts and documentation. */
export function describeParameter(parameter: Parameter): string {
  const { oneOf, integer, above, below, offAtZero, optional } = parameter
  if (oneOf) return oneOf.join(', ')
  const bounds = [
    integer ? 'a whole number' : 'a number',
    above !== undefined && (integer ? `of at least ${above + 1}` : `above ${above}`),
    below !== undefined && `below ${below}`,
  ].filter(Boolean)
  const none = offAtZero ? ', or 0 or none for off' : optional ? ', or none' : ''
  return bounds.join(' ') + none
}
