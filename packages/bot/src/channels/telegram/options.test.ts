import { inspect } from 'node:util'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { expect, test } from 'vitest'
import { telegram } from './index.ts'
import type { TelegramOptions } from './options.ts'

const TOKEN = '123456:AAE-secret-half-of-the-token'

test('what a channel of Telegram can do', () => {
  const channel = telegram({ token: TOKEN })
  expect(channel).toMatchObject({ name: 'telegram', mostCharacters: 4_096, edits: true })
  expect(channel).toMatchObject({ editEveryMs: 3_000 })
  expect(telegram({ token: TOKEN, name: 'support', editEveryMs: 500 })).toMatchObject({
    name: 'support',
    editEveryMs: 500,
  })
})

test.each<[string, Partial<TelegramOptions>, RegExp]>([
  [
    'no colon',
    { token: 'secret-half-of-the-token' },
    /^token: "\(not shown\)" cannot be taken; allowed: a token as/,
  ],
  ['no token', { token: undefined as never }, /^token: /],
  ['a space', { token: `${TOKEN} ` }, /^token: /],
  [
    'not a URL',
    { apiRoot: 'api.telegram.org' },
    /^apiRoot: "api.telegram.org" .* allowed: an http or https URL/,
  ],
  ['another protocol', { apiRoot: 'ftp://api.telegram.org' }, /^apiRoot: /],
  [
    'the token in it',
    { apiRoot: `https://api.telegram.org/bot${TOKEN}` },
    /^apiRoot: ".*\/bot123456:\*\*\*"/,
  ],
  [
    'a password and a query',
    { apiRoot: 'http://bob:secret-half@127.0.0.1/?x=1' },
    /^apiRoot: "http:\/\/\*\*\*@127/,
  ],
  [
    'another token in it',
    { apiRoot: 'https://t.org/bot77:AAE-secret-half-of-another' },
    /^apiRoot: ".*bot77:\*\*\*"/,
  ],
  ['an empty name', { name: '' }, /^name: "" cannot be taken/],
  ['a colon', { name: 'a:b' }, /^name: /],
  ['no polling', { pollTimeoutSec: 0 }, /^pollTimeoutSec: 0 .* allowed: a whole number of 1 to 50/],
  ['too long', { pollTimeoutSec: 51 }, /^pollTimeoutSec: 51/],
  ['half a byte', { maxImageBytes: 0.5 }, /^maxImageBytes: 0.5 .* allowed: a whole number of bytes/],
  ['more than Telegram gives', { maxAudioBytes: 30_000_000 }, /^maxAudioBytes: /],
  ['another format', { format: 'html' as never }, /^format: "html" .* allowed: markdown, plain/],
  ['no number', { editEveryMs: Number.NaN }, /^editEveryMs: /],
])('refused, with what is allowed: %s', (_, options, message) => {
  const refused = () => telegram({ token: TOKEN, ...options })
  expect(refused).toThrow(InvalidArgumentError)
  expect(refused).toThrow(message)
  expect(inspect(thrownBy(refused), { depth: 9 })).not.toContain('secret-half')
})

function thrownBy(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
