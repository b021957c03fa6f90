import type { MessageInput, SessionKind } from '../../packages/palimpsest/src/log/index.ts'
import { candidateOf } from '../../packages/replay/src/candidate.ts'
import { type Prices, type Run, replay } from '../../packages/replay/src/index.ts'

export interface Tried {
  readonly settings: Readonly<Record<string, number>>
  readonly run: Run
}

export interface Conversation {
  readonly kind: SessionKind
  readonly messages: readonly MessageInput[]
}

/** A conversation under `tokens` as it is, and with other values of its settings: at the same budget. */
export async function tryTokens(
  { kind, messages }: Conversation,
  prices: Prices,
  sweep: readonly Readonly<Record<string, number>>[],
): Promise<{ readonly byDefault: Run; readonly tried: readonly Tried[] }> {
  const calls = messages.some(({ role }) => role === 'assistant') ? 'replies' : 12
  const run = (settings: Readonly<Record<string, number>>) => {
    const shared = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))
    const { policy } = candidateOf('tokens', { shared, isAlone: true, prices })
    return replay(messages, { policy, kind, prices, calls })
  }
  const tried: Tried[] = []
  for (const settings of sweep) tried.push({ settings, run: await run(settings) })
  return { byDefault: await run({}), tried }
}
