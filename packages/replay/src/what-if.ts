import { type NewMessage, nextTotals, type SessionKind, type Totals } from 'palimpsest/internals/log/index'
import type { Policy } from 'palimpsest/internals/policy/index'
import { NO_MEMORY, replayBaseline } from './baselines.ts'
import type { Run } from './comparison.ts'
import { type ConditionOptions, conditionsOf, type ReplayConditions } from './conditions.ts'
import { replayPolicy } from './replay/replay.ts'

export interface WhatIfOptions extends ConditionOptions {
  readonly policy: Policy
  readonly messages: readonly NewMessage[]
  readonly kind: SessionKind
  readonly groupTurnMessages: number
  /** Awaited before each message. The caller can do other work in it, or throw to stop the run. */
  readonly pause?: () => Promise<void>
}

/** What one conversation would have been under a policy, beside a bot that sends everything each time. */
export interface WhatIf extends Pick<ReplayConditions, 'prices' | 'assumptions'> {
  readonly turns: number
  readonly run: Run
  readonly baseline: Run
}

export async function whatIf(options: WhatIfOptions): Promise<WhatIf> {
  const { policy, messages, kind, groupTurnMessages, pause = async () => {} } = options
  const hasReplies = messages.some(({ role }) => role === 'assistant')
  const conditions = conditionsOf(options, { hasReplies, policies: [policy] })
  const conversation = {
    kind,
    async *read() {
      for (const message of messages) {
        await pause()
        yield message
      }
    },
  }
  const candidate = { name: policy.name, policy, settings: {} }
  const run = await replayPolicy(candidate, [conversation], conditions, { groupTurnMessages })
  const baseline = await replayBaseline(NO_MEMORY, [conversation], conditions)
  const { prices, assumptions } = conditions
  return { turns: countTurns(messages, { kind, groupTurnMessages }), run, baseline, prices, assumptions }
}

function countTurns(messages: readonly NewMessage[], rules: Parameters<typeof nextTotals>[3]): number {
  let totals: Totals | null = null
  for (const message of messages) totals = nextTotals(totals, message, NO_SIZE, rules)
  return totals?.turn ?? 0
}

/** Turns are counted without measuring a message. */
const NO_SIZE = { characters: 0, tokens: 0 }
