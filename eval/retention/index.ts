import { setImmediate } from 'node:timers/promises'
import { says } from '../../packages/palimpsest/src/summarizer/extractive/missing-details.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import { categoriesOf } from '../categories.ts'
import type { Conversation } from '../conversation.ts'
import { firstSentences, lastSentences, longestSentences, textRank } from './baselines.ts'
import { type Fold, splitIntoFolds } from './fold.ts'
import { joinTexts, type Method } from './method.ts'
import { palimpsest } from './palimpsest.ts'
import { renderSentences, sentencesOf } from './sentences.ts'
import { answerWords, contentWords, shareFound } from './words.ts'

export const SHARES = [0.1, 0.2] as const
export const METHODS: readonly Method[] = [
  palimpsest,
  firstSentences,
  lastSentences,
  textRank,
  longestSentences,
]

/** Shares are in percent. */
export interface Retention {
  /** Gold answers that were asked for; those whose words are not in the source cannot survive. */
  readonly asked: number
  readonly leftOut: number
  readonly results: readonly MethodResult[]
}

export interface MethodResult extends Survival {
  readonly method: string
  /** The most that it might keep of the source's tokens. */
  readonly budget: number
  /** What it kept of them. */
  readonly kept: number
  readonly byCategory: readonly (Survival & { readonly category: number })[]
  readonly superseded: Superseded
}

/** Values that held no more at the end of the conversation. */
interface Superseded {
  /** Those that are named in the questions. */
  readonly count: number
  /** Told, but not what took their place: as if they held. */
  readonly toldAlone: number
  /** The share of them. */
  readonly share: number | null
}

interface Survival {
  /** Answers that were looked for. */
  readonly count: number
  /** The share of them all of whose words are there; `null`: there were none. */
  readonly answers: number | null
  /** The share of an answer's words that are there, on average. */
  readonly words: number | null
}

/** What of the gold answers is left when a conversation is folded, by our summariser and by simpler ones. */
export async function measureRetention(
  conversations: readonly Conversation[],
  { onProgress = () => {} }: { onProgress?: (share: number) => void } = {},
): Promise<Retention> {
  const runs = SHARES.flatMap(share => METHODS.map(method => ({ method, share, tally: new Tally() })))
  let asked = 0
  let leftOut = 0
  let sourceTokens = 0
  for (const [index, { messages, questions }] of conversations.entries()) {
    const folds = splitIntoFolds(messages)
    const wanted = findable(questions, folds)
    asked += questions.length
    leftOut += questions.length - wanted.length
    sourceTokens += folds.reduce((sum, fold) => sum + fold.sourceTokens, 0)
    for (const [place, { method, share, tally }] of runs.entries()) {
      onProgress((index + place / runs.length) / conversations.length)
      // The baselines never wait for anything, and somebody may want to interrupt them.
      await setImmediate()
      tally.add(joinTexts(await method.shorten(folds, share)), wanted)
    }
  }
  return {
    asked,
    leftOut,
    results: runs.map(({ method, share, tally }) => ({
      method: method.name,
      budget: 100 * share,
      ...tally.result(sourceTokens),
    })),
  }
}

interface Wanted {
  readonly category: number
  readonly words: ReadonlySet<string>
  readonly superseded: readonly string[]
}

/** The answers whose words are all in the source: in what was said, by whom and on which day. */
function findable(questions: Conversation['questions'], folds: readonly Fold[]): Wanted[] {
  const source = contentWords(joinTexts(folds.map(fold => renderSentences(sentencesOf(fold)))))
  return questions
    .map(({ answer, category, superseded = [] }) => ({ category, words: answerWords(answer), superseded }))
    .filter(({ words }) => words.size > 0 && shareFound(words, source) === 1)
}

class Tally {
  #tokens = 0
  readonly #found: { readonly category: number; readonly words: number }[] = []
  readonly #superseded = { count: 0, toldAlone: 0 }

  add(text: string, wanted: readonly Wanted[]): void {
    const present = contentWords(text)
    this.#tokens += estimateTokens(text)
    for (const { category, words, superseded } of wanted) {
      const found = shareFound(words, present)
      this.#found.push({ category, words: found })
      this.#superseded.count += superseded.length
      if (found < 1) this.#superseded.toldAlone += superseded.filter(value => says(text, value)).length
    }
  }

  result(sourceTokens: number): Omit<MethodResult, 'method' | 'budget'> {
    return {
      kept: percentage(this.#tokens, sourceTokens) ?? 0,
      ...survival(this.#found),
      byCategory: categoriesOf(this.#found).map(category => ({
        category,
        ...survival(this.#found.filter(each => each.category === category)),
      })),
      superseded: {
        ...this.#superseded,
        share: percentage(this.#superseded.toldAlone, this.#superseded.count),
      },
    }
  }
}

function survival(found: readonly { readonly words: number }[]): Survival {
  const whole = found.filter(({ words }) => words === 1).length
  const words = found.reduce((sum, each) => sum + each.words, 0)
  return {
    count: found.length,
    answers: percentage(whole, found.length),
    words: percentage(words, found.length),
  }
}

function percentage(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole
}
