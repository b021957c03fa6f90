import {
  type Layer,
  loadModel,
  ownerIds,
  policyOf,
  type Resolved,
  type SettingValues,
  splitModelName,
} from 'palimpsest/internals/config/index'
import { InvalidSettingsError } from 'palimpsest/internals/errors'
import { instructionLines } from 'palimpsest/internals/instruction-lines'
import type { Configuration, MemoryOptions } from 'palimpsest/internals/palimpsest'
import { PRESETS } from 'palimpsest/internals/policy/index'
import { type Redact, redactSecrets } from 'palimpsest/internals/redaction/index'
import type { LayerName } from 'palimpsest/internals/store/index'
import { extractive, modelSummarizer, type Summarizer } from 'palimpsest/internals/summarizer/index'

/** What the settings mean for an instance. Throws if they do not fit together. */
export async function configurationOf(resolved: Resolved): Promise<Configuration> {
  const { values } = resolved
  return {
    policy: policyOf(resolved),
    zone: values.zone,
    language: values.language,
    groupTurnMessages: values.groupTurnMessages,
    summarizer: await summarizerOf(values),
    summarizerTimeoutMs: Math.ceil(values.modelTimeoutSec * 1000),
    spendGuard: {
      callsPerHour: values.summaryCallsPerHour,
      tokensPerHour: values.summaryTokensPerHour,
      sessionCallsPerHour: values.sessionSummaryCallsPerHour,
      sessionTokensPerHour: values.sessionSummaryTokensPerHour,
    },
    memo: memoOf(values),
    memory: memoryOf(values),
    redact: redactionOf(values),
  }
}

/** Leaves out what is set to none, since the instance has its own rule for that. */
export function memoryOf({
  extract,
  scopeLearnsFrom,
  memoryOwner,
  ownerSharesIn,
  ...values
}: SettingValues): MemoryOptions & {
  readonly budgets: Readonly<Record<LayerName, number>>
} {
  return {
    budgets: {
      persona: values.personaTokens,
      global: values.globalMemoryTokens,
      user: values.userMemoryTokens,
      scope: values.scopeMemoryTokens,
      chat: values.chatMemoryTokens,
      daily: values.dailyLogTokens,
    },
    scopeLearnsFrom,
    ownerSharesIn,
    ...(extract !== null && { extract }),
    ...(memoryOwner !== null && { owner: ownerIds(memoryOwner) }),
  }
}

export function redactionOf({ redact }: Pick<SettingValues, 'redact'>): Redact | false {
  return redact === 'off' ? false : redactSecrets
}

/** If the setting is none, the instance uses its own instructions. */
function memoOf({ memoInstructions }: SettingValues): NonNullable<Configuration['memo']> {
  if (memoInstructions === null) return {}
  return { instructions: instructionLines(memoInstructions) ?? [] }
}

async function summarizerOf(values: SettingValues): Promise<Summarizer> {
  if (values.model === null) return extractive()
  const model = await loadModel(values.model, values)
  const fallback = await fallbackOf(values.model, values)
  return modelSummarizer(model, {
    // Half of the time, so that a second try or the fallback model gets the other half.
    timeoutMs: Math.ceil(values.modelTimeoutSec * 500),
    ...(fallback && { fallback }),
    ...(values.modelWindow !== null && { windowTokens: values.modelWindow }),
  })
}

/** The key of one provider is not sent to another, unless both are called at the same address. */
async function fallbackOf(model: string, values: SettingValues) {
  const { fallbackModel, modelBaseUrl, modelApiKey } = values
  if (fallbackModel === null) return null
  const { provider } = splitModelName(model)
  const isShared = modelBaseUrl !== null || splitModelName(fallbackModel).provider === provider
  if (isShared || modelApiKey === null) return loadModel(fallbackModel, values)
  const allowed =
    `a model of ${provider}, whose key modelApiKey is, or none; one of another provider only with a modelBaseUrl ` +
    'that serves both'
  throw new InvalidSettingsError([{ setting: 'fallbackModel', value: fallbackModel, allowed }])
}

/**
 * The names of the stored settings to leave out, so that the rest fits together: the fewest that may be to
 * blame. Empty: the stored settings are not the reason why `configurationOf` threw.
 */
export async function unfitNames(
  error: unknown,
  { resolved, stored }: { resolved: Resolved; stored: Layer },
): Promise<readonly string[]> {
  const { values, unclear } = resolved
  if (unclear.some(({ source }) => source === 'environment' || source === 'file')) return []
  const named =
    error instanceof InvalidSettingsError ? error.details.problems.map(({ setting }) => setting) : []
  const suspects = fits(() => policyOf(resolved))
    ? [[await failingModel(values)], named, ['model']]
    : [named, Object.keys(PRESETS[values.policy]), ['policy']]
  const ofStored = suspects.map(names => names.filter(name => Object.hasOwn(stored, name)))
  return ofStored.find(names => names.length > 0) ?? []
}

function fits(action: () => unknown): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}

async function failingModel(values: SettingValues): Promise<'model' | 'fallbackModel'> {
  if (values.model === null) return 'model'
  return loadModel(values.model, values).then(
    () => 'fallbackModel',
    () => 'model',
  )
}
