import type { Message } from '../../../api/types.ts'

/** A question whose reply has not been read back from the log yet. */
export interface UnderWay {
  readonly question: string
  /** The part that has come so far. */
  readonly reply: string
  /** The newest message at the time of the question. */
  readonly afterSeq: number
  /** `over`: the reply is complete, and the page is reading the log again. */
  readonly state: 'coming' | 'over'
}

/** A stored question is in the log after `afterSeq`, even if other speakers add messages meanwhile. */
export function isQuestionIn(
  messages: readonly Pick<Message, 'seq' | 'role' | 'text'>[],
  { question, afterSeq }: Pick<UnderWay, 'question' | 'afterSeq'>,
): boolean {
  return messages.some(({ seq, role, text }) => seq > afterSeq && role === 'user' && text === question)
}
