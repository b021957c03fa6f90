import type { Api } from 'grammy'
import { MissingPeerError } from 'palimpsest/internals/errors'
import { hideToken } from './hide-token.ts'
import type { TelegramSettings } from './options.ts'
import { TelegramFailure } from './telegram-failure.ts'

/** One call of the Bot API. Whatever goes wrong is a `TelegramFailure`. */
export type TelegramCall = <Result>(act: TelegramAct<Result>, signal?: AbortSignal) => Promise<Result>
export type TelegramAct<Result> = (api: Api, signal?: GrammySignal) => Promise<Result>

/** grammy has the types of an older library for what Node has itself. */
type GrammySignal = NonNullable<Parameters<Api['getMe']>[0]>

type Connection = Pick<TelegramSettings, 'token' | 'apiRoot' | 'pollTimeoutSec'>

/** A connection that went dead in silence is given up so long after Telegram should have answered. */
const PATIENCE_SEC = 15

/** grammy is loaded only here. Its errors hold URLs, and with them the token: none of them leaves this file. */
export async function connect({ token, apiRoot, pollTimeoutSec }: Connection): Promise<TelegramCall> {
  const { Api, GrammyError, HttpError } = await import('grammy').catch(cause => {
    throw new MissingPeerError('grammy', 'The Telegram channel', cause)
  })
  const api = new Api(token, { apiRoot, timeoutSeconds: pollTimeoutSec + PATIENCE_SEC })

  const failureOf = (error: unknown): TelegramFailure => {
    if (error instanceof GrammyError) {
      const { retry_after: seconds, migrate_to_chat_id: movedTo } = error.parameters
      return new TelegramFailure(hideToken(error.description, token), {
        status: error.error_code,
        retryAfterMs: seconds === undefined ? null : seconds * 1_000,
        movedTo: movedTo === undefined ? null : String(movedTo),
      })
    }
    const reason = reasonOf(error instanceof HttpError ? error.error : error)
    return new TelegramFailure(`no proper answer: ${hideToken(reason, token)}`, {
      status: null,
      retryAfterMs: null,
      movedTo: null,
    })
  }

  return async (act, signal) => {
    try {
      return await act(api, signal as GrammySignal | undefined)
    } catch (error) {
      throw failureOf(error)
    }
  }
}

/** A code says as much as the sentence around it, which is about a URL. */
function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && code !== '') return code
  return typeof message === 'string' && message !== '' ? message : String(error)
}
