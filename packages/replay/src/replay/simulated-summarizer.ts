import type { SummarizeRequest, Summarizer } from 'palimpsest/internals/summarizer/index'
import { promptFor } from 'palimpsest/internals/summarizer/model/prompt-for'
import { instructionsFor } from 'palimpsest/internals/summarizer/model/prompts'
import { renderMessages, renderSummaries } from 'palimpsest/internals/summarizer/model/render-source'
import { takePiece } from 'palimpsest/internals/summarizer/model/take-piece'
import { sourceTokens } from 'palimpsest/internals/summarizer/model/window'
import { estimateTokens } from 'palimpsest/internals/tokens/index'
import type { SummarizerCall } from '../bill/summarizer-calls.ts'

export interface SimulatedSummarizerOptions {
  /** How much of its source a summary keeps, up to what the engine allows it. */
  readonly ratio: number
  readonly onCall: (call: SummarizerCall) => void
}

const WINDOW_TOKENS = 32_000
/** Braces, field names and quotes of the JSON that is answered. */
const FRAME_TOKENS = 30
const MEMO_TOKENS = 150

/**
 * Stands in for a model: it is asked in the model summariser's own words, and answers with words of its source,
 * as many as a summary would have. So a fold costs what it would cost, and nobody is paid.
 */
export function simulatedSummarizer({ ratio, onCall }: SimulatedSummarizerOptions): Summarizer {
  const report = (call: Omit<SummarizerCall, 'promptTokens'>, request: Asked, pieceTokens: number) => {
    const beside = promptFor(request, { soFar: null, memo: null, piece: '', windowTokens: WINDOW_TOKENS })
    onCall({ ...call, promptTokens: estimateTokens(beside) + pieceTokens })
  }
  return {
    name: 'simulated',
    version: '1',
    sourceTokens: sourceTokens(WINDOW_TOKENS),
    async summarize(request) {
      const piece = sourceText(request)
      const tokens = estimateTokens(piece)
      const text = excerpt(piece, Math.min(request.budgetTokens, Math.ceil(tokens * ratio)))
      const task = request.of === 'summaries' ? 'condense' : 'summarize'
      report(
        {
          kind: 'summary',
          instructions: instructionsFor(task, request.memo !== undefined),
          outputTokens: estimateTokens(text) + FRAME_TOKENS + (request.memo ? MEMO_TOKENS : 0),
        },
        request,
        tokens,
      )
      return { text, events: [], details: [], ...(request.memo && { memo: MEMO }) }
    },
    async updateMemo(request) {
      report(
        {
          kind: 'memo',
          instructions: instructionsFor('update-memo', true),
          outputTokens: MEMO_TOKENS + FRAME_TOKENS,
        },
        request,
        estimateTokens(sourceText(request)),
      )
      return { memo: MEMO }
    },
  }
}

type Asked = Parameters<typeof promptFor>[0]

/** As long as memos tend to be. */
const MEMO = { facts: 'what is known so far '.repeat(Math.ceil(MEMO_TOKENS / 5)).trim() }

type Source = Pick<SummarizeRequest, 'messages' | 'zone' | 'of'>

function sourceText({ messages, zone, of }: Source): string {
  const entries = of === 'summaries' ? renderSummaries(messages, zone) : renderMessages(messages, zone)
  return takePiece(entries, Number.POSITIVE_INFINITY).text
}

/** What is longer is no word but a blob, and one of those would be more than a whole summary may take. */
const WORDS = /[\p{Ideographic}\p{sc=Hiragana}\p{sc=Katakana}]{1,4}|[\p{L}\p{N}]{1,24}/gu

/** Words from all over a text, about so many tokens of it: in its own script, and never a sentence of it. */
function excerpt(source: string, tokens: number): string {
  const words = source.match(WORDS) ?? []
  const size = estimateTokens(words.join(' '))
  const step = Math.max(1, size / tokens)
  let text = 'Simulated:'
  for (let place = step / 2; place < words.length; place += step) text += ` ${words[Math.floor(place)]}`
  return text
}
