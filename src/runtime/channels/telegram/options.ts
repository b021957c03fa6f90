import { checkPositive, InvalidArgumentError } from '../../../errors.ts'
import { SYSTEM_TIMERS, type Timers } from '../../timers.ts'
import { hideToken } from './hide-token.ts'

export interface TelegramOptions {
  /** From @BotFather. It is never shown, not in an error either. */
  readonly token: string
  /** Of a Bot API server of your own. The default: Telegram's. */
  readonly apiRoot?: string
  /** The first part of its sessions' ids. The default: `telegram`. */
  readonly name?: string
  /** How long Telegram waits for a message before it says that there is none. The default: 30. */
  readonly pollTimeoutSec?: number
  /** At the most one edit of a message in so many milliseconds. The default: 3,000, as groups allow 20 a minute. */
  readonly editEveryMs?: number
  /** For tests. */
  readonly timers?: Timers
}

/** Checked and filled in. */
export type TelegramSettings = Required<TelegramOptions>

/** What stands in an error in the place of a token. */
export const TOKEN_NOT_SHOWN = '(not shown)'

/** Long enough that hiding the secret half hides nothing else. */
const TOKEN = /^\d+:[\w-]{20,}$/
const NAME = /^[\w.-]{1,64}$/
/** Telegram waits no longer, whatever it is told. */
const LONGEST_POLL_SEC = 50

export function checkOptions(options: TelegramOptions): TelegramSettings {
  const {
    token,
    apiRoot = 'https://api.telegram.org',
    name = 'telegram',
    pollTimeoutSec = 30,
    editEveryMs = 3_000,
    timers = SYSTEM_TIMERS,
  } = options
  if (typeof token !== 'string' || !TOKEN.test(token))
    throw new InvalidArgumentError('token', TOKEN_NOT_SHOWN, 'a token as @BotFather gives it, 123456789:AAE…')
  if (typeof name !== 'string' || !NAME.test(name))
    throw new InvalidArgumentError('name', name, '1 to 64 letters, digits, "_", "-" and "."')
  if (!Number.isInteger(pollTimeoutSec) || pollTimeoutSec < 1 || pollTimeoutSec > LONGEST_POLL_SEC)
    throw new InvalidArgumentError(
      'pollTimeoutSec',
      pollTimeoutSec,
      `a whole number of 1 to ${LONGEST_POLL_SEC}`,
    )
  checkPositive('editEveryMs', editEveryMs)
  return { token, apiRoot: checkApiRoot(apiRoot, token), name, pollTimeoutSec, editEveryMs, timers }
}

function checkApiRoot(apiRoot: unknown, token: string): string {
  const url = typeof apiRoot === 'string' ? URL.parse(apiRoot) : null
  const isRoot = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
  if (isRoot && hideToken(url.href, token) === url.href) return url.href.replace(/\/+$/, '')
  const shown = typeof apiRoot === 'string' ? hideToken(apiRoot, token) : apiRoot
  throw new InvalidArgumentError(
    'apiRoot',
    shown,
    'an http or https URL without the token, https://api.telegram.org',
  )
}
