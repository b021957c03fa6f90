import type { Conversation } from '../conversation.ts'

/** A question that can be measured: the evidence that exists, by seq; a message's seq is its place from 1. */
export interface MeasuredQuestion {
  readonly question: string
  readonly category: number
  readonly evidence: readonly number[]
}

export function measuredQuestions({ messages, questions }: Conversation): MeasuredQuestion[] {
  const seqs = new Map(messages.map(({ externalId }, place) => [externalId, place + 1]))
  return questions
    .map(({ question, category, evidence }) => ({
      question,
      category,
      evidence: [...new Set(evidence)].map(id => seqs.get(id)).filter(seq => seq !== undefined),
    }))
    .filter(({ evidence }) => evidence.length > 0)
}
