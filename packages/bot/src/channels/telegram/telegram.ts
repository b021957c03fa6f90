import type { MessageEntity } from 'grammy/types'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import {
  type Channel,
  type ChannelHost,
  DeliveryError,
  type OutgoingMessage,
  type Place,
} from '../../channel.ts'
import { connect, type TelegramAct, type TelegramCall } from './client.ts'
import { deliveryErrorOf, isAboutFormatting, isNotModified } from './delivery-error.ts'
import { fetchFile } from './fetch-file.ts'
import { formattedText } from './formatted-text.ts'
import { readOptions, type TelegramOptions } from './options.ts'
import { pollUpdates } from './poll-updates.ts'

const MAX_CHARACTERS = 4_096

/**
 * The chats of a Telegram bot, by long polling: Telegram needs no address that it could reach. A message is
 * confirmed to Telegram when the host has it. Replies are sent in Telegram's own formatting, or as plain text
 * where Telegram refuses the formatting.
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

  const inFormat = async <Result>(
    { text, isPlain }: OutgoingMessage,
    send: (said: { text: string; entities?: MessageEntity[] }) => Promise<Result>,
  ): Promise<Result> => {
    const formatted = isPlain || settings.format === 'plain' ? null : formattedText(text)
    if (formatted === null || formatted.text === '') return send({ text })
    const { entities } = formatted
    if (entities.length === 0) return send({ text: formatted.text })
    return send({ text: formatted.text, entities: [...entities] }).catch(error => {
      if (isAboutFormatting(error)) return send({ text })
      throw error
    })
  }

  return {
    name: settings.name,
    mostCharacters: MAX_CHARACTERS,
    edits: true,
    editEveryMs: settings.editEveryMs,
    moves: true,

    async start(host: ChannelHost) {
      if (polling)
        throw new InvalidArgumentError('start', settings.name, 'one start; stop it before the next')
      const abort = new AbortController()
      const connection = connected()
      const done = connection.then(
        call =>
          pollUpdates({ ...settings, call, host, signal: abort.signal }).catch(error => host.onFatal(error)),
        // The caller of `start` gets the error.
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
      const { message_id } = await inFormat(message, ({ text, ...formatting }) =>
        deliver(api =>
          api.sendMessage(message.chat, text, {
            ...threadOf(message),
            ...formatting,
            ...(message.replyTo !== null && {
              reply_parameters: { message_id: Number(message.replyTo), allow_sending_without_reply: true },
            }),
          }),
        ),
      )
      return { id: String(message_id) }
    },

    async edit(message) {
      checkText(message)
      await inFormat(message, ({ text, ...formatting }) =>
        deliver(api => api.editMessageText(message.chat, Number(message.id), text, formatting)),
      ).catch(error => {
        if (!isNotModified(error)) throw error
      })
    },

    async fetch(attachment, signal) {
      return fetchFile(attachment, { call: await connected(), settings, signal })
    },

    async typing(place) {
      await deliver(api => api.sendChatAction(place.chat, 'typing', threadOf(place)))
    },
  }
}

function threadOf({ thread }: Place): { message_thread_id?: number } {
  return thread === undefined ? {} : { message_thread_id: Number(thread) }
}

/** Telegram strips white space, and refuses a message that is empty then. */
function checkText({ text }: OutgoingMessage): void {
  if (text.trim() === '')
    throw new DeliveryError('An empty message cannot be sent to Telegram.', { isFinal: true })
}
