import type { Update } from 'grammy/types'
import { ERROR_CODES, PalimpsestError } from 'palimpsest/internals/errors'
import { pause } from '../../bounded.ts'
import type { ChannelHost } from '../../channel.ts'
import type { Timers } from '../../timers.ts'
import { backOffMs } from './back-off.ts'
import { type BotIdentity, type ReadUpdate, readUpdate } from './read-update.ts'
import { UpdateError } from './update-error.ts'

interface TakeOptions {
  readonly bot: BotIdentity
  readonly host: ChannelHost
  readonly timers: Timers
  readonly signal: AbortSignal
}

/**
 * How often an update is tried after an unexpected error, over two minutes. After that the update itself is
 * to blame.
 */
const MAX_ATTEMPTS = 10
/** The exit code of `sysexits.h` for “try again”. */
const EXIT_TEMPORARY = 75

/**
 * Gives an update to the host until the host has it. `false`: the channel was stopped before that, and the
 * update has to come again. An update that cannot be read, or that the host will never take, is skipped, so
 * that it does not hold up all others.
 */
export async function takeUpdate(update: Update, options: TakeOptions): Promise<boolean> {
  const { host, timers, signal } = options
  const about = `Update ${update.update_id}`
  let read: ReadUpdate | null
  try {
    read = readUpdate(update, options.bot)
  } catch (error) {
    host.onError(new UpdateError(`${about} cannot be read and was passed over`, error))
    return true
  }
  for (let attempts = 1; !signal.aborted; attempts++) {
    try {
      await hand(read, options)
      return true
    } catch (error) {
      if (!isWorthAnother(error, attempts)) {
        host.onError(new UpdateError(`${about} was passed over`, error))
        return true
      }
      if (attempts === 1)
        host.onError(new UpdateError(`${about} could not be taken yet and is tried again`, error))
      await pause(backOffMs(attempts), signal, timers)
    }
  }
  return false
}

async function hand(read: ReadUpdate | null, { host }: TakeOptions): Promise<void> {
  switch (read?.type) {
    case 'message':
      await host.receive(read.message)
      return
    case 'edited':
      await host.edited(read.message)
      return
    case 'moved':
      await host.moved(read.from, read.to)
  }
}

/**
 * A database that is busy, full or away says nothing about the message: that attempt is repeated without an
 * end.
 */
function isWorthAnother(error: unknown, attempts: number): boolean {
  if (!PalimpsestError.isInstance(error) || !(error.code in ERROR_CODES)) return attempts < MAX_ATTEMPTS
  const { status, exit } = ERROR_CODES[error.code]
  if (error.code.startsWith('store_') || error.code === 'closed' || exit === EXIT_TEMPORARY) return true
  return status >= 500 && attempts < MAX_ATTEMPTS
}
