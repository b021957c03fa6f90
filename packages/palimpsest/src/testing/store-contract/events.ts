import assert from 'node:assert/strict'
import type { Store, StoreEvent } from '../../store/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases } from './contract-case.ts'

const PATIENCE_MS = 10_000

/** An event may appear a little after its commit, while an older transaction is still under way. */
async function readAll(store: Store, expected: number, limit = 1000): Promise<readonly StoreEvent[]> {
  const events: StoreEvent[] = []
  const deadline = performance.now() + PATIENCE_MS
  for (let more = true; more; ) {
    const page = await store.events.readEvents({ after: events.at(-1)?.position ?? null, limit })
    assert.ok(page.length <= limit)
    events.push(...page)
    more = page.length > 0 || (events.length < expected && performance.now() < deadline)
  }
  return events
}

const brief = ({ sessionId, type, fromSeq, toSeq }: StoreEvent) => [sessionId, type, fromSeq, toSeq]

export const events = contractCases('events', {
  'tell of every change, in order, each once': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.append(message('13', { externalId: 'm' }))
    await chat.append(message('13', { externalId: 'm' }))
    await chat.edit(2, 'edited')
    await chat.edit(2, 'edited')
    await chat.fold(4)
    const { leaseToken } = await chat.prepareFold(6)
    const outcome = { reason: 'empty', text: 'secret' }
    await store.folds.failFold(chat.key, { leaseToken, backoffUntil: chat.now, outcome, now: chat.now })
    await chat.rollback(10)
    await chat.rollback(10)
    await chat.fork('fork', 8)
    await chat.copyByFile('copy')
    const found = await readAll(store, 9)
    assert.deepEqual(found.map(brief), [
      ['chat', 'session-created', null, null],
      ['chat', 'message-appended', 1, 12],
      ['chat', 'message-appended', 13, 13],
      ['chat', 'message-edited', 2, 2],
      ['chat', 'fold-committed', 1, 4],
      ['chat', 'fold-failed', null, null],
      ['chat', 'session-rolled-back', 11, 13],
      ['fork', 'session-forked', null, 8],
      ['copy', 'session-imported', null, 13],
    ])
    assert.ok(found.every(({ namespace, at }) => namespace === 'test' && at instanceof Date))
    assert.equal(found.at(-1)?.at.getTime(), chat.now)
    assert.deepEqual(found[4]?.data, {
      type: 'deep',
      reason: 'force',
      segmentIds: [1],
      throughSeq: 13,
    })
    assert.deepEqual(found[5]?.data, { reason: 'empty' })
  },

  'go on from any position, with pages of any size': async (store, open) => {
    const chat = new Chat(store)
    for (let round = 0; round < 10; round++) await chat.say(1)
    const all = await readAll(store, 11)
    assert.equal(all.length, 11)
    for (const limit of [1, 3, 11]) assert.deepEqual(await readAll(await open(), 11, limit), all)
    for (const [index, { position }] of all.entries())
      assert.deepEqual(await store.events.readEvents({ after: position, limit: 100 }), all.slice(index + 1))
    assert.equal(new Set(all.map(({ position }) => position)).size, 11)
  },

  'have a last position, after which is only what happens later': async (store, open) => {
    assert.deepEqual(
      await store.events.readEvents({ after: await store.events.readLastPosition(), limit: 5 }),
      [],
    )
    const chat = new Chat(store)
    await chat.say(3)
    const before = await readAll(store, 2)
    const last = await store.events.readLastPosition()
    assert.equal(last, before.at(-1)?.position)
    assert.deepEqual(await store.events.readEvents({ after: last, limit: 10 }), [])
    const other = await open()
    await new Chat(other, 'other').say(1)
    const all = await readAll(store, 4)
    assert.deepEqual(await store.events.readEvents({ after: last, limit: 10 }), all.slice(before.length))
    assert.equal(await store.events.readLastPosition(), all.at(-1)?.position)
    assert.equal(await other.events.readLastPosition(), all.at(-1)?.position)
  },

  'miss nothing while several write at once': async (store, open) => {
    const stores = [store, await open()]
    const writing = Promise.all(
      Array.from({ length: 60 }, (_, index) => new Chat(stores[index % 2]!, `chat ${index % 7}`).say(1)),
    )
    const seen: StoreEvent[] = []
    const read = async () => {
      // A store that answers at once would otherwise never let the writers go on.
      await new Promise(resolve => setImmediate(resolve))
      seen.push(...(await store.events.readEvents({ after: seen.at(-1)?.position ?? null, limit: 5 })))
    }
    let done = false
    const finished = writing.then(() => {
      done = true
    })
    while (!done) await read()
    await finished
    const deadline = performance.now() + PATIENCE_MS
    while (seen.length < 67 && performance.now() < deadline) await read()
    assert.equal(new Set(seen.map(({ position }) => position)).size, seen.length)
    assert.deepEqual(seen, await readAll(store, 67))
    for (let number = 0; number < 7; number++) {
      const appended = seen.filter(
        ({ sessionId, type }) => sessionId === `chat ${number}` && type === 'message-appended',
      )
      assert.deepEqual(
        appended.map(({ fromSeq }) => fromSeq).toSorted((a, b) => a! - b!),
        appended.map((_, index) => index + 1),
      )
    }
  },

  'are not left by what was refused': async store => {
    const chat = new Chat(store)
    await chat.append(message('hello', { externalId: 'm' }))
    await chat.append(message('other', { externalId: 'm' })).catch(() => {})
    await chat.fork('chat', 1).catch(() => {})
    await chat.copyByFile('chat').catch(() => {})
    assert.deepEqual(
      (await readAll(store, 2)).map(({ type }) => type),
      ['session-created', 'message-appended'],
    )
  },

  'hold nothing of what was said': async store => {
    const secret = 'canary-4711'
    const chat = new Chat(store)
    await chat.append(message(`${secret} a`, { sender: { id: secret, name: secret }, externalId: secret }))
    await chat.say(5)
    await chat.edit(1, `${secret} b`)
    const commit = await chat.prepareFold(3, { memo: { secret } })
    await chat.commit({
      ...commit,
      segments: commit.segments.map(each => ({ ...each, summary: secret })),
      outcome: { secret },
    })
    await store.settings.updateSettings(chat.key, { secret })
    await chat.fork('fork', 4)
    await chat.copyByFile('copy')
    await chat.rollback(2)
    const found = await readAll(store, 8)
    assert.equal(found.length, 8)
    assert.doesNotMatch(JSON.stringify(found), new RegExp(secret))
  },
})
