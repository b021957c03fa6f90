import assert from 'node:assert/strict'
import { tokens, window } from '../../policy/index.ts'
import type { ExtractionRules } from '../../store/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** How far ahead the clock of the other process was. */
const AHEAD = 30 * DAY
const IDLE = tokens({ budget: 160, idleSec: 300 })
const COOLDOWN = window({
  contextSize: 1000,
  tailKeepSize: 2,
  compressionWindowSize: 900,
  compressionCooldownSec: 600,
  compressionHardLimit: 950,
})

async function chatAhead(chat: Chat, messages: number): Promise<void> {
  chat.now += AHEAD
  await chat.say(messages)
  chat.now -= AHEAD
}

export const clocks = contractCases('a clock that was wrong', {
  'a lease on a session from it is over, and its holder can commit nothing': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(12)
    chat.now += AHEAD
    const commit = await chat.prepareFold(8)
    chat.now -= AHEAD
    const other = await open()
    const lease = await other.folds.acquireLease(chat.key, { owner: 'other', ttlMs: MINUTE, now: chat.now })
    assert.ok(lease!.token > commit.leaseToken)
    await refuses(store.folds.commitFold(commit), 'lease_lost')
    assert.equal(
      await store.folds.acquireLease(chat.key, { owner: 'third', ttlMs: MINUTE, now: chat.now }),
      null,
    )
  },

  'a lease of a clock that differs by a little is a lease': async store => {
    const chat = new Chat(store)
    await chat.say(2)
    const take = (owner: string, now: number) =>
      store.folds.acquireLease(chat.key, { owner, ttlMs: MINUTE, now })
    assert.ok(await take('a', chat.now + MINUTE))
    assert.equal(await take('b', chat.now), null)
    const named = (owner: string, now: number) =>
      store.leases.takeLease('test', { name: 'mirror', owner, ttlMs: MINUTE, now })
    assert.ok(await named('a', chat.now + MINUTE))
    assert.equal(await named('b', chat.now), null)
  },

  'a lease by name from it is over; one that may be held for long is not': async store => {
    const take = (owner: string, now: number, more: { ttlMs?: number; longestMs?: number } = {}) =>
      store.leases.takeLease('test', { name: 'mirror', owner, ttlMs: MINUTE, now, ...more })
    const first = await take('a', AHEAD)
    const second = await take('b', 0)
    assert.ok(second!.token > first!.token)
    assert.equal(await take('c', 0), null)
    await take('b', 0, { ttlMs: AHEAD })
    assert.equal(await take('c', 0, { longestMs: AHEAD }), null)
  },

  'a back-off from it is over': async store => {
    const chat = new Chat(store)
    await chat.say(25)
    const lease = await store.folds.acquireLease(chat.key, {
      owner: 'a',
      ttlMs: MINUTE,
      now: chat.now + AHEAD,
    })
    await store.folds.failFold(chat.key, {
      leaseToken: lease!.token,
      backoffUntil: chat.now + AHEAD + HOUR,
      outcome: { outcome: 'failed' },
      now: chat.now + AHEAD,
    })
    const judged = await store.schedule.judge(chat.key, { policy: chat.policy, now: chat.now })
    assert.equal(judged?.snapshot?.backoffSeconds, 0)
    assert.equal(judged?.decision?.reason, 'count')
  },

  'a due time from it is due': async (store, open) => {
    const chat = new Chat(store, 'chat', { policy: IDLE })
    await chatAhead(chat, 12)
    const other = await open()
    const due = () => other.schedule.listDue('test', { kind: 'judging', now: chat.now, limit: 10 })
    assert.deepEqual(await due(), [chat.key])
    const judged = await other.schedule.judge(chat.key, { policy: IDLE, now: chat.now })
    assert.equal(judged?.decision?.reason, 'idle', 'nobody knows since when it is silent')
    assert.deepEqual(await due(), [])
  },

  'a rule that waits for longer than a day is asked each day, and no more often': async store => {
    const policy = tokens({ budget: 160, idleSec: (3 * DAY) / 1000 })
    const chat = new Chat(store, 'chat', { policy })
    await chat.say(12)
    const judge = (now: number) => store.schedule.judge(chat.key, { policy, now })
    for (const day of [0, 1, 2]) {
      const now = chat.now + day * DAY
      const judged = await judge(now)
      assert.equal(judged?.decision, null)
      assert.equal(judged?.dueAt, now + DAY)
      assert.deepEqual(
        await store.schedule.listDue('test', { kind: 'judging', now: now + DAY - 1, limit: 10 }),
        [],
      )
      assert.deepEqual(await store.schedule.listDue('test', { kind: 'judging', now: now + DAY, limit: 10 }), [
        chat.key,
      ])
    }
    assert.equal((await judge(chat.now + 3 * DAY))?.decision?.reason, 'idle')
  },

  'a fold that it dated does not keep a cooldown from ending': async store => {
    const chat = new Chat(store, 'chat', { policy: COOLDOWN })
    await chat.say(12)
    chat.now += AHEAD
    await chat.fold(4)
    chat.now -= AHEAD
    await chat.say(2)
    const judged = await store.schedule.judge(chat.key, { policy: COOLDOWN, now: chat.now })
    assert.equal(judged?.decision?.reason, 'cooldown')
    await chat.fold(8)
    await chat.say(2)
    const then = await store.schedule.judge(chat.key, { policy: COOLDOWN, now: chat.now })
    assert.equal(then?.decision, null)
    assert.ok(then!.snapshot!.secondsSinceFold! < 60)
  },

  'extraction waits for none of its instants': async store => {
    const rules: ExtractionRules = { when: 'batch', batchMessages: 40, idleMs: MINUTE }
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chatAhead(chat, 12)
    const judge = (now = chat.now) => store.extraction.judgeExtraction(chat.key, { rules, now })
    assert.ok((await judge())! <= chat.now + MINUTE)
    await store.extraction.failExtraction(chat.key, { retryAt: chat.now + AHEAD })
    assert.deepEqual(await store.schedule.listDue('test', { kind: 'extraction', now: chat.now, limit: 10 }), [
      chat.key,
    ])
    assert.ok((await judge())! <= chat.now + MINUTE)
    assert.deepEqual(
      await store.schedule.listDue('test', { kind: 'extraction', now: chat.now, limit: 10 }),
      [],
    )
    const slow: ExtractionRules = { ...rules, idleMs: 3 * DAY }
    assert.equal(
      await store.extraction.judgeExtraction(chat.key, { rules: slow, now: chat.now }),
      chat.now + DAY,
    )
  },

  'a request that it began is not under way; what it answered is answered': async store => {
    const request = (name: string, now: number) =>
      store.requests.beginRequest('test', { name, fingerprint: 'print', now, until: now + 10 * MINUTE })
    await request('one', AHEAD)
    assert.equal((await request('one', 0)).state, 'begun')
    assert.equal((await request('one', 0)).state, 'running')
    await request('two', AHEAD)
    await store.requests.finishRequest('test', {
      name: 'two',
      begunUntil: AHEAD + 10 * MINUTE,
      answer: { ok: true },
      until: AHEAD + DAY,
    })
    assert.equal((await request('two', 0)).state, 'answered')
  },

  'what it counted as spent uses up no hour to come': async store => {
    const limits = { calls: 1, tokens: null, sessionCalls: null, sessionTokens: null }
    const reserve = (now: number) =>
      store.spending.reserveCall({ namespace: 'test', id: 'chat' }, { model: 'm', tokens: 1, now, limits })
    assert.ok('reserved' in (await reserve(AHEAD)))
    assert.ok('reached' in (await reserve(AHEAD)))
    assert.ok('reserved' in (await reserve(0)))
    assert.deepEqual(await store.spending.readSpending('test', { now: AHEAD }), [])
    assert.ok('reserved' in (await reserve(AHEAD)))
  },

  'a message that it dated is a message, and the log keeps its order': async store => {
    const chat = new Chat(store)
    await chat.append(message('from the future', { at: chat.now + AHEAD }), message('now', { at: chat.now }))
    await chat.append(message('from the past', { at: chat.now - AHEAD }))
    assert.deepEqual(await chat.contents(), ['from the future', 'now', 'from the past'])
    const judged = await store.schedule.judge(chat.key, { policy: chat.policy, now: chat.now + 1000 })
    assert.equal(judged?.snapshot?.idleSeconds, 1)
  },
})
