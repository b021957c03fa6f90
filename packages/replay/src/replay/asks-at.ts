import type { NewMessage } from 'palimpsest/internals/log/index'
import type { Assumptions } from '../comparison.ts'

/**
 * When a model is asked. `answer`: at once, when the message before came, for which this one is the answer.
 * `unasked`: later, for a message that nobody waited for. `after`: when this message is in the log.
 */
export interface Asked {
  readonly at: number
  readonly as: 'answer' | 'unasked' | 'after'
}

/** A reply that comes later than this was not asked for by the message before it. */
const LATEST_REPLY_MS = 300_000

/** `null`: nobody is asked because of this message. */
export function asksAt(
  message: NewMessage,
  log: {
    readonly calls: Assumptions['calls']
    /** Of the message before it, and its own. */
    readonly lastArrival: number
    readonly arrival: number
    /** In the log so far. */
    readonly messages: number
  },
): Asked | null {
  const { calls, lastArrival, arrival, messages } = log
  if (calls !== 'replies') return (messages + 1) % calls === 0 ? { at: arrival, as: 'after' } : null
  if (message.role !== 'assistant' || messages === 0) return null
  if (arrival - lastArrival <= LATEST_REPLY_MS) return { at: lastArrival, as: 'answer' }
  return { at: arrival, as: 'unasked' }
}
