import type { NewMessage } from 'palimpsest/internals/log/index'
import type { Assumptions } from '../comparison.ts'

/**
 * When a model is asked. `answer`: at once, when the message before this one came; this message is the
 * answer. `unasked`: when this message came, because the message before did not ask for it. `after`: when
 * this message is in the log.
 */
export interface Asked {
  readonly at: number
  readonly as: 'answer' | 'unasked' | 'after'
}

/** A reply that comes later than this does not answer the message before it. */
const LATEST_REPLY_MS = 300_000

/** `null`: this message causes no request. */
export function asksAt(
  message: NewMessage,
  log: {
    readonly calls: Assumptions['calls']
    /** The time of the message before this one, and the time of this one. */
    readonly lastArrival: number
    readonly arrival: number
    /** The number of messages in the log so far. */
    readonly messages: number
  },
): Asked | null {
  const { calls, lastArrival, arrival, messages } = log
  if (calls !== 'replies') return (messages + 1) % calls === 0 ? { at: arrival, as: 'after' } : null
  if (message.role !== 'assistant' || messages === 0) return null
  if (arrival - lastArrival <= LATEST_REPLY_MS) return { at: lastArrival, as: 'answer' }
  return { at: arrival, as: 'unasked' }
}
