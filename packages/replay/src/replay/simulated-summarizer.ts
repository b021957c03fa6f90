import type { SummarizeRequest, Summarizer } from 'palimpsest/internals/summarizer/index'
import { promptFor } from 'palimpsest/internals/summarizer/model/prompt-for'
import { instructionsFor } from 'palimpsest/internals/summarizer/model/prompts'
import { renderMessages, renderSummaries } from 'palimpsest/internals/summarizer/model/render-source'
import { takePiece } from 'palimpsest/internals/summarizer/model/take-piece'
import { sourceTokens } from 'palimpsest/internals/summarizer/model/window'
import { estimateTokens } from 'palimpsest/internals/tokens/index'
import type { SummarizerCall } from '../bill/summarizer-calls.ts'

export interface SimulatedSummarizerOptions {
  /** The share of its source that a summary keeps, up to what the engine allows. */
  readonly ratio: number
  readonly onCall: (call: SummarizerCall) => void
}

const WINDOW_TOKENS = 32_000
/** Braces, field names and quotes of the answer's JSON. */
const FRAME_TOKENS = 30
const MEMO_TOKENS = 150

/**
 * Stands in for a model. It is asked in the words of the model summariser, and answers with words of its
 * source, as many as a summary would have. So a fold costs what it would cost, and no provider is paid.
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

/** A memo of a usual length. */
const MEMO = { facts: 'what is known so far '.repeat(Math.ceil(MEMO_TOKENS / 5)).trim() }

type Source = Pick<SummarizeRequest, 'messages' | 'zone' | 'of'>

function sourceText({ messages, zone, of }: Source): string {
  const entries = of === 'summaries' ? renderSummaries(messages, zone) : renderMessages(messages, zone)
  return takePiece(entries, Number.POSITIVE_INFINITY).text
}

/**
 * A longer run of letters is a blob and no word. A single blob would be larger than a whole summary may be.
 */
const WORDS = /[\p{Ideographic}\p{sc=Hiragana}\p{sc=Katakana}]{1,4}|[\p{L}\p{N}]{1,24}/gu

/**
 * Words from all over a text, about `tokens` tokens of them. They keep the text's script, and never form one
 * of its sentences.
 */
function excerpt(source: string, tokens: number): string {
  const words = source.match(WORDS) ?? []
  const size = estimateTokens(words.join(' '))
  const step = Math.max(1, size / tokens)
  let text = 'Simulated:'
  for (let place = step / 2; place < words.length; place += step) text += ` ${words[Math.floor(place)]}`
  return text
}
