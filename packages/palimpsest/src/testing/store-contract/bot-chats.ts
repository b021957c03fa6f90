import assert from 'node:assert/strict'
import { Chat } from './chat.ts'
import { contractCases } from './contract-case.ts'
import { erase } from './erasing-kit.ts'

const HOUR = 3_600_000
const key = (id: string, namespace = 'test') => ({ namespace, id })

const aliases = contractCases('another name of a session', {
  'leads to it, in its namespace alone': async store => {
    const chat = new Chat(store, 'group:-42')
    await chat.say(2)
    assert.equal(await store.inbox.readAlias(key('group:-100')), null)
    assert.equal(await store.inbox.addAlias(chat.key, 'group:-100'), true)
    assert.equal(await store.inbox.addAlias(chat.key, 'group:-100'), true, 'again, it changes nothing')
    assert.equal(await store.inbox.readAlias(key('group:-100')), 'group:-42')
    assert.equal(await store.inbox.readAlias(key('group:-100', 'other')), null)
    assert.equal(await store.inbox.readAlias(chat.key), null, 'its own name is no alias')
  },

  'is none that another session bears or has': async store => {
    const [one, other] = [new Chat(store, 'one'), new Chat(store, 'other')]
    await one.say(1)
    await other.say(1)
    assert.equal(await store.inbox.addAlias(one.key, 'other'), false)
    assert.equal(await store.inbox.addAlias(one.key, 'one'), false)
    assert.equal(await store.inbox.addAlias(one.key, 'third'), true)
    assert.equal(await store.inbox.addAlias(other.key, 'third'), false)
    assert.equal(await store.inbox.readAlias(key('third')), 'one')
    assert.equal(await store.inbox.addAlias(key('nowhere'), 'fourth'), false)
  },

  'goes with the session': async store => {
    const chat = new Chat(store, 'one')
    await chat.say(1)
    await store.inbox.addAlias(chat.key, 'third')
    await erase(store, { kind: 'session', sessionId: 'one' })
    assert.equal(await store.inbox.readAlias(key('third')), null)
    const other = new Chat(store, 'other')
    await other.say(1)
    assert.equal(await store.inbox.addAlias(other.key, 'third'), true)
    assert.equal(await store.inbox.readAlias(key('third')), 'other')
  },
})

const allowances = contractCases('what is done so often an hour', {
  'is counted by what it is, in its session': async store => {
    const chat = new Chat(store, 'one')
    const other = new Chat(store, 'other')
    await chat.say(1)
    await other.say(1)
    const speak = { kind: 'speak', limit: 2, within: HOUR }
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, now: 1_000 }), true)
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, now: 2_000 }), true)
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, now: 3_000 }), false)
    assert.equal(await store.inbox.countAllowance(chat.key, { ...speak, now: 3_000 }), 2)
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, kind: 'answer', now: 3_000 }), true)
    assert.equal(await store.inbox.takeAllowance(other.key, { ...speak, now: 3_000 }), true)
    assert.equal(await store.inbox.countAllowance(chat.key, { ...speak, now: 1_000 + HOUR }), 1)
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, now: 1_000 + HOUR }), true)
  },

  'is nothing where there is no session': async store => {
    const speak = { kind: 'speak', limit: 2, within: HOUR, now: 1_000 }
    assert.equal(await store.inbox.takeAllowance(key('nowhere'), speak), false)
    assert.equal(await store.inbox.countAllowance(key('nowhere'), speak), 0)
  },

  'is not lost by a clock that was ahead': async store => {
    const chat = new Chat(store, 'one')
    await chat.say(1)
    const speak = { kind: 'speak', limit: 1, within: HOUR }
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, now: 9_000_000_000 }), true)
    assert.equal(await store.inbox.countAllowance(chat.key, { ...speak, now: 1_000 }), 0)
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, now: 1_000 }), true)
    assert.equal(await store.inbox.takeAllowance(chat.key, { ...speak, now: 1_000 }), false)
  },

  'is not done once too often by calls at once': async store => {
    const chat = new Chat(store, 'one')
    await chat.say(1)
    const takes = Array.from({ length: 12 }, () =>
      store.inbox.takeAllowance(chat.key, { kind: 'speak', limit: 5, within: HOUR, now: 1_000 }),
    )
    assert.equal((await Promise.all(takes)).filter(Boolean).length, 5)
  },
})

export const botChats = [...aliases, ...allowances]
