import {
  InvalidArgumentError,
  InvalidSettingsError,
  PalimpsestError,
  type SettingsProblem,
} from '../../errors.ts'
import { nearestName } from '../../nearest-name.ts'
import { shapeProblems } from '../../shape-problems.ts'
import { PRICE_ALIASES, PRICE_PRESETS } from './presets.ts'
import type { Prices } from './prices.ts'
import { readText } from './read-text.ts'

const PAIRS = 'name=value pairs as in input=1,cachedInput=0.1,output=5'
/** Those that are text when they are written as pairs, too. */
const TEXT_FIELDS: readonly string[] = ['name', 'currency', 'caching'] satisfies (keyof Prices)[]
const PRESET_NAMES: readonly string[] = [...Object.keys(PRICE_PRESETS), ...Object.keys(PRICE_ALIASES)]

/** What is left out without a preset; `input` and `output` may not be. */
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
 * What `--prices` takes: a preset's name; `name=value` pairs, after a preset's name or by themselves; or the
 * path of a JSON file.
 */
export async function readPrices(given: string, option = '--prices'): Promise<Prices> {
  const text = given.trim()
  return text.toLowerCase().endsWith('.json')
    ? readJson(text, await readText(text, notFound(text, option)))
    : readPairs(text, option)
}

function readPairs(text: string, option: string): Promise<Prices> {
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
  return toPrices(option, preset, Object.fromEntries(fields))
}

/** An empty text is no number, though `Number` makes it 0. What is no number stays as it was written, as in JSON. */
function toNumber(text: string): unknown {
  const number = text === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : text
}

function readJson(path: string, json: string): Promise<Prices> {
  const { extends: base, ...fields } = parseObject(path, json)
  if (base !== undefined && typeof base !== 'string')
    throw new InvalidArgumentError(`${path}: extends`, base, `the presets ${PRESET_NAMES.join(', ')}`)
  const preset = base === undefined ? null : findPreset(`${path}: extends`, base)
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
  throw new InvalidArgumentError(where, given, suggest(given) + presets + others)
}

function suggest(given: string): string {
  const nearest = nearestName(given, PRESET_NAMES)
  return nearest === null ? '' : `${nearest} (the nearest); `
}

async function toPrices(
  where: string,
  preset: Prices | null,
  given: Readonly<Record<string, unknown>>,
): Promise<Prices> {
  // A preset as it is does not wait for zod.
  if (preset && Object.keys(given).length === 0) return preset
  const { CHANGED_PRICES, OWN_PRICES } = await import('./prices.ts')
  const shape = preset ? CHANGED_PRICES : OWN_PRICES
  const { data, error } = shape.safeParse(given)
  if (error) {
    const names = Object.keys(shape.shape)
    const written = [...Object.keys(given), ...names]
    const problems = shapeProblems(error.issues, { given, namesAt: () => names }).toSorted(
      (one, other) => written.indexOf(one.field) - written.indexOf(other.field),
    )
    throw new InvalidSettingsError(
      problems.map(({ field, ...problem }) => ({ ...problem, setting: `${where}: ${field}` })),
    )
  }
  const name = preset ? nameWith(preset, given) : OWN.name
  const prices = fillIn(preset ?? OWN, { name, ...(data as Partial<Prices>) })
  if (prices.cachedInput <= prices.input) return prices
  const allowed = `at most input, which is ${prices.input}; give both`
  throw new InvalidSettingsError([{ setting: `${where}: cachedInput`, value: prices.cachedInput, allowed }])
}

/** What the base has only because of its `input` follows that. */
function fillIn(base: Prices, fields: Partial<Prices>): Prices {
  const input = fields.input ?? base.input
  const hasCache = base.caching !== 'none'
  const cachedInput = fields.cachedInput ?? (hasCache ? base.cachedInput : input)
  return {
    ...base,
    cachedInput,
    cacheWrite: base.cacheWrite === base.input ? input : base.cacheWrite,
    caching: hasCache ? base.caching : cachedInput < input ? 'automatic' : 'none',
    ...fields,
  }
}

/** As a policy is named with its settings: `claude-haiku-4-5 cacheLifetimeSec=3600 cacheWrite=2`. */
function nameWith({ name }: Prices, given: Readonly<Record<string, unknown>>): string {
  return [name, ...Object.entries(given).map(([field, value]) => `${field}=${value}`)].join(' ')
}
