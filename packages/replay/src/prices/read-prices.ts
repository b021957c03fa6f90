import {
  InvalidArgumentError,
  InvalidSettingsError,
  PalimpsestError,
  type SettingsProblem,
} from 'palimpsest/internals/errors'
import { nearestName } from 'palimpsest/internals/nearest-name'
import { PRICE_ALIASES, PRICE_PRESETS } from './presets.ts'
import type { Prices } from './prices.ts'
import { readText } from './read-text.ts'

const PAIRS = 'name=value pairs as in input=1,cachedInput=0.1,output=5'
const PRESET_NAMES: readonly string[] = [...Object.keys(PRICE_PRESETS), ...Object.keys(PRICE_ALIASES)]

/**
 * The values of prices without a preset, for fields that the caller leaves out. The caller must give `input`
 * and `output`.
 */
const OWN: Prices = {
  name: 'own',
  currency: '$',
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  output: 0,
  cacheLifetimeSec: 300,
  caching: 'none',
  leastCachedTokens: 0,
  cacheStepTokens: 1,
}

/**
 * Reads what `--prices` takes: a preset's name; `name=value` pairs, alone or after a preset's name; or the
 * path of a JSON file.
 */
export async function readPrices(given: string, option = '--prices'): Promise<Prices> {
  const text = given.trim()
  return text.toLowerCase().endsWith('.json')
    ? readJson(text, await readText(text, notFound(text, option)))
    : readPairs(text, option)
}

function readPairs(text: string, option: string): Prices {
  const parts = text.split(',').map(part => part.trim())
  const preset = parts[0]!.includes('=') ? null : findPreset(option, parts.shift()!)
  const fields = new Map<string, unknown>()
  const problems: SettingsProblem[] = []
  for (const part of parts) {
    const [, field, value] = /^([^=]*[^=\s])\s*=\s*(.*)$/.exec(part) ?? []
    if (field === undefined) problems.push({ setting: option, value: part, allowed: PAIRS })
    else if (fields.has(field))
      problems.push({ setting: `${option}: ${field}`, value, allowed: 'one value; it is given twice' })
    else fields.set(field, TEXT_FIELDS.includes(field) ? value : toNumber(value!))
  }
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  return toPrices(option, preset, fields)
}

/**
 * An empty text is no number, although `Number` makes it 0. A text that is no number stays as the caller
 * wrote it.
 */
function toNumber(text: string): unknown {
  const number = text === '' ? Number.NaN : Number(text)
  return Number.isNaN(number) ? text : number
}

function readJson(path: string, json: string): Prices {
  const { extends: base, ...rest } = parseObject(path, json)
  if (base !== undefined && typeof base !== 'string')
    throw new InvalidArgumentError(`${path}: extends`, base, `the presets ${PRESET_NAMES.join(', ')}`)
  const preset = base === undefined ? null : findPreset(`${path}: extends`, base)
  const fields = new Map(Object.entries(rest))
  // JSON cannot express an infinite number.
  if (rest['cacheLifetimeSec'] === 'Infinity') fields.set('cacheLifetimeSec', Number.POSITIVE_INFINITY)
  return toPrices(path, preset, fields)
}

function parseObject(path: string, json: string): Readonly<Record<string, unknown>> {
  const allowed = 'a JSON object as in {"extends": "claude-haiku-4-5", "cacheLifetimeSec": 3600}'
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    const { message } = error as SyntaxError
    throw new InvalidArgumentError(path, json, `${allowed} (${message})`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError(path, value, allowed)
  return value as Record<string, unknown>
}

function notFound(path: string, option: string) {
  return (reason: string, cause: unknown) =>
    new PalimpsestError(
      'file_not_found',
      `${path} ${reason}. Allowed for ${option}: a JSON file, a preset (${PRESET_NAMES.join(', ')}), or ${PAIRS}.`,
      { file: path },
      { cause },
    )
}

function findPreset(where: string, given: string): Prices {
  const name = Object.hasOwn(PRICE_ALIASES, given) ? PRICE_ALIASES[given]! : given
  if (Object.hasOwn(PRICE_PRESETS, name)) return PRICE_PRESETS[name]!
  const others = where.startsWith('--') ? `; or ${PAIRS}; or the path of a file that ends in .json` : ''
  const presets = `the presets ${PRESET_NAMES.join(', ')}`
  throw new InvalidArgumentError(where, given, suggest(given, PRESET_NAMES) + presets + others)
}

function suggest(given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names)
  return nearest === null ? '' : `${nearest} (the nearest); `
}

function toPrices(where: string, preset: Prices | null, fields: ReadonlyMap<string, unknown>): Prices {
  const problems = [...fields].flatMap(([field, value]) => findProblem(where, field, value))
  const needed = preset === null ? ['input', 'output'].filter(field => !fields.has(field)) : []
  for (const field of needed)
    problems.push({
      setting: `${where}: ${field}`,
      value: undefined,
      allowed: `${PRICE.allowed}; it may be left out only on top of a preset`,
    })
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  const prices = fillIn(preset ?? OWN, Object.fromEntries(fields))
  if (prices.cachedInput <= prices.input) return prices
  const allowed = `at most input, which is ${prices.input}; give both`
  throw new InvalidSettingsError([{ setting: `${where}: cachedInput`, value: prices.cachedInput, allowed }])
}

/**
 * A base's `cachedInput` or `cacheWrite` that only follows from its own `input` now follows the new `input`.
 */
function fillIn(base: Prices, fields: Partial<Prices>): Prices {
  const input = fields.input ?? base.input
  const hasCache = base.caching !== 'none'
  const cachedInput = fields.cachedInput ?? (hasCache ? base.cachedInput : input)
  return {
    ...base,
    name: base === OWN ? OWN.name : nameWith(base, fields),
    cachedInput,
    cacheWrite: base.cacheWrite === base.input ? input : base.cacheWrite,
    caching: hasCache ? base.caching : cachedInput < input ? 'automatic' : 'none',
    ...fields,
  }
}

/**
 * The name has the form of a policy's name with its settings: `claude-haiku-4-5 cacheLifetimeSec=3600
 * cacheWrite=2`.
 */
function nameWith({ name }: Prices, fields: Partial<Prices>): string {
  return [name, ...Object.entries(fields).map(([field, value]) => `${field}=${value}`)].join(' ')
}

interface Rule {
  readonly allowed: string
  readonly isAllowed: (value: unknown) => boolean
}

const PRICE: Rule = {
  allowed: 'a number of at least 0, per million tokens',
  isAllowed: value => Number.isFinite(value) && (value as number) >= 0,
}
const CACHINGS: readonly unknown[] = ['automatic', 'breakpoints', 'none'] satisfies Prices['caching'][]

const RULES: Readonly<Record<keyof Prices, Rule>> = {
  name: { allowed: 'a text', isAllowed: value => typeof value === 'string' && value !== '' },
  currency: { allowed: 'a text', isAllowed: value => typeof value === 'string' },
  input: PRICE,
  cachedInput: PRICE,
  cacheWrite: PRICE,
  output: PRICE,
  cacheLifetimeSec: {
    allowed: 'a number of at least 0, or Infinity',
    isAllowed: value => typeof value === 'number' && value >= 0,
  },
  caching: { allowed: CACHINGS.join(', '), isAllowed: value => CACHINGS.includes(value) },
  leastCachedTokens: wholeNumber(0),
  cacheStepTokens: wholeNumber(1),
}
const FIELDS = Object.keys(RULES)
const TEXT_FIELDS: readonly string[] = ['name', 'currency', 'caching'] satisfies (keyof Prices)[]

function wholeNumber(least: number): Rule {
  return {
    allowed: `a whole number of at least ${least}`,
    isAllowed: value => Number.isSafeInteger(value) && (value as number) >= least,
  }
}

function findProblem(where: string, field: string, value: unknown): SettingsProblem[] {
  const setting = `${where}: ${field}`
  if (!Object.hasOwn(RULES, field)) {
    const allowed = suggest(field, FIELDS) + FIELDS.join(', ')
    return [{ setting, value, allowed, isUnknown: true }]
  }
  const { allowed, isAllowed } = RULES[field as keyof Prices]
  // Errors show their values as JSON, where Infinity would be null.
  return isAllowed(value) ? [] : [{ setting, value: value === Infinity ? 'Infinity' : value, allowed }]
}
