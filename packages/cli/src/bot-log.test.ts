import { UpdateError } from '@palimpsest/bot/internals/channels/telegram/update-error'
import { InvalidArgumentError, InvalidMessageError, StoreError } from 'palimpsest/internals/errors'
import { expect, test } from 'vitest'
import { describeReply, reasonOf } from './bot-log.ts'

const SAID = 'The door code is 4711.'
const repeating = new InvalidMessageError('sender.name', SAID, 'text')
const busy = new StoreError('store_busy', 'SQLite', 'The database is busy.')

test('what could repeat what somebody said is named by its code, also as a cause', () => {
  expect(reasonOf(repeating)).toBe('invalid_message')
  expect(reasonOf(new InvalidArgumentError('text', SAID, 'less'))).toBe('invalid_argument')
  const wrapped = new Error(`It went wrong: ${String(repeating)}`, { cause: repeating })
  expect(reasonOf(wrapped)).toMatch(/^Error at [^ ]+, caused by invalid_message$/)
})

test('an update of Telegram is named, with why it was not taken as far as that may be said', () => {
  expect(reasonOf(new UpdateError('Update 7 was passed over', repeating))).toBe(
    'Update 7 was passed over: invalid_message',
  )
  expect(reasonOf(new UpdateError('Update 7 was passed over', new Error('x', { cause: repeating })))).toEqual(
    expect.stringMatching(/^Update 7 was passed over: Error: Error at [^ ]+, caused by invalid_message$/),
  )
  expect(reasonOf(new UpdateError('Update 7 is tried again', busy))).toBe(
    'Update 7 is tried again: store_busy: SQLite: The database is busy.',
  )
})

test('of other errors the kind and the place are told, and no words', () => {
  expect(reasonOf(new Error('Overloaded\nat once'))).toMatch(/^Error at .*bot-log\.test\.ts:\d+:\d+$/)
  expect(reasonOf('gone')).toBe('a thrown string')
})

test('causes that go round in a circle', () => {
  const first = new Error('first')
  first.cause = new Error('second', { cause: first })
  expect(reasonOf(first)).toMatch(/^Error at [^ ]+, caused by Error at [^ ]+$/)
})

test('an answer that was not delivered', () => {
  const report = { sessionId: 'telegram:42', seqs: [118], trigger: 'private', text: SAID } as const
  expect(
    describeReply({ ...report, outcome: 'failed', attempts: 4, error: new Error('Overloaded') } as never),
  ).toMatch(/^telegram:42 118: failed after 4 attempts: Error at /)
})

test('a mistake in the code of a bot says what it is and where', () => {
  expect(reasonOf(new TypeError('x is not a function'))).toMatch(
    /^TypeError \(x is not a function\) at .*bot-log\.test\.ts:\d+:\d+$/,
  )
})
