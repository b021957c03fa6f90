import {
  createPalimpsest,
  type MessageInput,
  type Policy,
  type Session,
  type SessionKind,
  type Store,
} from '../../packages/palimpsest/src/index.ts'
import { anthropicViolations, modelMessageViolations, openAIViolations } from '../provider-rules.ts'
import { shownRanges } from '../shown-ranges.ts'

export interface Checked {
  readonly messages: number
  readonly folds: number
  readonly mostTokens: number
  /** What was wrong, and after how many messages: empty where nothing ever was. */
  readonly problems: readonly string[]
  readonly session: Session
}

/**
 * Plays a conversation, folding as it goes with the extractive summariser, and looks at the context after
 * each message: nothing missing, nothing over, nothing that a provider would refuse.
 */
export async function checkTranscript(
  messages: AsyncIterable<MessageInput> | Iterable<MessageInput>,
  options: { store: Store; policy: Policy; budget: number; kind: SessionKind; id: string },
): Promise<Checked> {
  const { store, policy, budget, kind, id } = options
  const palimpsest = await createPalimpsest({ store, policy, folding: 'manual' })
  const session = palimpsest.session(id, { kind })
  const problems: string[] = []
  let count = 0
  let folds = 0
  let mostTokens = 0
  for await (const message of messages) {
    const { decision } = await session.append(message)
    count += 1
    if (decision) {
      const { outcome, reason } = await session.compact()
      if (outcome === 'applied') folds += 1
      if (outcome === 'failed') problems.push(`${count}: the fold failed: ${reason}`)
    }
    const context = await session.context({ budget })
    mostTokens = Math.max(mostTokens, context.report.tokens)
    if (context.report.tokens > budget) problems.push(`${count}: ${context.report.tokens} tokens`)
    const violations = [
      ...modelMessageViolations(context.messages),
      ...openAIViolations(context.toOpenAI()),
      ...anthropicViolations(context.toAnthropic()),
    ]
    problems.push(...violations.map(violation => `${count}: ${violation}`))
    const gap = await firstGap(session, context.sessionMemory, count)
    if (gap !== null) problems.push(`${count}: message ${gap} is nowhere`)
  }
  return { messages: count, folds, mostTokens, problems, session }
}

/** By ranges: what the session memory names, and then what is raw, must follow each other without a hole. */
async function firstGap(
  session: Session,
  sessionMemory: string | null,
  count: number,
): Promise<number | null> {
  let covered = 0
  for (const [from, to] of await shownRanges(session, sessionMemory)) {
    if (from > covered + 1) return covered + 1
    covered = Math.max(covered, to)
  }
  const { compactedThrough } = (await session.info())!
  return compactedThrough > covered && compactedThrough <= count ? covered + 1 : null
}
