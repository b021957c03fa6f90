import type { Message } from '../../../api/types.ts'

/** A question whose reply has not been read back from the log yet. */
export interface UnderWay {
  readonly question: string
  /** As far as it has come. */
  readonly reply: string
  /** The newest message when it was asked. */
  readonly afterSeq: number
  /** `over`: all of it has come, and the log is being read again. */
  readonly state: 'coming' | 'over'
}

/** Stored, it comes with the other messages, whatever others say meanwhile. */
export function isQuestionIn(
  messages: readonly Pick<Message, 'seq' | 'role' | 'text'>[],
  { question, afterSeq }: Pick<UnderWay, 'question' | 'afterSeq'>,
): boolean {
  return messages.some(({ seq, role, text }) => seq > afterSeq && role === 'user' && text === question)
}
