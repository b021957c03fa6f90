import { DeliveryError } from '@palimpsest/bot/internals/channel'
import { TelegramFailure } from '@palimpsest/bot/internals/channels/telegram/telegram-failure'
import { UpdateError } from '@palimpsest/bot/internals/channels/telegram/update-error'
import type { ReplyReport } from '@palimpsest/bot/internals/options'
import { describeError } from 'palimpsest/internals/errors'

/** Names ids and reasons. It never tells what was said. */
export function describeReply({ sessionId, seqs, outcome, attempts, error }: ReplyReport): string {
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const reason = error === undefined ? '' : `: ${reasonOf(error)}`
  return `${sessionId} ${seqs.join(', ')}: ${outcome} after ${times}${reason}`
}

/** An error of ours names what Telegram did not take. The cause of that error tells why. */
export function reasonOf(error: unknown): string {
  // The message is in Telegram's words. They tell of the chat and not of the text.
  if (error instanceof DeliveryError && error.cause instanceof TelegramFailure) return error.message
  if (error instanceof UpdateError) {
    const why = describeError(error.cause)
    return error.message.endsWith(`: ${why}`) ? error.message : `${error.message}: ${why}`
  }
  return describeError(error)
}
