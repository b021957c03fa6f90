import { DeliveryError } from '../../channel.ts'
import type { TelegramFailure } from './telegram-failure.ts'

/** Blocked or kicked, or a request that is refused as it is: Telegram's answer to it stays the same. */
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

/** Formatting that Telegram does not take, as an address of a link that is none: the text itself may be taken. */
export function isAboutFormatting(error: unknown): boolean {
  return error instanceof DeliveryError && error.isFinal && /entit|parse|url/i.test(error.message)
}

/** An edit that changes nothing is as good as made. */
export function isNotModified(error: unknown): boolean {
  return error instanceof DeliveryError && error.message.includes('message is not modified')
}
