import assert from 'node:assert/strict'
import { count, type Policy, tokens } from '../../policy/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

const TTL = 1000

async function chatWithLease(store: Chat['store']) {
  const chat = new Chat(store)
  await chat.append(message('hello'))
  const acquire = (owner: string, now: number) =>
    store.folds.acquireLease(chat.key, { owner, ttlMs: TTL, now })
  const renew = (token: number, now: number) => store.folds.renewLease(chat.key, { token, ttlMs: TTL, now })
  return { chat, acquire, renew, release: (token: number) => store.folds.releaseLease(chat.key, token) }
}

const namedLeases = contractCases('lease by name', {
  'has one holder at a time, who keeps the token': async (store, open) => {
    const take = (owner: string, now: number, from = store) =>
      from.leases.takeLease('test', { name: 'mirror', owner, ttlMs: TTL, now })
    const other = await open()
    const lease = await take('a', 0)
    assert.ok(lease)
    assert.equal(await take('b', 0), null)
    assert.equal(await take('b', TTL - 1, other), null)
    assert.deepEqual(await take('a', TTL - 1, other), lease)
    assert.equal(await take('b', 2 * TTL - 2), null, 'it was prolonged')
    await store.leases.dropLease('test', { name: 'mirror', token: lease.token })
    const next = await take('b', 1, other)
    assert.ok(next!.token > lease.token)
    assert.equal(await take('a', 1), null)
  },

  'goes to another when it runs out, with a higher token': async store => {
    const take = (owner: string, now: number) =>
      store.leases.takeLease('test', { name: 'mirror', owner, ttlMs: TTL, now })
    const first = await take('a', 0)
    const second = await take('b', TTL)
    assert.ok(second!.token > first!.token)
    assert.equal(await take('a', TTL), null)
    const late = await take('b', 3 * TTL)
    assert.ok(late!.token > second!.token, 'in between somebody else may have held it')
  },

  'is not touched by an old token': async store => {
    const take = (owner: string, now: number) =>
      store.leases.takeLease('test', { name: 'mirror', owner, ttlMs: TTL, now })
    const drop = (token: number) => store.leases.dropLease('test', { name: 'mirror', token })
    const old = await take('a', 0)
    const current = await take('b', TTL)
    await drop(old!.token)
    assert.equal(await take('a', TTL + 1), null)
    await drop(current!.token)
    await drop(current!.token)
    const third = await take('a', TTL + 1)
    await drop(current!.token)
    assert.equal(await take('b', TTL + 2), null)
    assert.ok(third!.token > current!.token)
    await store.leases.dropLease('test', { name: 'never taken', token: 1 })
  },

  'goes to one of many who ask at once': async (store, open) => {
    const stores = [store, await open(), await open()]
    for (const now of [0, TTL, 2 * TTL]) {
      const leases = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          stores[index % 3]!.leases.takeLease('test', {
            name: 'mirror',
            owner: `${now} ${index}`,
            ttlMs: TTL,
            now,
          }),
        ),
      )
      assert.equal(leases.filter(lease => lease !== null).length, 1)
    }
  },

  'is one for each name and namespace, however alike': async store => {
    const long = 'x'.repeat(3000)
    const names = ['a:b', 'a_b', 'a/b', 'A/B', '', 'ä', '👍', long, `${long}y`, `extraction/${long}`]
    for (const namespace of ['a', 'a:b'])
      for (const name of names)
        assert.ok(await store.leases.takeLease(namespace, { name, owner: name, ttlMs: TTL, now: 0 }), name)
    for (const name of names)
      assert.equal(await store.leases.takeLease('a', { name, owner: 'other', ttlMs: TTL, now: 0 }), null)
  },
})

export const leasing = [
  ...contractCases('lease', {
    'has one holder at a time': async (store, open) => {
      const { chat, acquire, release } = await chatWithLease(store)
      const lease = await acquire('a', 0)
      const { token } = lease!
      const given = { token, epoch: 0, until: TTL, settings: {}, pending: null, judged: null }
      assert.deepEqual(lease, given)
      assert.notEqual((await chat.record()).leaseUntil, null)
      const other = await open()
      assert.equal(await other.folds.acquireLease(chat.key, { owner: 'b', ttlMs: TTL, now: TTL - 1 }), null)
      assert.equal(await acquire('a', 1), null)
      await release(lease!.token)
      assert.equal((await chat.record()).leaseUntil, null)
      assert.ok(await other.folds.acquireLease(chat.key, { owner: 'b', ttlMs: TTL, now: 2 }))
      const free = new Chat(store, 'other chat')
      await free.append(message('hello'))
      assert.ok(await store.folds.acquireLease(free.key, { owner: 'a', ttlMs: TTL, now: 2 }))
    },

    'goes to one of many who ask at once': async (store, open) => {
      const { chat } = await chatWithLease(store)
      const stores = [store, await open(), await open()]
      const leases = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          stores[index % 3]!.folds.acquireLease(chat.key, { owner: `${index}`, ttlMs: TTL, now: 0 }),
        ),
      )
      assert.equal(leases.filter(lease => lease !== null).length, 1)
    },

    'has a token that grows, after release and after expiry': async store => {
      const { acquire, release } = await chatWithLease(store)
      const first = await acquire('a', 0)
      await release(first!.token)
      const second = await acquire('a', 0)
      const third = await acquire('b', TTL)
      assert.ok(first!.token < second!.token && second!.token < third!.token)
    },

    'can be renewed, also late, until somebody takes it': async store => {
      const { acquire, renew } = await chatWithLease(store)
      const lease = await acquire('a', 0)
      await renew(lease!.token, 900)
      assert.equal(await acquire('b', 1899), null)
      await renew(lease!.token, 5000)
      assert.equal(await acquire('b', 5999), null)
      const taken = await acquire('b', 6000)
      const error = await refuses(renew(lease!.token, 6001), 'lease_lost')
      assert.deepEqual(error.details, { sessionId: 'chat', token: lease!.token })
      await renew(taken!.token, 6002)
    },

    'is not touched by an old token': async store => {
      const { chat, acquire, renew, release } = await chatWithLease(store)
      const old = await acquire('a', 0)
      const current = await acquire('b', TTL)
      await release(old!.token)
      assert.notEqual((await chat.record()).leaseUntil, null)
      assert.equal(await acquire('c', TTL + 1), null)
      await renew(current!.token, TTL + 2)
      await release(current!.token)
      await release(current!.token)
      await refuses(renew(current!.token, TTL + 3), 'lease_lost')
    },

    'comes with what there is to do, as judging says it': async store => {
      const policy: Policy = {
        ...tokens({ budget: 160, idleSec: 300 }),
        forSession: ({ threshold }) => count({ threshold: Number(threshold), keepLast: 1 }),
      }
      const [busy, idle] = [new Chat(store, 'busy', { policy }), new Chat(store, 'idle', { policy })]
      for (const chat of [busy, idle]) await chat.say(12)
      await store.settings.updateSettings(busy.key, { threshold: 4 })
      const [wanted, due] = await Promise.all(
        [busy, idle].map(async ({ key, now }) => {
          const { pending } = (await store.sessions.readSession(key))!
          const lease = await store.folds.acquireLease(key, { owner: 'a', ttlMs: TTL, now, policy })
          assert.deepEqual(lease?.pending, pending)
          const record = await store.sessions.readSession(key)
          assert.deepEqual(record?.pending, lease?.judged?.decision)
          assert.deepEqual(record?.dueAt?.getTime() ?? null, lease?.judged?.dueAt)
          assert.deepEqual(lease?.judged, await store.schedule.judge(key, { policy, now }))
          return lease
        }),
      )
      assert.deepEqual([wanted?.settings, wanted?.judged?.decision?.reason], [{ threshold: 4 }, 'count'])
      assert.deepEqual([due?.settings, due?.judged?.decision], [{}, null])
      assert.equal(due?.judged?.dueAt, idle.now + 300_000)
    },

    'names the epoch that it was given in': async store => {
      const { chat, acquire } = await chatWithLease(store)
      await chat.edit(1, 'edited')
      assert.equal((await acquire('a', 0))?.epoch, 1)
    },
  }),
  ...namedLeases,
]
