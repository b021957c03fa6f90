import { InvalidArgumentError } from '../../../errors.ts'
import {
  type Channel,
  type ChannelHost,
  DeliveryError,
  type OutgoingMessage,
  type Place,
} from '../../channel.ts'
import { connect, type TelegramAct, type TelegramCall } from './client.ts'
import { deliveryErrorOf, isNotModified } from './delivery-error.ts'
import { readOptions, type TelegramOptions } from './options.ts'
import { pollUpdates } from './poll-updates.ts'

const MOST_CHARACTERS = 4_096

/**
 * Chats of a Telegram bot, by long polling: no address that Telegram could reach is needed. A message is confirmed to
 * Telegram when the host has it, and sent as plain text, in which nothing can be malformed.
 */
export function telegram(options: TelegramOptions): Channel {
  const settings = readOptions(options)
  let connecting: Promise<TelegramCall> | null = null
  let polling: { readonly abort: AbortController; readonly done: Promise<void> } | null = null

  const connected = () => {
    connecting ??= connect(settings)
    return connecting
  }
  const deliver = async <Result>(act: TelegramAct<Result>): Promise<Result> => {
    const call = await connected()
    return call(act).catch(failure => {
      throw deliveryErrorOf(failure)
    })
  }

  return {
    name: settings.name,
    mostCharacters: MOST_CHARACTERS,
    edits: true,
    editEveryMs: settings.editEveryMs,

    async start(host: ChannelHost) {
      if (polling)
        throw new InvalidArgumentError('start', settings.name, 'one start; stop it before the next')
      const abort = new AbortController()
      const connection = connected()
      const done = connection.then(
        call =>
          pollUpdates({ ...settings, call, host, signal: abort.signal }).catch(error => host.onFatal(error)),
        // The caller of start hears of it.
        () => {
          polling = null
        },
      )
      polling = { abort, done }
      await connection
    },

    async stop() {
      const stopped = polling
      stopped?.abort.abort()
      await stopped?.done
      if (polling === stopped) polling = null
    },

    async send(message) {
      checkText(message)
      const { message_id } = await deliver(api =>
        api.sendMessage(message.chat, message.text, {
          ...threadOf(message),
          ...(message.replyTo !== null && {
            reply_parameters: { message_id: Number(message.replyTo), allow_sending_without_reply: true },
          }),
        }),
      )
      return { id: String(message_id) }
    },

    async edit(message) {
      checkText(message)
      await deliver(api => api.editMessageText(message.chat, Number(message.id), message.text)).catch(
        error => {
          if (!isNotModified(error)) throw error
        },
      )
    },

    async typing(place) {
      await deliver(api => api.sendChatAction(place.chat, 'typing', threadOf(place)))
    },
  }
}

function threadOf({ thread }: Place): { message_thread_id?: number } {
  return thread === undefined ? {} : { message_thread_id: Number(thread) }
}

/** Telegram strips white space, and refuses what is left if that is nothing. */
function checkText({ text }: OutgoingMessage): void {
  if (text.trim() === '')
    throw new DeliveryError('An empty message cannot be sent to Telegram.', { isFinal: true })
}
