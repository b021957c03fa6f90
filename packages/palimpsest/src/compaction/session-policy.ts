import { type Policy, policyFor } from '../policy/index.ts'
import type { SessionKey, SettingsStore } from '../store/index.ts'

/** The policies with the settings of one session applied. */
export async function sessionPolicies<Policies extends readonly Policy[]>(
  sessionSettings: Pick<SettingsStore, 'readOwnSettings'>,
  key: SessionKey,
  policies: readonly [...Policies],
): Promise<{ [Place in keyof Policies]: Policy }> {
  const isAsked = policies.some(({ forSession }) => forSession !== undefined)
  const settings = isAsked ? await sessionSettings.readOwnSettings(key) : {}
  return policies.map(policy => policyFor(settings, policy)) as { [Place in keyof Policies]: Policy }
}
