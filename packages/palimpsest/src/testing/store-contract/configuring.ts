import assert from 'node:assert/strict'
import { contractCases } from './contract-case.ts'

export const configuring = contractCases('settings', {
  'are none at first': async store => {
    assert.deepEqual(await store.settings.readSettings('test'), {})
  },

  'are merged, replaced and taken away by name, and survive': async (store, open) => {
    const nested = { a: [1, 'two', null, { b: 'ünï 🎉' }] }
    await store.settings.writeSettings('test', { policy: 'count', threshold: 30, off: false, nested })
    await store.settings.writeSettings('test', {
      threshold: 40,
      policy: null,
      unknown: null,
      left: undefined,
    })
    const expected = { threshold: 40, off: false, nested }
    assert.deepEqual(await store.settings.readSettings('test'), expected)
    await store.close()
    assert.deepEqual(await (await open()).settings.readSettings('test'), expected)
  },

  'are those of one namespace': async store => {
    await store.settings.writeSettings('test', { threshold: 1 })
    await store.settings.writeSettings('Test', { threshold: 2 })
    assert.deepEqual(await store.settings.readSettings('test'), { threshold: 1 })
    assert.deepEqual(await store.settings.readSettings('other'), {})
  },

  'written at once all arrive, and what is written together stays together': async (store, open) => {
    const other = await open()
    const stores = [store, other]
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        stores[index % 2]!.settings.writeSettings('test', {
          [`own${index}`]: index,
          second: index,
          first: index,
        }),
      ),
    )
    const { first, second, ...own } = await store.settings.readSettings('test')
    assert.equal(first, second)
    assert.equal(Object.keys(own).length, 40)
  },
})
