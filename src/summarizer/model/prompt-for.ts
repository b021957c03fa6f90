import { estimateTokens } from '../../tokens/index.ts'
import type { MemoUpdateRequest, SummarizeRequest } from '../summarizer.ts'
import { memoBlocks } from './memo.ts'
import { block, neutralize } from './neutralize.ts'
import { earlierTokens } from './window.ts'

interface PromptParts {
  /** What stands for the pieces before this one. */
  readonly soFar: string | null
  readonly memo: Readonly<Record<string, unknown>> | null
  readonly piece: string
  readonly windowTokens: number
}

/** A memo says for itself what came before; more would cost more than the messages do. */
const MEMO_EARLIER_TOKENS = 500

/** Settings stand behind the material, where models heed them best. */
export function promptFor(
  request: MemoUpdateRequest | SummarizeRequest,
  { soFar, memo, piece, windowTokens }: PromptParts,
): string {
  const { earlier, memo: memoRequest } = request
  const { of, budgetTokens, focus, script } = request as Partial<SummarizeRequest>
  const mostEarlier = budgetTokens === undefined ? MEMO_EARLIER_TOKENS : earlierTokens(windowTokens)
  return [
    ...(earlier ? [block('earlier_summary', neutralize(newestOf(earlier, mostEarlier)))] : []),
    ...(memoRequest ? memoBlocks(memoRequest, memo ?? memoRequest.value) : []),
    ...(soFar ? [block('summary_so_far', neutralize(soFar))] : []),
    block(of === 'summaries' ? 'summaries' : 'conversation', piece),
    ...(focus ? [block('focus', neutralize(focus))] : []),
    ...(script ? [block('script', neutralize(script))] : []),
    ...(budgetTokens === undefined ? [] : [block('budget', budgetText(budgetTokens))]),
  ].join('\n\n')
}

/** Models know words better than tokens. */
function budgetText(tokens: number): string {
  return `${tokens} tokens at most: about ${Math.floor(tokens * 0.7)} English words, or as many Chinese characters`
}

/** More is not measured, only to be cut off. */
const MOST_CHARACTERS_PER_TOKEN = 6

/** The end of a text that is too long, from the beginning of a line where one is near enough. */
function newestOf(text: string, tokens: number): string {
  let tail = text.slice(-tokens * MOST_CHARACTERS_PER_TOKEN)
  for (let size = estimateTokens(tail); size > tokens; size = estimateTokens(tail))
    tail = tail.slice(tail.length - Math.floor(tail.length * Math.min(0.95, (0.97 * tokens) / size)))
  if (tail === text) return text
  const line = tail.indexOf('\n')
  return `…\n${line >= 0 && line < tail.length / 2 ? tail.slice(line + 1) : tail.toWellFormed()}`
}
