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
  /** Awaited before each message: for whoever has other things to do, or wants no more of it and throws. */
  readonly pause?: () => Promise<void>
}

/** One conversation as a policy would have had it, beside a bot that sends everything each time. */
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

/** To count turns nothing has to be measured. */
const NO_SIZE = { characters: 0, tokens: 0 }
