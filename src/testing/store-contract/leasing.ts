import assert from 'node:assert/strict'
import { Chat, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

const TTL = 1000

async function chatWithLease(store: Chat['store']) {
  const chat = new Chat(store)
  await chat.append(message('hello'))
  const acquire = (owner: string, now: number) => store.acquireLease(chat.key, { owner, ttlMs: TTL, now })
  const renew = (token: number, now: number) => store.renewLease(chat.key, { token, ttlMs: TTL, now })
  return { chat, acquire, renew, release: (token: number) => store.releaseLease(chat.key, token) }
}

export const leasing = contractCases('lease', {
  'has one holder at a time': async (store, open) => {
    const { chat, acquire, release } = await chatWithLease(store)
    const lease = await acquire('a', 0)
    assert.deepEqual(lease, { token: lease!.token, epoch: 0, until: TTL })
    assert.notEqual((await chat.record()).leaseUntil, null)
    const other = await open()
    assert.equal(await other.acquireLease(chat.key, { owner: 'b', ttlMs: TTL, now: TTL - 1 }), null)
    assert.equal(await acquire('a', 1), null)
    await release(lease!.token)
    assert.equal((await chat.record()).leaseUntil, null)
    assert.ok(await other.acquireLease(chat.key, { owner: 'b', ttlMs: TTL, now: 2 }))
    const free = new Chat(store, 'other chat')
    await free.append(message('hello'))
    assert.ok(await store.acquireLease(free.key, { owner: 'a', ttlMs: TTL, now: 2 }))
  },

  'goes to one of many who ask at once': async (store, open) => {
    const { chat } = await chatWithLease(store)
    const stores = [store, await open(), await open()]
    const leases = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        stores[index % 3]!.acquireLease(chat.key, { owner: `${index}`, ttlMs: TTL, now: 0 }),
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

  'names the epoch that it was given in': async store => {
    const { chat, acquire } = await chatWithLease(store)
    await chat.edit(1, 'edited')
    assert.equal((await acquire('a', 0))?.epoch, 1)
  },
})
