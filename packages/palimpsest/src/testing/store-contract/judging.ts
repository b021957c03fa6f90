import assert from 'node:assert/strict'
import { compose, count, type Decision, tokens, window } from '../../policy/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases } from './contract-case.ts'

const decision = (severity: number, reason = 'custom'): Decision => ({
  type: 'lite',
  reason,
  severity,
  meta: { a: [1] },
})

export const judging = contractCases('judging', {
  'leaves the severest decision of all appends pending': async store => {
    const chat = new Chat(store, 'chat', { policy: count({ threshold: 2, keepLast: 1, budget: 60 }) })
    await chat.say(3)
    assert.equal((await chat.record()).pending?.reason, 'count')
    await chat.append(message('x'.repeat(400)))
    assert.equal((await chat.record()).pending?.reason, 'max_tokens')
    await chat.append(message('short'))
    assert.equal((await chat.record()).pending?.reason, 'max_tokens')
  },

  'anew sets what is pending, or clears it': async store => {
    const chat = new Chat(store)
    await chat.say(21)
    const judged = await store.schedule.judge(chat.key, { policy: chat.policy, now: chat.now })
    assert.deepEqual(
      [judged?.decision?.reason, judged?.snapshot?.raw.messages, judged?.dueAt],
      ['count', 21, null],
    )
    assert.deepEqual((await chat.record()).pending, judged?.decision)
    assert.deepEqual(await store.schedule.listPending('test', { limit: 10 }), [chat.key])
    await chat.fold(11)
    assert.equal(
      (await store.schedule.judge(chat.key, { policy: chat.policy, now: chat.now }))?.decision,
      null,
    )
    assert.equal((await chat.record()).pending, null)
    assert.deepEqual(await store.schedule.listPending('test', { limit: 10 }), [])
  },

  'finds nothing to do in an empty session': async store => {
    const chat = new Chat(store)
    await chat.append()
    const nothing = { snapshot: null, decision: null, dueAt: null }
    assert.deepEqual(await store.schedule.judge(chat.key, { policy: chat.policy, now: 0 }), nothing)
  },

  'takes a decision from outside unless a severer one is pending': async store => {
    const chat = new Chat(store)
    await chat.append(message('hello'))
    for (const [severity, pending] of [
      [10, 10],
      [5, 10],
      [50, 50],
      [50, 50],
    ] as const) {
      await store.schedule.setPending(chat.key, decision(severity))
      assert.deepEqual((await chat.record()).pending, decision(pending))
    }
    await store.schedule.setPending(chat.key, decision(50, 'the later of two equals'))
    assert.equal((await chat.record()).pending?.reason, 'custom')
  },

  'lists what is pending in a namespace, page by page': async store => {
    const chats = ['a', 'b', 'c'].map(id => new Chat(store, id))
    const elsewhere = new Chat(store, 'a', { namespace: 'elsewhere' })
    for (const chat of [...chats, elsewhere]) await chat.append(message('hello'))
    assert.deepEqual(await store.schedule.listPending('test', { limit: 10 }), [])
    for (const chat of [...chats.slice(0, 2), elsewhere])
      await store.schedule.setPending(chat.key, decision(1))
    const [first, second] = chats.map(({ key }) => key)
    assert.deepEqual(await store.schedule.listPending('test', { limit: 10 }), [first, second])
    assert.deepEqual(await store.schedule.listPending('test', { limit: 1 }), [first])
    assert.deepEqual(await store.schedule.listPending('test', { after: 'a', limit: 10 }), [second])
    assert.deepEqual(await store.schedule.listPending('elsewhere', { limit: 10 }), [elsewhere.key])
  },

  'lists what is due, the longest overdue first': async store => {
    const policy = tokens({ budget: 160, idleSec: 300 })
    const chats = [3, 1, 2].map(number => {
      const chat = new Chat(store, `chat ${number}`, { policy })
      chat.now += number * 10_000
      return chat
    })
    for (const chat of chats) await chat.say(12)
    const due = chats.map(({ now }) => now + 300_000)
    assert.deepEqual(await Promise.all(chats.map(async chat => (await chat.record()).dueAt?.getTime())), due)
    const ids = async (now: number, limit = 10) =>
      (await store.schedule.listDue('test', { kind: 'judging', now: now, limit: limit })).map(({ id }) => id)
    assert.deepEqual(await ids(due[1]! - 1), [])
    assert.deepEqual(await ids(due[1]!), ['chat 1'])
    assert.deepEqual(await ids(due[0]!), ['chat 1', 'chat 2', 'chat 3'])
    assert.deepEqual(await ids(due[0]!, 2), ['chat 1', 'chat 2'])
  },

  'moves what is due on: not by later appends, but when it is judged': async store => {
    const chat = new Chat(store, 'chat', { policy: tokens({ budget: 160, idleSec: 300 }) })
    await chat.say(12)
    const due = chat.now + 300_000
    chat.now += 100_000
    const { dueAt } = await chat.say(2).then(() => chat.record())
    assert.equal(dueAt?.getTime(), due)
    const judged = await store.schedule.judge(chat.key, { policy: chat.policy, now: due })
    assert.deepEqual([judged?.decision, judged?.dueAt], [null, chat.now + 300_000])
    assert.deepEqual(await store.schedule.listDue('test', { kind: 'judging', now: due, limit: 10 }), [])
    const late = await store.schedule.judge(chat.key, { policy: chat.policy, now: chat.now + 300_000 })
    assert.equal(late?.decision?.reason, 'idle')
    const record = await chat.record()
    assert.deepEqual([record.pending, record.dueAt], [late?.decision, null])
  },

  'counts the backlog beyond the tail, however long it is': async store => {
    const policy = window({
      contextSize: 200,
      tailKeepSize: 100,
      compressionWindowSize: 60,
      compressionHardLimit: 90,
    })
    const chat = new Chat(store, 'chat', { policy })
    await chat.say(159)
    const { snapshot, decision: fired } = await chat.append(message('160'))
    assert.deepEqual([snapshot?.backlogMessages, fired?.reason], [60, 'window'])
    // Here the tail is as much as fits, and only the messages tell that.
    const fitting = compose(policy, tokens({ budget: 4000, lowWater: 0.5, idleSec: 300 }))
    const byTokens = new Chat(store, 'by tokens', { policy: fitting })
    await byTokens.say(1000)
    const judged = await store.schedule.judge(byTokens.key, { policy: byTokens.policy, now: byTokens.now })
    const plan = await store.folds.readPlan(byTokens.key)
    let [tail, sum] = [0, 0]
    for (const raw of plan!.raw.toReversed()) {
      sum += raw.tokens
      if (sum > 2000) break
      tail += 1
    }
    assert.equal(judged?.snapshot?.backlogMessages, 1000 - tail)
  },
})
