import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Session,
} from '../packages/palimpsest/src/index.ts'
import type {
  MemoUpdateRequest,
  SummarizeRequest,
  Summarizer,
  Summary,
  Usage,
} from '../packages/palimpsest/src/summarizer/index.ts'
import { sqlitePlace } from './stores.ts'

/** What the tests of folding have in common: long messages, a summariser that does as it is told, a clock. */

const WORDS = 'forty crates of lemons sail to Porto on Friday and Ann tells Bob about the invoice '.repeat(3)

export function message(number: number, words = WORDS) {
  return {
    role: number % 2 ? ('user' as const) : ('assistant' as const),
    sender: number % 2 ? 'Ann' : 'Bot',
    content: `Number ${number}: ${words}`,
  }
}

export const messages = (from: number, to: number, words?: string) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index, words))

export const usage = (calls = 1): Usage => ({
  model: 'test:model',
  calls,
  inputTokens: 100 * calls,
  cachedInputTokens: 10 * calls,
  outputTokens: 20 * calls,
  cost: null,
})

type Answer = Partial<Summary> | Error

export interface Scripted {
  readonly summarizer: Summarizer
  readonly summaries: SummarizeRequest[]
  readonly updates: MemoUpdateRequest[]
  /** All calls in their order: `s` for a summary, `r` for one of summaries, `m` for a memo alone. */
  readonly calls: string[]
}

export interface Script {
  readonly summarize?: (request: SummarizeRequest, call: number) => Answer | Promise<Answer>
  readonly updateMemo?: ((request: MemoUpdateRequest, call: number) => unknown) | null
  readonly sourceTokens?: number
}

/** Counts in the memo what it was given: `{ seen: [seq, …] }`. */
export function scripted(script: Script = {}): Scripted {
  const summaries: SummarizeRequest[] = []
  const updates: MemoUpdateRequest[] = []
  const calls: string[] = []
  const seqs = (request: { messages: SummarizeRequest['messages'] }) => request.messages.map(({ seq }) => seq)
  const seen = (
    value: Readonly<Record<string, unknown>>,
    request: { messages: SummarizeRequest['messages'] },
  ) => ({
    ...value,
    seen: [...((value['seen'] as number[]) ?? []), ...seqs(request)],
  })
  const summarizer: Summarizer = {
    name: 'scripted',
    version: '1',
    ...(script.sourceTokens !== undefined && { sourceTokens: script.sourceTokens }),
    summarize: async request => {
      summaries.push(request)
      calls.push(request.of === 'summaries' ? 'r' : 's')
      const answer = (await script.summarize?.(request, calls.length)) ?? {}
      if (answer instanceof Error) throw answer
      const memo = request.memo && seen(request.memo.value, request)
      return {
        text: '- Ann: forty crates on Friday',
        events: [],
        details: [],
        ...(memo && { memo }),
        usage: usage(),
        ...answer,
      }
    },
    ...(script.updateMemo !== null && {
      updateMemo: async request => {
        updates.push(request)
        calls.push('m')
        const answer = await script.updateMemo?.(request, calls.length)
        if (answer instanceof Error) throw answer
        const memo = answer === undefined ? seen(request.memo.value, request) : answer
        return { memo: memo as Readonly<Record<string, unknown>>, usage: usage() }
      },
    }),
  }
  return { summarizer, summaries, updates, calls }
}

export class Clock {
  now = Date.UTC(2026, 2, 2, 12)
  readonly read = () => this.now
}

export async function withChat(
  options: Omit<PalimpsestOptions, 'store'>,
  use: (chat: Session, palimpsest: Palimpsest) => Promise<void>,
): Promise<void> {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', ...options })
  try {
    await use(palimpsest.session('s'), palimpsest)
  } finally {
    await palimpsest.close()
    await place.remove()
  }
}
