import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import {
  GROUP_TURN_MESSAGES,
  type MessageInput,
  type NewMessage,
  normalizeMessage,
  type SessionKind,
} from 'palimpsest/internals/log/index'
import type { Policy } from 'palimpsest/internals/policy/index'
import { estimateTokens } from 'palimpsest/internals/tokens/index'
import { Bill } from '../bill/bill.ts'
import type { Assumptions, ReplayFold, Run } from '../comparison.ts'
import {
  CONDITION_OPTIONS,
  type ConditionOptions,
  conditionsOf,
  type ReplayConditions,
} from '../conditions.ts'
import { type OnRequest, ReplayedSession } from './replayed-session.ts'

/** A policy as it is shown beside others. */
export interface Candidate {
  readonly name: string
  readonly policy: Policy
  /** The settings that the caller changed. */
  readonly settings: Readonly<Record<string, string | number>>
}

export interface Conversation {
  readonly kind: SessionKind
  /** The default: what is assumed for all conversations. */
  readonly calls?: Assumptions['calls']
  read(): AsyncIterable<NewMessage> | Iterable<NewMessage>
}

interface RunOptions {
  /** The default: 12. */
  readonly groupTurnMessages?: number
  /** Types of decisions, beside lite and deep, that the caller's own policy returns. */
  readonly types?: readonly string[]
  readonly onRequest?: OnRequest
}

export interface ReplayOptions extends ConditionOptions, RunOptions {
  readonly policy: Policy
  /** The default: private. */
  readonly kind?: SessionKind
}

const OPTIONS = optionsOf<ReplayOptions>({
  policy: true,
  kind: true,
  groupTurnMessages: true,
  types: true,
  onRequest: true,
  ...CONDITION_OPTIONS,
})

/**
 * Runs one conversation through one policy: what is folded, when, and what it costs. No model is asked.
 *
 * @example
 * ```ts
 * const run = await replay(messages, { policy, overheadTokens: 2_000 })
 * console.log(run.cost.total, run.folds.length)
 * ```
 */
export function replay(
  messages: Iterable<MessageInput> | AsyncIterable<MessageInput>,
  options: ReplayOptions,
): Promise<Run> {
  checkOptions('replay', options, OPTIONS)
  const { policy, kind = 'private' } = options
  const conversation: Conversation = {
    kind,
    async *read() {
      for await (const input of messages) yield normalizeMessage(input, { zone: 'UTC' })
    },
  }
  const conditions = conditionsOf(options, { hasReplies: true, policies: [policy] })
  return replayPolicy({ name: policy.name, policy, settings: {} }, [conversation], conditions, options)
}

/** Runs conversations through a policy, one after the other, and adds up what they cost. */
export async function replayPolicy(
  { name, policy, settings }: Candidate,
  conversations: readonly Conversation[],
  { assumptions, ...prices }: ReplayConditions,
  { groupTurnMessages = GROUP_TURN_MESSAGES, types = [], onRequest }: RunOptions = {},
): Promise<Run> {
  const bill = new Bill()
  const folds: ReplayFold[] = []
  const instructions = textOf(assumptions.overheadTokens)
  const tokens = { log: 0, raw: 0, folded: 0, segments: 0 }
  let messages = 0
  for (const [transcript, conversation] of conversations.entries()) {
    const session = new ReplayedSession({
      ...prices,
      policy,
      kind: conversation.kind,
      groupTurnMessages,
      types,
      messagesBefore: messages,
      assumptions: { ...assumptions, calls: conversation.calls ?? assumptions.calls },
      instructions,
      bill,
      onFold: fold => folds.push(conversations.length > 1 ? { transcript, ...fold } : fold),
      onRequest,
    })
    for await (const message of conversation.read()) await session.append(message)
    await session.end()
    messages += session.messages
    for (const part of ['log', 'raw', 'folded', 'segments'] as const) tokens[part] += session.tokens[part]
  }
  const { cost, breaks, timeline, contexts } = bill
  return {
    name,
    kind: 'policy',
    policy: policy.name,
    settings,
    messages,
    cost,
    tokens: { ...tokens, ...contexts },
    breaks,
    folds,
    timeline,
  }
}

/** A text of `tokens` tokens, as the engine estimates them. */
function textOf(tokens: number): string {
  const words = 'You are a friendly assistant who answers briefly. '.repeat(Math.ceil(tokens / 8))
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (estimateTokens(words.slice(0, middle)) <= tokens) low = middle
    else high = middle - 1
  }
  return words.slice(0, low)
}
