import type { SettingDescription } from '../../api/types.ts'

/**
 * The settings that belong to no policy, grouped by subject. Settings that the page does not know yet come
 * under `other`.
 */
export const GROUPS = ['model', 'memory', 'extraction', 'limits', 'other'] as const

export type Group = (typeof GROUPS)[number] | 'start'

const MEMBERS: Readonly<Record<Exclude<Group, 'other' | 'start'>, readonly string[]>> = {
  model: [
    'model',
    'modelBaseUrl',
    'modelApiKey',
    'fallbackModel',
    'allowedModels',
    'modelTimeoutSec',
    'modelWindow',
    'verbatimBelowTokens',
    'memoInstructions',
  ],
  memory: [
    'personaTokens',
    'globalMemoryTokens',
    'userMemoryTokens',
    'scopeMemoryTokens',
    'chatMemoryTokens',
    'dailyLogTokens',
    'outputReserve',
  ],
  extraction: [
    'extract',
    'scopeLearnsFrom',
    'memoryOwner',
    'ownerSharesIn',
    'groupTurnMessages',
    'zone',
    'language',
  ],
  limits: [
    'summaryCallsPerHour',
    'summaryTokensPerHour',
    'sessionSummaryCallsPerHour',
    'sessionSummaryTokensPerHour',
    'maxBodyBytes',
    'rateLimit',
  ],
}

export function groupOf({ name, reach }: SettingDescription): Group {
  if (reach === 'start') return 'start'
  const found = Object.entries(MEMBERS).find(([, names]) => names.includes(name))
  return (found?.[0] as Group | undefined) ?? 'other'
}
