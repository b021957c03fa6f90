import type { Api } from 'grammy'
import { MissingPeerError } from 'palimpsest/internals/errors'
import { hideToken } from './hide-token.ts'
import type { TelegramSettings } from './options.ts'
import { TelegramFailure } from './telegram-failure.ts'

/** One call of the Bot API. Every error is a `TelegramFailure`. */
export type TelegramCall = <Result>(act: TelegramAct<Result>, signal?: AbortSignal) => Promise<Result>
export type TelegramAct<Result> = (api: Api, signal?: GrammySignal) => Promise<Result>

/** grammy uses the types of an older library for a class that Node has itself. */
type GrammySignal = NonNullable<Parameters<Api['getMe']>[0]>

type Connection = Pick<TelegramSettings, 'token' | 'apiRoot' | 'pollTimeoutSec'>

/** A silent connection is given up this long after Telegram should have answered. */
const PATIENCE_SEC = 15

/**
 * Only this file loads grammy. Its errors hold URLs with the token in them: none of them leaves this file.
 */
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

/** Prefers the code: the message adds only a URL. */
function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && code !== '') return code
  return typeof message === 'string' && message !== '' ? message : String(error)
}
