import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { olderNames } from 'palimpsest/internals/older-names'
import {
  type Parameter,
  PRESETS,
  type PresetName,
  presetFromSettings,
  readPresetName,
} from 'palimpsest/internals/policy/index'
import type { Prices } from './prices/prices.ts'
import type { Candidate } from './replay/replay.ts'
import { nameOf } from './sweep.ts'

type Settings = Readonly<Record<string, string>>

export interface CandidateOptions {
  /**
   * Settings for all candidates. Each candidate takes the ones that it knows; a candidate that stands alone
   * has to know all of them.
   */
  readonly shared: Settings
  readonly isAlone: boolean
  readonly prices: Prices
}

/** Reads `rounds` or `rounds,fullContextTurns=6`. */
export function candidateOf(text: string, { shared, isAlone, prices }: CandidateOptions): Candidate {
  const [given = '', ...pairs] = text.split(',').map(part => part.trim())
  const name = readPresetName(given)
  const known = settingNames(name)
  const asked = {
    ...(isAlone
      ? shared
      : Object.fromEntries(Object.entries(shared).filter(([name]) => known.includes(name)))),
    ...Object.fromEntries(pairs.map(pair => readPair(text, pair))),
  }
  const settings = { ...asked, ...cacheLifetime(name, asked, prices) }
  const label = nameOf(settings)
  return {
    name: label === '' ? name : `${name} ${label}`,
    policy: presetFromSettings(name, settings),
    settings: Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        Number.isNaN(Number(value)) ? value : Number(value),
      ]),
    ),
  }
}

/** The names of a preset's settings, with their older names. */
export function settingNames(preset: PresetName): readonly string[] {
  return Object.keys(PRESETS[preset]).flatMap(name => [name, ...olderNames(name)])
}

function readPair(text: string, pair: string): readonly [string, string] {
  const equals = pair.indexOf('=')
  if (equals < 1)
    throw new InvalidArgumentError(
      '--policy',
      text,
      'a name, or name,setting=value: rounds,fullContextTurns=6',
    )
  return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
}

/**
 * The rules that fold on idle wait until the cache is dead. Its lifetime depends on the provider, and the
 * provider is known here.
 */
function cacheLifetime(
  preset: PresetName,
  asked: Settings,
  { caching, cacheLifetimeSec }: Prices,
): Readonly<Record<string, string>> {
  const parameters: Readonly<Record<string, Parameter>> = PRESETS[preset]
  const parameter = parameters['idleSec']
  if (!parameter || asked['idleSec'] !== undefined || caching === 'none') return {}
  if (cacheLifetimeSec === parameter.default || cacheLifetimeSec <= 0) return {}
  return { idleSec: Number.isFinite(cacheLifetimeSec) ? String(cacheLifetimeSec) : 'none' }
}
