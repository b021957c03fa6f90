import { DeliveryError } from '../../channel.ts'
import type { TelegramFailure } from './telegram-failure.ts'

/** The bot is blocked or kicked, or the request is wrong. Telegram's answer would stay the same. */
const FINAL = [400, 403]

export function deliveryErrorOf(failure: TelegramFailure): DeliveryError {
  const { message, status, retryAfterMs, movedTo } = failure
  return new DeliveryError(`Telegram did not take it: ${message}`, {
    ...(retryAfterMs !== null && { retryAfterMs }),
    ...(movedTo !== null && { movedTo }),
    isFinal: status !== null && FINAL.includes(status),
    cause: failure,
  })
}

/**
 * Telegram refuses the formatting, for example a link with a wrong address. It may still take the plain text.
 */
export function isAboutFormatting(error: unknown): boolean {
  return error instanceof DeliveryError && error.isFinal && /entit|parse|url/i.test(error.message)
}

/** The message already has this text, so the edit counts as made. */
export function isNotModified(error: unknown): boolean {
  return error instanceof DeliveryError && error.message.includes('message is not modified')
}
