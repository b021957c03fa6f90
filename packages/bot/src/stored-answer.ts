import {
  ErasedMeanwhileError,
  isOverForGood,
  NotWaitingError,
  TakenBackError,
} from 'palimpsest/internals/errors'
import type { Session } from 'palimpsest/internals/session'
import { readMessages } from './read-messages.ts'

/** An answer that is in the log and is owed to the platform. */
export interface StoredAnswer {
  /** The oldest message that the answer belongs to. */
  readonly question: number
  readonly reply: readonly number[]
}

/**
 * Called before any part of the answer is sent. The store decides, so every process decides alike. An answer
 * is sent while it is owed, while it and its question are visible, and while nothing was erased that it may
 * quote.
 *
 * @param seen The session as it was when the answer began, or this attempt to deliver it.
 */
export async function checkStored(seen: Session, { question, reply }: StoredAnswer): Promise<void> {
  const session = seen.boundAlone()
  const sessionId = session.id
  const entry = (await session.waiting()).find(({ seq }) => seq === question)
  if (entry?.isWithdrawn) throw new ErasedMeanwhileError({ sessionId, erased: 'messages' })
  const visible = [...(await readMessages(session, [question])), ...(await readMessages(session, reply))]
  const gone = [question, ...reply].filter(seq => !visible.some(message => message.seq === seq))
  // A responder with its own `finish` may leave it to the runtime to settle the question.
  if (gone.length > 0 || entry?.reply === null) await seen.checkBound()
  if (gone.length > 0) throw new TakenBackError({ sessionId, seqs: gone })
  if (entry === undefined) throw new NotWaitingError({ sessionId, seqs: [question] })
}

/** Whether a further attempt would change nothing. */
export function isNoLongerOwed(error: unknown): boolean {
  return isOverForGood(error) || error instanceof NotWaitingError
}
