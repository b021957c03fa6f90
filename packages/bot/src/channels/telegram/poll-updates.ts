import type { Update } from 'grammy/types'
import { ChannelFailedError, InvalidArgumentError } from 'palimpsest/internals/errors'
import { pause } from '../../bounded.ts'
import type { ChannelHost } from '../../channel.ts'
import type { Timers } from '../../timers.ts'
import { backOffMs } from './back-off.ts'
import type { TelegramAct, TelegramCall } from './client.ts'
import { TOKEN_NOT_SHOWN } from './options.ts'
import { takeUpdate } from './take-update.ts'
import type { TelegramFailure } from './telegram-failure.ts'

export interface PollOptions {
  readonly call: TelegramCall
  readonly host: ChannelHost
  readonly name: string
  readonly apiRoot: string
  readonly pollTimeoutSec: number
  readonly timers: Timers
  readonly signal: AbortSignal
}

const ALLOWED_UPDATES = ['message', 'edited_message'] as const
/** Fewer failures in a row are not reported: connections break now and then. */
const FAILURES_TO_REPORT = 3
/** The longest wait for the last confirmation when the channel stops. */
const CONFIRM_MS = 3_000

/**
 * Receives until it is stopped. This is a loop of our own because grammy's confirms an update before it was
 * handled. Here `offset` passes an update only when the host has it. An update that was not confirmed comes
 * again. Throws an error where no further attempt would help.
 */
export async function pollUpdates(options: PollOptions): Promise<void> {
  const { host, timers, signal } = options
  const bot = await insist(options, (api, stopped) => api.getMe(stopped))
  // Telegram sends updates either to a webhook or to a poller. Updates that waited for the webhook are kept.
  const isPolled = bot && (await insist(options, (api, stopped) => api.deleteWebhook({}, stopped)))
  if (!isPolled) return
  let offset = 0
  let confirmed = 0
  while (!signal.aborted) {
    const updates = await insist(options, (api, stopped) => api.getUpdates(request(options, offset), stopped))
    if (!updates) break
    confirmed = offset
    for (const update of updates) {
      if (!(await takeUpdate(update, { bot, host, timers, signal }))) break
      offset = update.update_id + 1
    }
  }
  if (offset > confirmed) await confirm(options, offset)
}

function request({ pollTimeoutSec }: PollOptions, offset: number) {
  return {
    offset,
    timeout: pollTimeoutSec,
    allowed_updates: ALLOWED_UPDATES satisfies readonly (keyof Update)[],
  }
}

/** Repeats a call until Telegram answers. `null`: the channel was stopped. */
async function insist<Result>(
  { call, apiRoot, name, host, timers, signal }: PollOptions,
  act: TelegramAct<Result>,
): Promise<Result | null> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      return await call(act, signal)
    } catch (error) {
      if (signal.aborted) break
      const failure = error as TelegramFailure
      const fatal = fatalErrorOf(failure, { apiRoot, name })
      if (fatal) throw fatal
      if (failures === FAILURES_TO_REPORT)
        host.onError(new Error(`Nothing can be received for now (${failure.message}). It is tried again.`))
      await pause(failure.retryAfterMs ?? backOffMs(failures), signal, timers)
    }
  }
  return null
}

function fatalErrorOf(
  { status, message }: TelegramFailure,
  { apiRoot, name }: Pick<PollOptions, 'apiRoot' | 'name'>,
): Error | null {
  switch (status) {
    case 401:
    case 404:
      return new InvalidArgumentError(
        'token',
        TOKEN_NOT_SHOWN,
        `the token of a bot that ${new URL(apiRoot).host} knows (it said: ${message}); @BotFather shows it and makes new ones`,
      )
    case 409:
      return new ChannelFailedError(
        name,
        `another program receives the messages of this Telegram bot (${message}). ` +
          'Only one can: end the other one, or use a bot of its own for each.',
      )
    default:
      return null
  }
}

/**
 * Confirms the last updates, so that they do not come again. If it fails they come again, and the host
 * recognises them by their ids.
 */
async function confirm({ call, timers }: PollOptions, offset: number): Promise<void> {
  const patience = new AbortController()
  const timer = timers.setTimeout(() => patience.abort(), CONFIRM_MS)
  await call((api, late) => api.getUpdates({ offset, limit: 1, timeout: 0 }, late), patience.signal).catch(
    () => {},
  )
  timers.clearTimeout(timer)
}
