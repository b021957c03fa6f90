import { expect, test } from 'vitest'
import { sqlite } from './sqlite/index.ts'
import { PORT_NAMES, storeWith } from './store-with.ts'

test('a store has every port, and no port has more than nine methods', () => {
  const store = sqlite(':memory:')
  for (const port of PORT_NAMES) {
    const { length } = Object.keys(store[port])
    expect(length, port).toBeGreaterThan(0)
    expect(length, port).toBeLessThanOrEqual(9)
  }
})

test('a store with another port is the same in everything else', async () => {
  const store = sqlite(':memory:')
  const leases = { ...store.leases, dropLease: async () => {} }
  const other = storeWith(store, { leases })
  expect(other).toMatchObject({ name: store.name, erasedList: store.erasedList, leases })
  for (const port of PORT_NAMES) if (port !== 'leases') expect(other[port], port).toBe(store[port])
  await other.open()
  expect(await store.log.readMessages({ namespace: 'n', id: 's' }, { seqs: [1] })).toEqual([])
  await other.close()
  await expect(store.database.readIdentity()).rejects.toMatchObject({ code: 'closed' })
})
