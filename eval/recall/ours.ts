import {
  conversationOf,
  type Conversation as IndexedConversation,
  indexMessages,
  needsTexts,
  parseQuery,
  rank,
  refine,
  type SearchQuery,
  type SessionIndex,
  type Weights,
} from '../../packages/palimpsest/src/search/index.ts'
import { runAtOnce } from '../../packages/palimpsest/src/slices.ts'
import type { Conversation } from '../conversation.ts'
import { MAX_RESULTS, type Outcome, outcomeOf } from './figures.ts'
import { type MeasuredQuestion, measuredQuestions } from './measured-questions.ts'

/** How many results are looked at when their texts decide, too. */
const MAX_REFINED = 4 * MAX_RESULTS

interface PreparedQuestion {
  readonly question: MeasuredQuestion
  readonly query: SearchQuery
  readonly index: SessionIndex
}

/** A conversation indexed once, to be searched with many weights. */
export interface PreparedConversation {
  readonly name: string
  readonly texts: readonly string[]
  readonly conversation: IndexedConversation
  readonly questions: readonly PreparedQuestion[]
}

/** The engine's own index of a conversation. */
export function indexOf(messages: Conversation['messages']): ReturnType<typeof indexMessages> {
  return indexMessages(
    messages.map(({ text, sender, at }, place) => ({
      seq: place + 1,
      text,
      speaker: sender ?? '',
      minutes: Math.floor(Date.parse(at) / 60_000),
    })),
  )
}

export function prepare(conversation: Conversation): PreparedConversation {
  const { name, messages } = conversation
  const select = indexOf(messages)
  return {
    name,
    texts: messages.map(({ text }) => text),
    conversation: conversationOf(select([])),
    questions: measuredQuestions(conversation).map(question => {
      const query = parseQuery(question.question)
      return { question, query, index: select(query.terms) }
    }),
  }
}

export function searchWithWeights(
  { texts, conversation, questions }: PreparedConversation,
  weights: Weights,
): Outcome[] {
  return questions.map(({ question, query, index }) => {
    const limit = needsTexts(query) ? MAX_REFINED : MAX_RESULTS
    const ranked = rank(query, index, { limit, conversation, weights })
    const results = runAtOnce(refine(ranked, seq => texts[seq - 1]!, query))
    return outcomeOf(
      question,
      results.map(({ seq }) => seq),
    )
  })
}
