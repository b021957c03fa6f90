import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import { SYSTEM_TIMERS, type Timers } from '../../timers.ts'
import { hideInValue, hideTokens } from './hide-token.ts'

export interface TelegramOptions {
  /** The token from @BotFather. It is never shown, not even in an error. */
  readonly token: string
  /** The address of your own Bot API server. The default: Telegram's. */
  readonly apiRoot?: string
  /** The first part of the ids of its sessions. The default: `telegram`. */
  readonly name?: string
  /** How many seconds Telegram waits for a message before it answers that there is none. The default: 30. */
  readonly pollTimeoutSec?: number
  /**
   * The shortest time between two edits of a message, in milliseconds. The default: 3,000, since groups allow
   * 20 a minute.
   */
  readonly editEveryMs?: number
  /** Photos of up to this many bytes are fetched for a model that can read them. The default: 0, none. */
  readonly maxImageBytes?: number
  /** The same for voice messages and other audio. */
  readonly maxAudioBytes?: number
  /** `plain`: Markdown is sent as it is written. The default: `markdown`, as Telegram's own formatting. */
  readonly format?: 'markdown' | 'plain'
  /** For tests. */
  readonly timers?: Timers
}

/** The options, checked, with the defaults filled in. */
export type TelegramSettings = Required<TelegramOptions>

/** Stands for the token in errors. */
export const TOKEN_NOT_SHOWN = '(not shown)'

/** The largest file that Telegram lets a bot fetch. */
const LARGEST_FILE_BYTES = 20_000_000

type Check = readonly [allowed: string, accepts: (value: unknown) => boolean]

/** Telegram waits no longer, even if a longer time is asked for. */
const MAX_POLL_SEC = 50

function bytes(): Check {
  const allowed = `a whole number of bytes from 0, which is off, to ${LARGEST_FILE_BYTES}`
  return [
    allowed,
    value => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST_FILE_BYTES,
  ]
}

/** What each option accepts. Also used for options that are read from a file. */
export const TELEGRAM_CHECKS = {
  token: [
    'a token as @BotFather gives it, 123456789:AAE…',
    // Long enough that hiding the secret half hides no other text.
    value => typeof value === 'string' && /^\d+:[\w-]{20,}$/.test(value),
  ],
  apiRoot: ['an http or https URL without token, query and fragment, https://api.telegram.org', isApiRoot],
  name: [
    '1 to 64 letters, digits, "_", "-" and "."',
    value => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value),
  ],
  pollTimeoutSec: [
    `a whole number of 1 to ${MAX_POLL_SEC}`,
    value => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_POLL_SEC,
  ],
  maxImageBytes: bytes(),
  maxAudioBytes: bytes(),
  format: ['markdown, plain', value => value === 'markdown' || value === 'plain'],
  editEveryMs: ['a number above 0', value => Number.isFinite(value) && (value as number) > 0],
} as const satisfies Readonly<Record<Exclude<keyof TelegramOptions, 'timers'>, Check>>

const OPTIONS = optionsOf<TelegramOptions>({
  token: true,
  apiRoot: true,
  name: true,
  pollTimeoutSec: true,
  editEveryMs: true,
  maxImageBytes: true,
  maxAudioBytes: true,
  format: true,
  timers: true,
})

export function readOptions(options: TelegramOptions): TelegramSettings {
  checkOptions('telegram', options, OPTIONS)
  const {
    token,
    apiRoot = 'https://api.telegram.org',
    name = 'telegram',
    pollTimeoutSec = 30,
    editEveryMs = 3_000,
    maxImageBytes = 0,
    maxAudioBytes = 0,
    format = 'markdown',
    timers = SYSTEM_TIMERS,
  } = options
  const limits = { maxImageBytes, maxAudioBytes }
  const given = { token, apiRoot, name, pollTimeoutSec, editEveryMs, ...limits, format }
  for (const [field, [allowed, accepts]] of Object.entries<Check>(TELEGRAM_CHECKS)) {
    const value = given[field as keyof typeof given]
    if (!accepts(value)) throw new InvalidArgumentError(field, shown(field, value), allowed)
  }
  return { ...given, apiRoot: new URL(apiRoot).href.replace(/\/+$/, ''), timers }
}

function isApiRoot(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return !/[?#]/.test(url.href) && hideTokens(url.href) === url.href
}

function shown(field: string, value: unknown): unknown {
  // An error may tell that the token is missing.
  if (field === 'token') return value === undefined || value === '' ? value : TOKEN_NOT_SHOWN
  return typeof value === 'string' ? hideInValue(value) : value
}
