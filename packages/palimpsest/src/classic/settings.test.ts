import { expect, test } from 'vitest'
import { sqlitePlace } from '../../../../test/stores.ts'
import { InvalidArgumentError, InvalidSettingsError } from '../errors.ts'
import { extractive, type Summarizer } from '../summarizer/index.ts'
import { createClassic } from './index.ts'
import { changeSettings, DEFAULT_SETTINGS } from './settings.ts'

test('those of the resize policy are there, under their new names', () => {
  expect(DEFAULT_SETTINGS).toMatchObject({
    everyNTurns: 8,
    maxMessagesTextLength: 12_000,
    maxKeepMessagesCount: null,
    turnUnit: 'message',
  })
})

test('the older names are taken, and the new one wins', () => {
  for (const name of ['session.resize.every_n_turns', 'every_n_turns'] as const)
    expect(changeSettings(DEFAULT_SETTINGS, { [name]: 3 }).everyNTurns).toBe(3)
  for (const name of [
    'session.resize.max_messages_text_length',
    'max_messages_text_length',
    'session.resize.max_current_chars',
    'max_current_chars',
  ] as const)
    expect(changeSettings(DEFAULT_SETTINGS, { [name]: '500' }).maxMessagesTextLength).toBe(500)
  for (const name of [
    'session.resize.max_keep_messages_count',
    'session.resize.keep_last_messages',
    'keep_last_messages',
  ] as const)
    expect(changeSettings(DEFAULT_SETTINGS, { [name]: 2 }).maxKeepMessagesCount).toBe(2)
  expect(
    changeSettings(DEFAULT_SETTINGS, { max_current_chars: 1, maxMessagesTextLength: 2 })
      .maxMessagesTextLength,
  ).toBe(2)
})

test('what is given later holds, under whichever name; the rest stays', () => {
  const first = changeSettings(DEFAULT_SETTINGS, { everyNTurns: 2, turnUnit: 'reply' })
  const second = changeSettings(first, { 'session.resize.every_n_turns': 5 })
  expect(second).toEqual({ ...DEFAULT_SETTINGS, everyNTurns: 5, turnUnit: 'reply' })
  expect(changeSettings(second, { everyNTurns: 0 }).everyNTurns).toBe(null)
  expect(changeSettings(second, { everyNTurns: undefined as never })).toEqual(second)
  expect(Object.isFrozen(second)).toBe(true)
})

test('the memo has four instructions, or those of session.memo.instruct', async ({ onTestFinished }) => {
  expect(DEFAULT_SETTINGS.memoInstructions).toHaveLength(4)
  const own = changeSettings(DEFAULT_SETTINGS, { 'session.memo.instruct': ['Keep names.', 'Keep dates.'] })
  expect(own.memoInstructions).toEqual(['Keep names.', 'Keep dates.'])
  expect(changeSettings(own, { memoInstructions: 'Keep sums.\nKeep days.' }).memoInstructions).toHaveLength(2)
  expect(changeSettings(own, { memoInstructions: null })).toEqual(DEFAULT_SETTINGS)
  const both = { 'session.memo.instruct': 'older', memoInstructions: 'newer' }
  expect(changeSettings(own, both).memoInstructions).toEqual(['newer'])
  const wrong = { 'session.memo.instruct': 3 } as never
  expect(() => changeSettings(own, wrong)).toThrow('session.memo.instruct: 3 cannot be taken')
  const place = sqlitePlace()
  onTestFinished(() => place.remove())
  const heard: (readonly string[])[] = []
  const summarizer: Summarizer = {
    ...extractive(),
    name: 'scripted',
    summarize: request => {
      if (request.memo) heard.push(request.memo.instructions)
      return extractive().summarize(request)
    },
  }
  const settings = { everyNTurns: 2, 'session.memo.instruct': 'Keep names.' } as const
  await using classic = await createClassic({ store: await place.open(), summarizer, settings })
  const words = Array.from(
    { length: 40 },
    (_, index) => `Ann sends ${index} crates of lemons to Porto. `,
  ).join('')
  const said = Array.from({ length: 8 }, () => ({ role: 'user', content: words }) as const)
  for (const [id, given] of [
    ['all', {}],
    ['own', { 'session.memo.instruct': ['Keep dates.'] }],
  ] as const) {
    const session = await classic.session(id, given)
    await session.append(said)
    await session.resize({ force: 'deep' })
  }
  expect(heard).toContainEqual(['Keep names.'])
  expect(heard).toContainEqual(['Keep dates.'])
})

test('what is unknown or wrong is named', () => {
  const given = { every: 1, turnUnit: 'day', 'session.resize.mode': 'x' } as never
  expect(() => changeSettings(DEFAULT_SETTINGS, given)).toThrow(InvalidSettingsError)
  for (const name of ['every is no setting', 'session.resize.mode is no setting', 'turnUnit: "day"'])
    expect(() => changeSettings(DEFAULT_SETTINGS, given)).toThrow(name)
  for (const wrong of [null, 'x', []])
    expect(() => changeSettings(DEFAULT_SETTINGS, wrong as never)).toThrow(InvalidArgumentError)
})

test('a session has its own over those of all, and refuses what it cannot take', async ({
  onTestFinished,
}) => {
  const place = sqlitePlace()
  onTestFinished(() => place.remove())
  const store = await place.open()
  for (const odd of [
    { policy: () => null },
    { handlers: {} },
    { folding: 'background' },
    { settings: { x: 1 } },
  ])
    await expect(createClassic({ store, ...odd } as never)).rejects.toThrow(/cannot be taken|is no setting/)
  await using classic = await createClassic({ store, settings: { everyNTurns: 3, max_current_chars: 100 } })
  const session = await classic.session('chat', { 'session.resize.every_n_turns': 4 })
  expect(session.settings).toMatchObject({ everyNTurns: 4, maxMessagesTextLength: 100 })
  expect((await classic.session('other')).settings).toMatchObject({ everyNTurns: 3 })
  await expect(classic.session('chat', { nothing: 1 } as never)).rejects.toThrow('nothing is no setting')
  expect(() => session.setSettings({ nothing: 1 } as never)).toThrow(InvalidSettingsError)
  expect(session.settings.everyNTurns).toBe(4)
  await session.append({ role: 'user', content: 'words '.repeat(4_000) })
  session.setSettings({ budget: 900 })
  expect((await session.context()).report).toMatchObject({ budget: 900 })
  expect((await session.context({ budget: 700 })).report).toMatchObject({ budget: 700 })
})
