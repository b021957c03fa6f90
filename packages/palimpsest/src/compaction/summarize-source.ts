import { headOf, oneLine, type Person, ROLES } from '../log/index.ts'
import {
  languageOfSource,
  markedText,
  type Prefix,
  type SourceMessage,
  type SummarizeRequest,
  type Summarizer,
  type Summary,
  speakerIn,
  whoSpeaks,
} from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import type { MemoKeeper } from './memo-keeper.ts'
import { missedScript } from './script.ts'
import { sampleText } from './source.ts'
import { findSummaryProblem, MAX_OVER_BUDGET, type SummaryProblem } from './validate-summary.ts'

/** The answer is no usable summary. Nothing is stored, and the outcome gives the reason. */
export class SummaryRejectedError extends Error {
  readonly problem: SummaryProblem
  constructor(problem: SummaryProblem) {
    super(`The summariser's answer is no summary: ${problem}`)
    this.problem = problem
  }
}

/**
 * Whether it is the built-in summariser. That one quotes messages, cannot refuse, and always gives the same
 * answer.
 */
export function isExtractive({ name }: Pick<Summarizer, 'name'>): boolean {
  return name === 'extractive'
}

export interface SourceRequest {
  readonly messages: readonly SourceMessage[]
  readonly of: 'messages' | 'summaries'
  readonly sourceTokens: number
  readonly budgetTokens: number
  readonly detailTokens?: number
  readonly earlier: string | null
  /** Known people. Those who speak in `messages` are not included. */
  readonly people: readonly Person[]
  readonly focus: string | undefined
  readonly prefix?: Prefix
  readonly extracts?: NonNullable<SummarizeRequest['extracts']>
  readonly zone: string
  readonly signal: AbortSignal
  /** The memo is updated in the same call, through this `seq`. */
  readonly memo?: { readonly keeper: MemoKeeper; readonly lastSeq: number; readonly throughSeq: number }
  readonly warn: (warning: string) => void
}

/** Makes one call and checks it. If the summary is in the wrong script, it makes a second call. */
export async function summarizeSource(summarizer: Summarizer, source: SourceRequest): Promise<Summary> {
  const memo = source.memo?.keeper.requestFor(source.memo.lastSeq)
  const request = {
    messages: source.messages,
    of: source.of,
    earlier: source.earlier,
    people: source.people,
    budgetTokens: source.budgetTokens,
    ...(source.detailTokens !== undefined && { detailTokens: source.detailTokens }),
    ...(source.focus !== undefined && { focus: source.focus }),
    ...(source.prefix && { prefix: source.prefix }),
    ...(source.extracts && { extracts: source.extracts }),
    ...(memo && { memo }),
    zone: source.zone,
    signal: source.signal,
  }
  const first = withoutEmptyLines(await summarizer.summarize(request), source)
  const problem = problemOf(first, source)
  let summary = first
  if (isExtractive(summarizer)) {
    // Only the size of an extract is checked. A quoted speaker may well say that they cannot help with that,
    // which would look like a refusal.
    if (problem === 'empty' || isTooLarge(first.text, source)) summary = { ...first, text: lastWords(source) }
  } else {
    if (problem) throw new SummaryRejectedError(problem)
    const script = missedScript(sampleText(source.messages), first.text)
    if (script) {
      const again = await summarizer.summarize({ ...request, script }).catch(() => {
        source.signal.throwIfAborted()
        return null
      })
      const better = again && withoutEmptyLines(again, source)
      if (better && problemOf(better, source) === null) summary = better
      if (missedScript(sampleText(source.messages), summary.text))
        source.warn(`wrong_script: the conversation is in ${script}, its summary is not`)
    }
  }
  if (memo) await source.memo!.keeper.accept(summary.memo, source.memo!.throughSeq)
  return summary
}

/** A line with a speaker and no words, such as `- assistant:`, tells nothing. */
function withoutEmptyLines(summary: Summary, { messages, people }: SourceRequest): Summary {
  const { text } = summary
  if (typeof text !== 'string' || !/[:：]\s*$/m.test(text)) return summary
  const who = whoSpeaks(messages, people)
  const speakers = new Set<string>([...ROLES, ...messages.map(message => speakerIn(who, message))])
  const lines = text.split('\n')
  const told = lines.filter((line, index) => {
    const said = EMPTY_LINE.exec(line)?.[1]
    // The speaker's words may stand below the name.
    return said === undefined || !speakers.has(said) || /^\s+\S/.test(lines[index + 1] ?? '')
  })
  return told.length === lines.length ? summary : { ...summary, text: told.join('\n') }
}

const EMPTY_LINE = /^[-*] (?:\d{4}-\d{2}-\d{2} )?([^\n]{1,200}?)[:：]\s*$/

function problemOf({ text }: Summary, { sourceTokens, budgetTokens }: SourceRequest): SummaryProblem | null {
  if (typeof text !== 'string') return 'empty'
  return findSummaryProblem(text, {
    summary: estimateTokens(text),
    source: sourceTokens,
    budget: budgetTokens,
  })
}

function isTooLarge(text: string, { sourceTokens, budgetTokens }: SourceRequest): boolean {
  const tokens = estimateTokens(text)
  return tokens >= sourceTokens || tokens > budgetTokens * MAX_OVER_BUDGET
}

/** The last words that fit, if the budget is too small for a whole line. The result is never empty. */
function lastWords({ messages, people, sourceTokens, budgetTokens }: SourceRequest): string {
  const who = whoSpeaks(messages, people)
  const wordsOf = (message: SourceMessage) =>
    oneLine(markedText(message, languageOfSource([message]), each => who.nameOf(each)))
  const last = messages.findLast(message => wordsOf(message) !== '')
  if (last === undefined) return '…'
  const said = wordsOf(last)
  const speaker = speakerIn(who, last)
  const most = Math.max(1, Math.min(budgetTokens, sourceTokens - 1))
  for (let length = Math.min(said.length, most * 8); length > 0; length = Math.floor(length / 2)) {
    const words = headOf(said, length)
    const line = `- ${speaker}: ${words}${length < said.length ? '…' : ''}`
    if (words !== '' && estimateTokens(line) <= most) return line
  }
  return '…'
}
