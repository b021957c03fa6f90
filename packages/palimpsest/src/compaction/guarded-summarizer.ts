import {
  extractive,
  readableText,
  type SourceMessage,
  type Summarizer,
  type Usage,
} from '../summarizer/index.ts'
import { SummarizerError } from '../summarizer/summarizer-error.ts'
import { estimateTokens } from '../tokens/index.ts'
import type { SpendWatch } from './spend-guard.ts'
import { isExtractive } from './summarize-source.ts'
import { isUsage } from './usage.ts'

/**
 * The same summariser under the spend guard. If it asks before each call, the guard checks each call.
 * Otherwise the guard counts a request as one call and corrects the count by the reported usage. `watch` is
 * `null` if spending has no limit.
 */
export function guarded(summarizer: Summarizer, watch: SpendWatch | null): Summarizer {
  if (watch === null || isExtractive(summarizer)) return summarizer
  const { beforeCall } = watch
  const { updateMemo, extractFacts, asksBeforeCalls = false } = summarizer
  const ask = async <Request extends Sourced, Answer extends { readonly usage?: Usage }>(
    call: (request: Request) => Promise<Answer>,
    request: Request,
  ): Promise<Answer> => {
    if (asksBeforeCalls) return call.call(summarizer, { ...request, beforeCall })
    const settle = await beforeCall({ model: summarizer.name, tokens: tokensIn(request.messages) })
    const note = async (usage: unknown) => {
      if (!isUsage(usage)) return
      const tokens = usage.inputTokens + usage.outputTokens
      if (usage.calls > 0 && tokens > 0) await settle({ calls: usage.calls, tokens })
    }
    try {
      const answer = await call.call(summarizer, request)
      await note(answer?.usage)
      return answer
    } catch (error) {
      await note((error as { usage?: unknown } | null)?.usage)
      throw error
    }
  }
  const { name, version, sourceTokens, reusesPrefix } = summarizer
  return {
    ...{ name, version, asksBeforeCalls },
    ...(sourceTokens !== undefined && { sourceTokens }),
    ...(reusesPrefix !== undefined && { reusesPrefix }),
    summarize: request => ask(summarizer.summarize, request),
    ...(updateMemo && { updateMemo: request => ask(updateMemo, request) }),
    ...(extractFacts && { extractFacts: request => ask(extractFacts, request) }),
  }
}

interface Sourced {
  readonly messages: readonly SourceMessage[]
}

function tokensIn(messages: readonly SourceMessage[]): number {
  return messages.reduce(
    (sum, { content }) => sum + estimateTokens(typeof content === 'string' ? content : readableText(content)),
    0,
  )
}

/**
 * For the caller's own handler, which knows of no guard. If a spend limit is reached, the handler gets an
 * extract instead of an error.
 */
export function extractiveWhenSpent(summarizer: Summarizer): Summarizer {
  const { updateMemo } = summarizer
  const unlessSpent = <Answer>(asking: Promise<Answer>, otherwise: () => Answer | Promise<Answer>) =>
    asking.catch(error => {
      if (!SummarizerError.isSpendGuard(error)) throw error
      return otherwise()
    })
  return {
    ...summarizer,
    summarize: request => unlessSpent(summarizer.summarize(request), () => extractive().summarize(request)),
    ...(updateMemo && {
      updateMemo: request =>
        unlessSpent(updateMemo.call(summarizer, request), () => ({ memo: request.memo.value })),
    }),
  }
}
