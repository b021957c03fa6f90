import type { Summarizer, Usage } from '../summarizer/index.ts'

/**
 * The usage of several calls together. Prices belong to a summariser, so all calls have a cost or none has.
 */
export function addUsage(first: Usage | null, second: Usage | null): Usage | null {
  if (first === null || second === null) return first ?? second
  return {
    model: first.model === second.model ? first.model : `${first.model}, ${second.model}`,
    calls: first.calls + second.calls,
    inputTokens: first.inputTokens + second.inputTokens,
    cachedInputTokens: first.cachedInputTokens + second.cachedInputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    cost: first.cost === null && second.cost === null ? null : (first.cost ?? 0) + (second.cost ?? 0),
  }
}

/** The same summariser with its calls counted. A failed call counts if its error reports the usage. */
export function metered(summarizer: Summarizer, note: (usage: Usage) => void): Summarizer {
  const { name, version, sourceTokens } = summarizer
  const count = async <Answer extends { readonly usage?: Usage }>(call: Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await call
      if (isUsage(answer?.usage)) note(answer.usage)
      return answer
    } catch (error) {
      const { usage } = (error ?? {}) as { usage?: unknown }
      if (isUsage(usage)) note(usage)
      throw error
    }
  }
  return {
    name,
    version,
    ...(sourceTokens !== undefined && { sourceTokens }),
    summarize: request => count(summarizer.summarize(request)),
    ...(summarizer.updateMemo && { updateMemo: request => count(summarizer.updateMemo!(request)) }),
  }
}

export function isUsage(usage: unknown): usage is Usage {
  if (typeof usage !== 'object' || usage === null) return false
  const { model, calls, inputTokens, cachedInputTokens, outputTokens } = usage as Usage
  const counts = [calls, inputTokens, cachedInputTokens, outputTokens]
  return typeof model === 'string' && counts.every(count => typeof count === 'number')
}
