import assert from 'node:assert/strict'
import { dailyKey, type MirrorState, type Store } from '../../store/index.ts'
import { Chat } from './chat.ts'
import { contractCases } from './contract-case.ts'
import { adding, DAY, documentKey, fact, learning } from './documents.ts'

const GLOBAL = { layer: 'global', key: '' } as const
const ANN = { layer: 'user', key: 'ann' } as const

async function write(store: Store, line: string, ...places: readonly Pick<MirrorState, 'layer' | 'key'>[]) {
  await store.documents.changeDocuments(places.map(({ layer, key }) => adding(documentKey(layer, key), line)))
}

async function unmirrored(store: Store, namespace = 'test'): Promise<readonly string[]> {
  const states = await store.mirror.listUnmirrored(namespace, { limit: 1000 })
  return states.map(({ layer, key, version }) => `${layer} ${key} ${version}`).toSorted()
}

export const mirroring = contractCases('mirror', {
  'is behind with each document until it is noted, and again with each change': async store => {
    assert.deepEqual(await store.mirror.listUnmirrored('test', { limit: 10 }), [])
    await write(store, 'one\0 😀', GLOBAL, ANN)
    assert.deepEqual(await store.mirror.listUnmirrored('elsewhere', { limit: 10 }), [])
    const states = await store.mirror.listUnmirrored('test', { limit: 10 })
    const state = { version: 1, content: 'one\0 😀\n', mirroredVersion: 0, mirroredHash: null }
    assert.deepEqual(
      states.toSorted((a, b) => (a.layer < b.layer ? -1 : 1)),
      [
        { ...GLOBAL, ...state },
        { ...ANN, ...state },
      ],
    )
    await store.mirror.noteMirrored('test', [{ ...ANN, version: 1, hash: 'abc' }])
    assert.deepEqual(await unmirrored(store), ['global  1'])
    assert.deepEqual(await store.mirror.readMirrorStates('test', [ANN]), [
      { ...ANN, ...state, mirroredVersion: 1, mirroredHash: 'abc' },
    ])
    await write(store, 'two', ANN)
    assert.deepEqual(await unmirrored(store), ['global  1', 'user ann 2'])
    // A note about an older version leaves the file behind.
    await store.mirror.noteMirrored('test', [{ ...ANN, version: 1, hash: 'abc' }])
    assert.deepEqual(await unmirrored(store), ['global  1', 'user ann 2'])
    assert.deepEqual((await store.mirror.readMirrorStates('test', [ANN]))[0]?.mirroredVersion, 1)
    await store.mirror.noteMirrored('test', [
      { ...GLOBAL, version: 1, hash: 'g' },
      { ...ANN, version: 2, hash: 'def' },
      { layer: 'user', key: 'nobody', version: 7, hash: 'lost' },
    ])
    assert.deepEqual(await unmirrored(store), [])
    await write(store, 'two', { layer: 'user', key: 'bo' })
    await store.mirror.noteMirrored('elsewhere', [{ layer: 'user', key: 'bo', version: 1, hash: 'x' }])
    assert.deepEqual(await unmirrored(store), ['user bo 1'])
    assert.equal((await store.mirror.listUnmirrored('test', { limit: 0 })).length, 0)
  },

  'is behind with what a fold, a rollback, a fork and an import change': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const own = documentKey('chat', 'chat')
    const settle = async () => {
      const states = await store.mirror.listUnmirrored('test', { limit: 100 })
      await store.mirror.noteMirrored(
        'test',
        states.map(({ layer, key, version }) => ({ layer, key, version, hash: 'x' })),
      )
      return states.map(({ layer, key, version }) => `${layer} ${key} ${version}`)
    }
    const commit = await chat.prepareFold(4)
    await chat.commit({ ...commit, documents: [learning(own, [fact('- tea', 'chat', [1, 4])])] })
    await store.documents.changeDocuments([learning(own, [fact('- rum', 'chat', [9, 9])])])
    assert.deepEqual(await settle(), ['chat chat 2'])
    await chat.rollback(8)
    assert.deepEqual(await settle(), ['chat chat 3'])
    await chat.fork('fork', 8)
    assert.deepEqual(await settle(), ['chat fork 1'])
    await chat.copyByFile('copy')
    assert.deepEqual(await settle(), ['chat copy 3'])
    assert.deepEqual(await settle(), [])
  },

  'is told of page by page': async store => {
    const keys = Array.from({ length: 7 }, (_, index) => ({ layer: 'user', key: `${index}` }) as const)
    await write(store, 'one', ...keys)
    const seen: string[] = []
    for (;;) {
      const page = await store.mirror.listUnmirrored('test', { limit: 3 })
      if (page.length === 0) break
      assert.ok(page.length <= 3)
      seen.push(...page.map(({ key }) => key))
      await store.mirror.noteMirrored(
        'test',
        page.map(({ layer, key, version }) => ({ layer, key, version, hash: key })),
      )
    }
    assert.deepEqual(
      seen.toSorted(),
      keys.map(({ key }) => key),
    )
  },

  'knows documents in the order asked for, and which there are none of': async store => {
    const long = { layer: 'user', key: 'x'.repeat(3000) } as const
    await write(store, 'one', GLOBAL, ANN, long)
    const wanted = [long, { layer: 'scope', key: 'ann' } as const, ANN, GLOBAL, ANN]
    const states = await store.mirror.readMirrorStates('test', wanted)
    assert.deepEqual(
      states.map(state => state && { layer: state.layer, key: state.key }),
      [long, null, ANN, GLOBAL, ANN],
    )
    assert.deepEqual(await store.mirror.readMirrorStates('elsewhere', [ANN]), [null])
    assert.deepEqual(await store.mirror.readMirrorStates('test', []), [])
  },

  'gathers a day of all sessions, in order of their ids': async store => {
    const ids = ['b', 'a/b', 'ä', 'B', '😀', '\uffff', '2026-01-14/b', 'a']
    for (const id of ids) await new Chat(store, id).say(1)
    await new Chat(store, 'a', { namespace: 'elsewhere' }).say(1)
    const daily = (day: string, id: string) => ({ layer: 'daily', key: dailyKey(day, id) }) as const
    await write(store, 'today', ...ids.map(id => daily(DAY, id)))
    await write(store, 'yesterday', ...ids.map(id => daily('2026-01-14', id)))
    await write(store, 'of a chat', { layer: 'chat', key: 'a' }, GLOBAL)
    await store.documents.changeDocuments([
      adding(documentKey('daily', dailyKey(DAY, 'a'), 'elsewhere'), 'secret'),
    ])
    await store.mirror.noteMirrored('test', [{ ...daily(DAY, 'a'), version: 1, hash: 'abc' }])
    const states = await store.mirror.readDay('test', DAY)
    const sorted = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.deepEqual(
      states.map(({ key }) => key),
      sorted.map(id => dailyKey(DAY, id)),
    )
    assert.ok(states.every(({ layer, content }) => layer === 'daily' && content === 'today\n'))
    const note = { mirroredVersion: 1, mirroredHash: 'abc' }
    assert.deepEqual(
      states.find(({ key }) => key === dailyKey(DAY, 'a')),
      { ...daily(DAY, 'a'), version: 1, content: 'today\n', ...note },
    )
    assert.deepEqual(await store.mirror.readDay('test', '2026-01-16'), [])
  },

  'of another folder knows nothing yet, of the same one all': async (store, open) => {
    await write(store, 'one', GLOBAL, ANN)
    await store.documents.changeDocuments([adding(documentKey('global', '', 'elsewhere'), 'one')])
    const note = [GLOBAL, ANN].map(place => ({ ...place, version: 1, hash: 'abc' }))
    await store.mirror.setMirrorFolder('test', '/memory')
    await store.mirror.noteMirrored('test', note)
    await store.mirror.noteMirrored('elsewhere', [{ ...GLOBAL, version: 1, hash: 'abc' }])
    const again = await open()
    assert.equal(await again.mirror.readMirrorFolder('test'), '/memory')
    assert.equal(await again.mirror.readMirrorFolder('elsewhere'), null)
    await again.mirror.setMirrorFolder('test', '/memory')
    await store.mirror.setMirrorFolder('elsewhere', '/elsewhere')
    await store.mirror.noteMirrored('elsewhere', [{ ...GLOBAL, version: 1, hash: 'abc' }])
    assert.deepEqual(await unmirrored(store), [])
    await again.mirror.setMirrorFolder('test', '/memory/')
    assert.deepEqual(await unmirrored(store), ['global  1', 'user ann 1'])
    const states = await store.mirror.readMirrorStates('test', [GLOBAL, ANN])
    assert.ok(states.every(state => state?.mirroredVersion === 0 && state.mirroredHash === null))
    assert.deepEqual(await unmirrored(store, 'elsewhere'), [])
    await store.mirror.noteMirrored('test', note)
    await store.mirror.setMirrorFolder('test', '/memory/')
    assert.deepEqual(await unmirrored(store), [])
  },

  'loses nothing while documents are written and noted at once': async (store, open) => {
    const other = await open()
    const places = [GLOBAL, ANN, { layer: 'scope', key: 'work' } as const]
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        await write(store, `${index}`, ...(index % 2 === 0 ? places : places.toReversed()))
        const states = await other.mirror.listUnmirrored('test', { limit: 10 })
        await other.mirror.noteMirrored(
          'test',
          states.map(({ layer, key, version }) => ({ layer, key, version, hash: `${version}` })),
        )
      }),
    )
    for (const state of await store.mirror.readMirrorStates('test', places)) {
      assert.equal(state?.version, 10)
      assert.equal(state.mirroredHash, `${state.mirroredVersion}`)
    }
  },
})
