import assert from 'node:assert/strict'
import type { SpendLimits, Store } from '../../store/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases } from './contract-case.ts'
import { erase } from './erasing-kit.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 2, 2, 12)
const NO_LIMITS: SpendLimits = { calls: null, tokens: null, sessionCalls: null, sessionTokens: null }

interface Asked extends Partial<SpendLimits> {
  readonly id?: string
  readonly namespace?: string
  readonly model?: string
  readonly spends?: number
  readonly now?: number
}

function requestOf({
  id = 'chat',
  namespace = 'test',
  model = 'm',
  spends = 10,
  now = NOON,
  ...limits
}: Asked) {
  return {
    key: { namespace, id },
    request: { model, tokens: spends, now, limits: { ...NO_LIMITS, ...limits } },
  }
}

async function reserve(store: Store, asked: Asked) {
  const { key, request } = requestOf(asked)
  return store.spending.reserveCall(key, request)
}

async function isReserved(store: Store, asked: Asked): Promise<boolean> {
  return 'reserved' in (await reserve(store, asked))
}

async function limitOf(store: Store, asked: Asked) {
  const { key, request } = requestOf(asked)
  return store.spending.findSpendLimit(key, request)
}

async function speak(store: Store, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await new Chat(store, id).append(message('hello'))
}

export const spending = contractCases('spending', {
  'is counted over all processes, up to the limit and no further': async (store, open) => {
    const other = await open()
    const limits = { calls: 3 }
    assert.equal(await limitOf(store, limits), null)
    for (const each of [store, other, store]) assert.ok(await isReserved(each, limits))
    const reached = {
      ...{ model: 'm', scope: 'namespace', unit: 'calls', used: 3, limit: 3 },
      until: NOON + HOUR,
    }
    assert.deepEqual(await reserve(other, limits), { reached })
    assert.deepEqual(await reserve(store, { ...limits, now: NOON + HOUR - 1 }), { reached })
    assert.deepEqual(await limitOf(other, limits), reached)
    assert.ok(await isReserved(store, { calls: 4 }), 'a limit is as high as it is said to be now')
  },

  'begins anew with the next hour, in its own figures': async store => {
    const limits = { calls: 1, now: NOON + HOUR - 1 }
    assert.ok(await isReserved(store, limits))
    assert.equal(await isReserved(store, limits), false)
    assert.ok(await isReserved(store, { ...limits, now: NOON + HOUR }))
    assert.equal(await isReserved(store, { ...limits, now: NOON + HOUR + 1 }), false)
    assert.equal((await limitOf(store, limits))?.used, 1)
  },

  'is no more than the limit of calls, however many ask at once': async (store, open) => {
    const stores = [store, await open(), await open()]
    await speak(store, 'chat')
    const limits = { calls: 7, sessionCalls: 5 }
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => isReserved(stores[index % 3]!, limits)),
    )
    assert.equal(answers.filter(Boolean).length, 5)
    const others = await Promise.all(
      Array.from({ length: 30 }, (_, index) => isReserved(stores[index % 3]!, { ...limits, id: `${index}` })),
    )
    assert.equal(others.filter(Boolean).length, 2)
    assert.equal((await limitOf(store, { calls: 7 }))?.used, 7, 'what was refused left no trace')
  },

  'of tokens ends no call that began before the limit, and begins none after it': async store => {
    const limits = { tokens: 25, spends: 10 }
    for (const _ of [1, 2, 3]) assert.ok(await isReserved(store, limits))
    assert.deepEqual(await limitOf(store, limits), {
      ...{ model: 'm', scope: 'namespace', unit: 'tokens', used: 30, limit: 25 },
      until: NOON + HOUR,
    })
  },

  'is corrected by what a call took, in the hour in which it began': async store => {
    await speak(store, 'chat')
    const limits = { calls: 10, tokens: 100, sessionTokens: 100 }
    const first = await reserve(store, { ...limits, spends: 200 })
    assert.ok('reserved' in first)
    assert.equal((await limitOf(store, limits))?.used, 200)
    await store.spending.settleCall('test', first.reserved, { calls: 1, tokens: 30 })
    assert.equal(await limitOf(store, limits), null)
    assert.equal((await limitOf(store, { tokens: 30 }))?.used, 30)
    assert.equal((await limitOf(store, { sessionTokens: 30 }))?.used, 30)
    const second = await reserve(store, limits)
    assert.ok('reserved' in second)
    await store.spending.settleCall('test', second.reserved, { calls: 3, tokens: 75 })
    assert.deepEqual((await limitOf(store, { calls: 4 }))?.used, 4)
    assert.equal((await limitOf(store, limits))?.used, 105)
    const counted = [{ model: 'm', calls: 4, tokens: 105, since: NOON }]
    assert.deepEqual(await store.spending.readSpending('test', { now: NOON + 1 }), counted)
    assert.deepEqual(await store.spending.readSpending('test', { now: NOON + HOUR }), [])
    assert.deepEqual(await store.spending.readSpending('other', { now: NOON }), [])
    assert.equal(await limitOf(store, { ...limits, now: NOON + HOUR }), null)
  },

  'is that of a session, a model and a namespace, each by itself': async store => {
    await speak(store, 'one', 'two')
    const limits = { id: 'one', sessionCalls: 1 }
    assert.ok(await isReserved(store, limits))
    assert.equal((await limitOf(store, limits))?.scope, 'session')
    assert.ok(await isReserved(store, { ...limits, id: 'two' }))
    assert.ok(await isReserved(store, { ...limits, model: 'M' }))
    assert.equal(await isReserved(store, { ...limits, namespace: 'test', calls: 2 }), false)
    assert.equal((await limitOf(store, { calls: 2 }))?.used, 2, 'both sessions, one model')
    assert.ok(await isReserved(store, { calls: 1, namespace: 'other' }))
    const long = 'x'.repeat(3000)
    assert.ok(await isReserved(store, { calls: 1, model: long }))
    assert.ok(await isReserved(store, { calls: 1, model: `${long}y` }))
    assert.equal(await isReserved(store, { calls: 1, model: long }), false)
  },

  'needs no session': async store => {
    const asked = { id: 'nobody', calls: 2, sessionCalls: 1 }
    assert.ok(await isReserved(store, asked))
    assert.ok(await isReserved(store, asked))
    assert.equal((await limitOf(store, asked))?.scope, 'namespace')
  },

  'is forgotten some hours later, and settling it then is no error': async store => {
    const late = await reserve(store, { calls: 1 })
    assert.ok('reserved' in late)
    for (const hours of [1, 2, 3]) assert.ok(await isReserved(store, { calls: 1, now: NOON + hours * HOUR }))
    assert.equal(await limitOf(store, { calls: 1 }), null)
    assert.equal((await limitOf(store, { calls: 1, now: NOON + 2 * HOUR }))?.used, 1)
    await store.spending.settleCall('test', late.reserved, { calls: 1, tokens: 1_000 })
    assert.equal(await limitOf(store, { calls: 1 }), null)
  },

  'goes with its session, and with its namespace': async store => {
    await speak(store, 'one')
    const limits = { id: 'one', calls: 9, sessionCalls: 1 }
    assert.ok(await isReserved(store, limits))
    await erase(store, { kind: 'session', sessionId: 'one' })
    await speak(store, 'one')
    assert.equal(await limitOf(store, limits), null)
    assert.equal((await limitOf(store, { calls: 1 }))?.used, 1)
    await erase(store, { kind: 'namespace' })
    assert.equal(await limitOf(store, { calls: 1 }), null)
  },
})
