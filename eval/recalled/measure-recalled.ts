import { planRecall, type Recalled, toldTexts } from '../../packages/palimpsest/src/context/index.ts'
import type { Message } from '../../packages/palimpsest/src/log/index.ts'
import {
  conversationOf,
  excerptOf,
  needsTexts,
  parseQuery,
  rank,
  refine,
} from '../../packages/palimpsest/src/search/index.ts'
import { runAtOnce } from '../../packages/palimpsest/src/slices.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import type { Conversation } from '../conversation.ts'
import { indexOf } from '../recall/ours.ts'
import { splitIntoFolds } from '../retention/fold.ts'
import { joinTexts } from '../retention/method.ts'
import { palimpsest } from '../retention/palimpsest.ts'
import { answerWords, contentWords, shareFound } from '../retention/words.ts'
import { eightMessages } from './eight-messages.ts'

const BUDGETS = [400, 800, 1_500] as const
/** What a session's segments keep of it, about, in the default policy. */
const FOLDED_SHARE = 0.1
const MAX_HITS = 75

interface Asked {
  readonly evidence: readonly number[]
  readonly answer: ReadonlySet<string>
  readonly hits: readonly { readonly seq: number; readonly score: number }[]
  readonly passageOf: (text: string, characters: number) => string
}

/** A conversation, folded, with what a search finds for each of its questions. */
interface Prepared {
  readonly messages: readonly Message[]
  readonly isTold: (text: string) => boolean
  readonly folded: ReadonlySet<string>
  readonly asked: readonly Asked[]
}

async function prepare({ messages, questions }: Conversation): Promise<Prepared> {
  const seqs = new Map(messages.map(({ externalId }, place) => [externalId, place + 1]))
  const select = indexOf(messages)
  const conversation = conversationOf(select([]))
  const folded = joinTexts(await palimpsest.shorten(splitIntoFolds(messages), FOLDED_SHARE))
  return {
    messages: messages.map(
      ({ role, sender, at, text }, place) =>
        ({
          seq: place + 1,
          role,
          sender: sender === '' ? null : { id: sender },
          at: new Date(at),
          content: text,
        }) as unknown as Message,
    ),
    isTold: toldTexts([folded]),
    folded: contentWords(folded),
    asked: questions.flatMap(({ question, answer, evidence }) => {
      const query = parseQuery(question)
      const found = [...new Set(evidence)].map(id => seqs.get(id)).filter(seq => seq !== undefined)
      if (found.length === 0) return []
      const ranked = rank(query, select(query.terms), {
        limit: needsTexts(query) ? 4 * MAX_HITS : MAX_HITS,
        conversation,
      })
      const hits = runAtOnce(refine(ranked, seq => messages[seq - 1]!.text, query)).slice(0, MAX_HITS)
      return [
        {
          evidence: found,
          answer: answerWords(answer),
          hits,
          passageOf: (text: string, length: number) => excerptOf(text, query, { length }).text,
        },
      ]
    }),
  }
}

const WAYS = ['eight messages', 'palimpsest'] as const

/** Means over questions; shares are in percent. */
interface RecalledFigures {
  readonly way: (typeof WAYS)[number]
  /** The most that could be recalled. */
  readonly budget: number
  readonly questions: number
  /** Of the evidence, what is recalled, or told by the folded text word for word. */
  readonly evidence: number
  /** Answers all of whose words are in what is recalled; `null`: there are none to look for. */
  readonly answers: number | null
  /** The same, in what is recalled and in the folded text together. */
  readonly withFolded: number | null
  readonly tokens: number
  readonly messages: number
  /** Of the messages that are recalled, those that the folded text tells word for word. */
  readonly repeated: number
}

export interface RecalledReport {
  readonly results: readonly RecalledFigures[]
}

/** What of the evidence and of the answers is in a context that recalls what may answer the question. */
export async function measureRecalled(
  conversations: readonly Conversation[],
  { onProgress = () => {} }: { onProgress?: (share: number) => void } = {},
): Promise<RecalledReport> {
  const prepared: Prepared[] = []
  for (const [index, conversation] of conversations.entries()) {
    onProgress(index / conversations.length)
    prepared.push(await prepare(conversation))
  }
  return {
    results: BUDGETS.flatMap(budget => WAYS.map(way => measure(prepared, way, budget))),
  }
}

function measure(
  prepared: readonly Prepared[],
  way: RecalledFigures['way'],
  budget: number,
): RecalledFigures {
  const outcomes = prepared.flatMap(conversation =>
    conversation.asked.map(asked =>
      outcomeOf(conversation, asked, recalled(conversation, asked, way, budget)),
    ),
  )
  const withAnswer = outcomes.filter(({ answers }) => answers !== null)
  const messages = meanOf(outcomes, ({ messages }) => messages) ?? 0
  const percentOf = (some: readonly Outcome[], of: (outcome: Outcome) => number) => {
    const mean = meanOf(some, of)
    return mean === null ? null : 100 * mean
  }
  return {
    way,
    budget,
    questions: outcomes.length,
    evidence: percentOf(outcomes, ({ evidence }) => evidence) ?? 0,
    answers: percentOf(withAnswer, ({ answers }) => Number(answers)),
    withFolded: percentOf(withAnswer, ({ withFolded }) => Number(withFolded)),
    tokens: meanOf(outcomes, ({ tokens }) => tokens) ?? 0,
    messages,
    repeated: messages === 0 ? 0 : (100 * meanOf(outcomes, ({ repeated }) => repeated)!) / messages,
  }
}

function recalled(
  { messages, isTold }: Prepared,
  { hits, passageOf }: Asked,
  way: RecalledFigures['way'],
  mostTokens: number,
): Recalled | null {
  if (way === 'eight messages')
    return eightMessages(
      hits.map(({ seq }) => messages[seq - 1]!),
      mostTokens,
    )
  const limits = { below: Number.POSITIVE_INFINITY, isTold, mostTokens, language: 'en' } as const
  return planRecall({ hits, messages, passageOf }, limits)
}

interface Outcome {
  readonly evidence: number
  /** `null`: no answer is known. */
  readonly answers: boolean | null
  readonly withFolded: boolean | null
  readonly tokens: number
  readonly messages: number
  readonly repeated: number
}

function outcomeOf(
  { messages, isTold, folded }: Prepared,
  { evidence, answer }: Asked,
  recalled: Recalled | null,
): Outcome {
  const seqs = new Set(recalled?.seqs)
  const isToldAt = (seq: number) => isTold(messages[seq - 1]!.content as string)
  const words = contentWords(recalled?.text ?? '')
  const isIn = (text: ReadonlySet<string>) => (answer.size === 0 ? null : shareFound(answer, text) === 1)
  return {
    evidence: evidence.filter(seq => seqs.has(seq) || isToldAt(seq)).length / evidence.length,
    answers: isIn(words),
    withFolded: isIn(new Set([...words, ...folded])),
    tokens: recalled ? estimateTokens(recalled.text) : 0,
    messages: seqs.size,
    repeated: [...seqs].filter(isToldAt).length,
  }
}

function meanOf<Item>(items: readonly Item[], of: (item: Item) => number): number | null {
  return items.length === 0 ? null : items.reduce((sum, item) => sum + of(item), 0) / items.length
}
