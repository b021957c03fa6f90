import { InvalidSettingsError } from '../errors.ts'
import { type Policy, PRESETS, type PresetName, presetFromSettings } from '../policy/index.ts'
import type { Layer } from './layers.ts'
import { findSetting, presetParameter, SETTINGS } from './schema.ts'

/** The strongest first. */
const SOURCES = ['request', 'session', 'stored', 'environment', 'default'] as const
export type Source = (typeof SOURCES)[number]

export type Layers = Partial<Readonly<Record<Exclude<Source, 'default'>, Layer>>>

/** The settings that have types of their own; parameters of policies stand beside them by their names. */
export interface SettingValues {
  readonly policy: PresetName
  readonly zone: string
  readonly groupTurnMessages: number
  readonly model: string | null
  readonly modelBaseUrl: string | null
  readonly modelApiKey: string | null
  readonly fallbackModel: string | null
  readonly modelTimeoutSec: number
  readonly modelWindow: number | null
  readonly summaryCallsPerHour: number | null
  readonly summaryTokensPerHour: number | null
  readonly sessionSummaryCallsPerHour: number | null
  readonly sessionSummaryTokensPerHour: number | null
  readonly memoInstructions: string | null
  readonly extract: 'turn' | 'batch' | 'off' | null
  readonly memoryOwner: string | null
  readonly redact: 'secrets' | 'off'
  readonly personaTokens: number
  readonly globalMemoryTokens: number
  readonly userMemoryTokens: number
  readonly scopeMemoryTokens: number
  readonly chatMemoryTokens: number
  readonly dailyLogTokens: number
  readonly outputReserve: number
  readonly maxBodyBytes: number
  readonly maxHeldBodyBytes: number
  readonly rateLimit: number | null
  readonly db: string
  readonly store: string | null
  readonly workspace: string | null
  readonly host: string
  readonly port: number
  readonly namespace: string
  readonly allowedHosts: readonly string[] | null
  readonly corsOrigins: readonly string[] | null
  readonly trustProxy: 'on' | 'off'
  readonly queue: 'on' | 'off'
  readonly foldWorkers: number
  readonly foldLeaseSec: number
  readonly [parameter: string]: unknown
}

export interface Resolved {
  readonly values: SettingValues
  readonly sources: Readonly<Record<string, Source>>
}

/** Request over session over stored over environment over default, each value with where it comes from. */
export function resolveSettings(layers: Layers): Resolved {
  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const { name } of SETTINGS) {
    const source = SOURCES.find(source => source !== 'default' && Object.hasOwn(layers[source] ?? {}, name))
    sources[name] = source ?? 'default'
    values[name] =
      source === undefined || source === 'default' ? defaultOf(name, values) : layers[source]![name]
  }
  if (isKeyForAnotherAddress(sources)) values['modelApiKey'] = null
  return { values: values as SettingValues, sources }
}

/** Whoever may name the address must not be sent the key that somebody else has set for another one. */
function isKeyForAnotherAddress({ modelBaseUrl, modelApiKey }: Readonly<Record<string, Source>>): boolean {
  return SOURCES.indexOf(modelBaseUrl!) < SOURCES.indexOf(modelApiKey!)
}

/**
 * The chosen policy's own default; where it does not know the name, that of one that does. `policy` is the
 * first of all settings and `threshold` comes before `keepLast`, so what is needed is there.
 */
function defaultOf(name: string, earlier: Readonly<Record<string, unknown>>): unknown {
  const policy = earlier['policy'] as PresetName | undefined
  const parameter = policy === undefined ? null : presetParameter(policy, name)
  const usual = parameter ? parameter.default : findSetting(name)!.default
  // As the policy has it.
  return name === 'keepLast' ? Math.min(usual as number, earlier['threshold'] as number) : usual
}

/** The chosen policy, with those of its parameters that were set. It has the last word on what fits together. */
export function policyOf({ values, sources }: Resolved): Policy {
  const names = Object.keys(PRESETS[values.policy]).filter(name => sources[name] !== 'default')
  try {
    return presetFromSettings(values.policy, Object.fromEntries(names.map(name => [name, values[name]])))
  } catch (error) {
    if (!(error instanceof InvalidSettingsError)) throw error
    throw new InvalidSettingsError(
      error.details.problems.map(problem =>
        sources[problem.setting] === 'environment'
          ? { ...problem, setting: findSetting(problem.setting)!.environment }
          : problem,
      ),
    )
  }
}

/** For whoever asks over the network: nothing that is only for the start, and of secrets only whether they are set. */
export function shownSettings({ values, sources }: Resolved): {
  readonly settings: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, Source>>
} {
  const shown = SETTINGS.filter(({ reach }) => reach !== 'start')
  return {
    settings: Object.fromEntries(
      shown.map(({ name, secret }) => [name, secret ? values[name] !== null : values[name]]),
    ),
    sources: Object.fromEntries(shown.map(({ name }) => [name, sources[name]!])),
  }
}
