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
  /** The oldest message that it answers. */
  readonly question: number
  readonly reply: readonly number[]
}

/**
 * Asked before anything of it is sent. What the store says decides, so that it is the same in every process: it is sent
 * as long as it is owed, as it and its question can be seen, and as nothing was erased that it may quote.
 *
 * @param seen As it was when the answer, or this try to deliver it, began.
 */
export async function checkStored(seen: Session, { question, reply }: StoredAnswer): Promise<void> {
  const session = seen.boundAlone()
  const sessionId = session.id
  const entry = (await session.waiting()).find(({ seq }) => seq === question)
  if (entry?.isWithdrawn) throw new ErasedMeanwhileError({ sessionId, erased: 'messages' })
  const visible = [...(await readMessages(session, [question])), ...(await readMessages(session, reply))]
  const gone = [question, ...reply].filter(seq => !visible.some(message => message.seq === seq))
  // A responder with a `finish` of its own may leave it to the runtime that the question waits no longer.
  if (gone.length > 0 || entry?.reply === null) await seen.checkBound()
  if (gone.length > 0) throw new TakenBackError({ sessionId, seqs: gone })
  if (entry === undefined) throw new NotWaitingError({ sessionId, seqs: [question] })
}

/** To try once more changes nothing. */
export function isNoLongerOwed(error: unknown): boolean {
  return isOverForGood(error) || error instanceof NotWaitingError
}
