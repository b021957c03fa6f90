import assert from 'node:assert/strict'
import type { ApiKey } from '../../store/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { erase } from './erasing-kit.ts'

export function apiKey(changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id: 'one',
    name: 'bot',
    namespace: 'test',
    scopes: ['read', 'write'],
    hash: 'ab'.repeat(32),
    createdAt: new Date(1_000),
    ...changes,
  }
}

const REQUEST = { name: 'name', fingerprint: 'print', now: 1_000, until: 2_000 }

export const serving = contractCases('what a server needs', {
  'keys are kept, listed in order and taken away': async (store, open) => {
    const [bot, page, other] = [
      apiKey(),
      apiKey({ id: 'two', name: 'a page 🎉', scopes: ['admin'] }),
      apiKey({ id: 'three', namespace: 'other' }),
    ]
    for (const key of [bot, page, other]) await store.keys.addKey(key)
    assert.deepEqual(await store.keys.readKey('two'), page)
    assert.equal(await store.keys.readKey('Two'), null)
    assert.deepEqual(await store.keys.listKeys(), [other, page, bot])
    assert.equal(await store.keys.removeKey('two'), true)
    assert.equal(await store.keys.removeKey('two'), false)
    await store.close()
    assert.deepEqual(await (await open()).keys.listKeys(), [other, bot])
  },

  'a name stands for one key of a namespace': async store => {
    await store.keys.addKey(apiKey())
    await refuses(store.keys.addKey(apiKey({ id: 'two' })), 'key_exists')
    await refuses(store.keys.addKey(apiKey({ name: 'other' })), 'key_exists')
    assert.deepEqual(await store.keys.listKeys(), [apiKey()])
  },

  'the revision grows with every change of settings and keys, for everybody': async (store, open) => {
    const other = await open()
    const seen = [await other.settings.readRevision()]
    const note = async () => seen.push(await other.settings.readRevision())
    await store.settings.writeSettings('test', { threshold: 1 })
    await note()
    await store.keys.addKey(apiKey())
    await note()
    await store.keys.removeKey('one')
    await note()
    assert.ok(seen.every((value, place) => place === 0 || value > seen[place - 1]!))
    await store.keys.removeKey('one')
    await store.settings.readSettings('test')
    await note()
    assert.equal(seen.at(-1), seen.at(-2))
  },

  'settings are written only over those that are expected': async (store, open) => {
    await store.settings.writeSettings('test', { a: 1, b: { c: 2, d: 3 } })
    await store.settings.writeSettings('test', { a: 2 }, { expected: { b: { d: 3, c: 2 }, a: 1 } })
    await refuses(store.settings.writeSettings('test', { a: 3 }, { expected: { a: 1 } }), 'settings_conflict')
    assert.deepEqual(await store.settings.readSettings('test'), { a: 2, b: { c: 2, d: 3 } })
    const other = await open()
    const expected = await store.settings.readSettings('test')
    const tried = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? store : other).settings.writeSettings('test', { a: `by ${index}` }, { expected }),
      ),
    )
    assert.equal(tried.filter(({ status }) => status === 'fulfilled').length, 1)
  },

  'a request is begun once, and answered with what was kept': async (store, open) => {
    const other = await open()
    const begun = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? store : other).requests.beginRequest('test', REQUEST),
      ),
    )
    assert.equal(begun.filter(({ state }) => state === 'begun').length, 1)
    assert.equal(begun.filter(({ state }) => state === 'running').length, 9)
    const answer = { status: 201, seqs: [1, 2] }
    await store.requests.finishRequest('test', { name: 'name', begunUntil: 2_000, answer, until: 5_000 })
    for (const begunUntil of [2_000, 5_000])
      await store.requests.dropRequest('test', { name: 'name', begunUntil })
    assert.deepEqual(await other.requests.beginRequest('test', { ...REQUEST, fingerprint: 'other' }), {
      state: 'answered',
      fingerprint: 'print',
      answer,
    })
    assert.deepEqual(await store.requests.beginRequest('Test', REQUEST), { state: 'begun' })
  },

  'a request that failed or whose time is over is begun anew': async store => {
    await store.requests.beginRequest('test', REQUEST)
    await store.requests.dropRequest('test', { name: 'name', begunUntil: 2_000 })
    assert.equal((await store.requests.beginRequest('test', REQUEST)).state, 'begun')
    assert.equal((await store.requests.beginRequest('test', { ...REQUEST, now: 1_999 })).state, 'running')
    const late = { ...REQUEST, fingerprint: 'other', now: 2_000, until: 3_000 }
    assert.equal((await store.requests.beginRequest('test', late)).state, 'begun')
    assert.deepEqual(await store.requests.beginRequest('test', late), {
      state: 'running',
      fingerprint: 'other',
    })
    // These calls come from an earlier owner of the request.
    await store.requests.finishRequest('test', {
      name: 'name',
      begunUntil: 2_000,
      answer: 'old',
      until: 9_000,
    })
    await store.requests.dropRequest('test', { name: 'name', begunUntil: 2_000 })
    assert.equal((await store.requests.beginRequest('test', late)).state, 'running')
    await store.requests.finishRequest('test', {
      name: 'name',
      begunUntil: 3_000,
      answer: null,
      until: 4_000,
    })
    assert.deepEqual(await store.requests.beginRequest('test', late), {
      state: 'answered',
      fingerprint: 'other',
      answer: null,
    })
    assert.equal(
      (await store.requests.beginRequest('test', { ...REQUEST, now: 4_000, until: 9_000 })).state,
      'begun',
    )
  },

  'expired requests that are asked for again beside new ones are begun once, and others are swept': async (
    store,
    open,
  ) => {
    const other = await open()
    const begin = (name: string, now: number) =>
      (name.length % 2 ? store : other).requests.beginRequest('test', {
        ...REQUEST,
        name,
        now,
        until: now + 1_000,
      })
    const old = Array.from({ length: 40 }, (_, place) => `old ${'x'.repeat(place)}`)
    for (const name of old) await begin(name, 0)
    const asked = [...old.slice(0, 20), ...old.slice(0, 20).map(name => `new ${name}`)]
    const begun = await Promise.all(asked.map(name => begin(name, 5_000)))
    assert.ok(begun.every(({ state }) => state === 'begun'))
    const again = await Promise.all(asked.map(name => begin(name, 5_001)))
    assert.ok(again.every(({ state }) => state === 'running'))
  },

  'settings of a session are written only over those that are expected': async store => {
    const chat = new Chat(store)
    assert.deepEqual(await store.settings.readOwnSettings(chat.key), {})
    await chat.append(message('hello'))
    assert.deepEqual(await store.settings.readOwnSettings(chat.key), {})
    await store.settings.updateSettings(chat.key, { threshold: 4 }, { expected: {} })
    await refuses(
      store.settings.updateSettings(chat.key, { threshold: 5 }, { expected: {} }),
      'settings_conflict',
    )
    assert.deepEqual(await store.settings.readOwnSettings(chat.key), { threshold: 4 })
    assert.deepEqual(await store.settings.readOwnSettings({ ...chat.key, namespace: 'other' }), {})
  },

  'a namespace that is erased takes its settings, keys and requests along, and says so': async store => {
    await store.settings.writeSettings('test', { threshold: 1 })
    await store.keys.addKey(apiKey())
    await store.keys.addKey(apiKey({ id: 'two', namespace: 'other' }))
    await store.requests.beginRequest('test', REQUEST)
    const before = await store.settings.readRevision()
    await erase(store, { kind: 'namespace' })
    assert.deepEqual(await store.settings.readSettings('test'), {})
    assert.deepEqual(
      (await store.keys.listKeys()).map(({ id }) => id),
      ['two'],
    )
    assert.equal((await store.requests.beginRequest('test', REQUEST)).state, 'begun')
    assert.ok((await store.settings.readRevision()) > before)
  },
})
