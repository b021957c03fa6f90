import { loadModel, policyOf, type Resolved, type SettingValues } from '../config/index.ts'
import type { Configuration } from '../palimpsest.ts'
import { extractive, modelSummarizer, type Summarizer } from '../summarizer/index.ts'

/** What an instance has to be told of the settings. Throws where they do not fit together. */
export async function configurationOf(resolved: Resolved): Promise<Configuration> {
  const { values } = resolved
  return {
    policy: policyOf(resolved),
    zone: values.zone,
    groupTurnMessages: values.groupTurnMessages,
    summarizer: await summarizerOf(values),
    summarizerTimeoutMs: values.modelTimeoutSec * 1000,
    memo: memoOf(values),
  }
}

/** Set to none, the instance has its own instructions. */
function memoOf({ memoInstructions }: SettingValues): NonNullable<Configuration['memo']> {
  if (memoInstructions === null) return {}
  const lines = memoInstructions.split(/\r?\n/).map(line => line.trim())
  return { instructions: lines.filter(line => line !== '') }
}

async function summarizerOf(values: SettingValues): Promise<Summarizer> {
  if (values.model === null) return extractive()
  const model = await loadModel(values.model, values)
  const fallback = values.fallbackModel === null ? null : await loadModel(values.fallbackModel, values)
  return modelSummarizer(model, {
    // Half of it, so that a second try or the other model has its turn.
    timeoutMs: values.modelTimeoutSec * 500,
    ...(fallback && { fallback }),
    ...(values.modelWindow !== null && { windowTokens: values.modelWindow }),
  })
}
