import { describe, expect, test } from 'vitest'
import { attend, isNamed } from './attention.ts'
import type { IncomingMessage } from './channel.ts'
import type { GroupOptions, PrivateOptions } from './options.ts'

const said = (message: Partial<IncomingMessage> = {}): IncomingMessage => ({
  ...{ chat: '1', id: '1', sender: { id: '7' }, at: new Date(0), content: 'hello', kind: 'group' },
  ...message,
})
const inGroup = (message: Partial<IncomingMessage>, groups: GroupOptions = {}, sender = 't:7') =>
  attend(said(message), sender, { groups, privates: {} })
const inPrivate = (privates: PrivateOptions = {}, sender = 't:7') =>
  attend(said({ kind: 'private' }), sender, { groups: {}, privates })

describe('in a group', () => {
  test('what is not meant for the bot is seen, and triggers nothing', () => {
    expect(inGroup({})).toEqual({ isSeen: true, trigger: null })
  })

  test.each([
    ['mention', { mentionsBot: true }],
    ['reply', { repliesToBot: true }],
    ['name', { content: 'hey Pal, are you there?' }],
  ] as const)('a %s triggers, unless it is off', (trigger, message) => {
    const names = ['Pal']
    expect(inGroup(message, { names })).toEqual({ isSeen: true, trigger })
    expect(inGroup(message, { mention: false, reply: false })).toEqual({ isSeen: true, trigger: null })
  })

  test('who may be seen and who may trigger are said apart', () => {
    const mention = { mentionsBot: true }
    expect(inGroup(mention, { triggeredBy: ['t:8'] })).toEqual({ isSeen: true, trigger: null })
    expect(inGroup(mention, { triggeredBy: ['t:7'] })).toEqual({ isSeen: true, trigger: 'mention' })
    expect(inGroup({}, { seen: ['t:8'] })).toEqual({ isSeen: false, trigger: null })
    // What is answered is seen.
    expect(inGroup(mention, { seen: ['t:8'] })).toEqual({ isSeen: true, trigger: 'mention' })
    expect(inGroup({}, { seen: 'addressed' })).toEqual({ isSeen: false, trigger: null })
    expect(inGroup(mention, { seen: 'addressed', triggeredBy: [] })).toEqual({ isSeen: true, trigger: null })
  })
})

test('in private everything is meant for the bot, from those who may', () => {
  expect(inPrivate()).toEqual({ isSeen: true, trigger: 'private' })
  expect(inPrivate({ triggeredBy: ['t:8'] })).toEqual({ isSeen: true, trigger: null })
  expect(inPrivate({ triggeredBy: ['t:8'], seen: ['t:8'] })).toEqual({ isSeen: false, trigger: null })
})

test.each([
  ['Pal', 'pal: hello', true],
  ['Pal', 'HEY PAL!', true],
  ['Pal', 'a palace', false],
  ['Pal', 'my_pal', false],
  ['小明', '请问小明在吗', true],
  ['Zoë', 'zoë?', true],
  ['C++', 'ask C++ then', true],
  ['Pal', 'Ｐａｌ please', true],
  ['R2-D2', 'r2-d2 come', true],
])('the name %j in %j: %s', (name, text, expected) => {
  expect(isNamed(text, [name])).toBe(expected)
})
