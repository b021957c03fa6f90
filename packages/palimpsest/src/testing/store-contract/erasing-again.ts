import assert from 'node:assert/strict'
import type { Erasable, ErasablePlace, ErasureTarget, Store } from '../../store/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { documentKey, fact, learning, replacing } from './documents.ts'
import { assertForgotten, CANARY, erase, eraseMessages, finish, toldBy } from './erasing-kit.ts'
import { speakEverywhere } from './erasing-whole.ts'

/** A restore needs this from a store: it erases again what the list has and the backup does not know. */

const PERSON: ErasureTarget = { kind: 'person', id: 'ann' }
const AT = new Date(Date.UTC(2026, 5, 1))

async function listAll(store: Store): Promise<ReadonlySet<string>> {
  const all = new Set<string>()
  for (let place: ErasablePlace | null = { part: 0, after: 0 }; place !== null; ) {
    const page: { found: readonly Erasable[]; next: ErasablePlace | null } =
      await store.erasureList.listErasable(place)
    for (const { kind, namespace, id } of page.found) all.add(`${kind} ${namespace} ${id}`)
    place = page.next
  }
  return all
}

async function again(store: Store, target: ErasureTarget, listId = 'one') {
  return store.erasureList.repeatErasure({ found: { namespace: 'test', target }, listId, requestedAt: AT })
}

export const erasingAgain = contractCases('an erasure after a restore', {
  'has its id in the list from the start, or is given one once': async store => {
    await new Chat(store).say(1)
    const { id, listId } = await store.erasure.beginErasure('test', { target: PERSON, now: 0, listId: 'one' })
    assert.equal(listId, 'one')
    assert.equal((await store.erasureList.nameErasure('test', { id, listId: 'two' })).listId, 'one')
    const unnamed = await store.erasure.beginErasure('test', { target: PERSON, now: 0 })
    assert.equal(unnamed.listId, null)
    assert.equal(
      (await store.erasureList.nameErasure('test', { id: unnamed.id, listId: 'three' })).listId,
      'three',
    )
    assert.equal((await store.erasure.readErasure('test', unnamed.id))?.listId, 'three')
    assert.deepEqual(await store.erasureList.readErasureListIds(), ['one', 'three'])
    await refuses(store.erasureList.nameErasure('elsewhere', { id, listId: 'x' }), 'erasure_not_found')
  },

  'is known by its id in the list when it is done': async store => {
    await new Chat(store).say(1)
    let record = await again(store, PERSON)
    assert.deepEqual([record.stage, record.listId, record.requestedAt], ['erasing', 'one', AT])
    while (record.stage === 'erasing')
      record = await store.erasure.continueErasure('test', { id: record.id, now: 0 })
    assert.equal((await finish(store, record)).target, null)
    assert.deepEqual(await store.erasureList.readErasureListIds(), ['one'])
  },

  'does the same as the first time': async store => {
    await new Chat(store, 'bo').say(1)
    await speakEverywhere(store)
    let record = await again(store, PERSON)
    while (record.stage === 'erasing')
      record = await store.erasure.continueErasure('test', { id: record.id, now: 0 })
    assertForgotten(await toldBy(store))
  },

  'takes the messages that are there, and is done where there is nothing': async store => {
    await new Chat(store, 'chat').say(3)
    const some = await again(store, { kind: 'messages', sessionId: 'chat', seqs: [2, 3, 4, 5] })
    assert.deepEqual(some.target, { kind: 'messages', sessionId: 'chat', seqs: [2, 3] })
    for (const target of [
      { kind: 'messages', sessionId: 'chat', seqs: [4] },
      { kind: 'messages', sessionId: 'none', seqs: [1] },
      { kind: 'session', sessionId: 'none' },
    ] as const) {
      const { stage, target: left } = await again(store, target, 'two')
      assert.deepEqual([stage, left], ['done', null])
    }
    const nothing = await store.erasureList.repeatErasure({ found: null, listId: 'three', requestedAt: AT })
    assert.deepEqual([nothing.stage, nothing.requestedAt], ['done', AT])
    assert.equal(await store.erasure.readErasure('test', nothing.id), null)
    assert.deepEqual(await store.erasureList.readErasureListIds(), ['one', 'three', 'two'])
    assert.equal((await store.erasure.listOpenErasures('test')).length, 1)
  },

  'finds all that one can be about': async store => {
    assert.deepEqual(await listAll(store), new Set())
    await new Chat(store, 'private', { user: 'user' }).append(message('x', { sender: { id: 'sender' } }))
    await new Chat(store, 'other', { namespace: 'beside' }).say(1)
    await store.documents.changeDocuments([
      replacing(documentKey('user', 'remembered'), '- x\n', { author: { kind: 'person', name: 'author' } }),
      learning(documentKey('global'), [fact('- y', 'private', [1, 1], { subject: 'subject' })]),
    ])
    await store.settings.writeSettings('settings only', { zone: 'UTC' })
    const all = await listAll(store)
    for (const each of [
      ...['namespace test test', 'namespace beside beside', 'namespace settings only settings only'],
      ...['session test private', 'session beside other', 'person test user', 'person test sender'],
      ...['person test remembered', 'person test author', 'person test subject'],
    ])
      assert.ok(all.has(each), each)
    await erase(store, { kind: 'namespace' })
    const left = await listAll(store)
    assert.deepEqual(
      [...left].filter(each => / test /.test(each)).filter(each => !each.startsWith('namespace')),
      [],
    )
  },

  'finds those of many sessions': async store => {
    const chat = new Chat(store, 'first')
    await chat.say(1)
    const ids = Array.from({ length: 60 }, (_, number) => `chat-${number}`)
    for (const id of ids) await chat.beside(id).say(1)
    const all = await listAll(store)
    for (const id of ids) assert.ok(all.has(`session test ${id}`))
  },

  'knows where messages are by forks, erased ones too': async store => {
    const chat = new Chat(store, 'one')
    await chat.say(6)
    await chat.fork('two', 4)
    const two = chat.beside('two')
    await two.say(2)
    await two.fork('three', 6)
    const family = (sessionId: string, ...seqs: number[]) =>
      store.erasureList.readFamily('test', { sessionId, seqs })
    const expected = [
      { sessionId: 'three', seqs: [2, 6] },
      { sessionId: 'two', seqs: [2, 6] },
      { sessionId: 'one', seqs: [2] },
    ]
    assert.deepEqual(await family('three', 2, 6), expected)
    assert.deepEqual(await family('one', 5), [{ sessionId: 'one', seqs: [5] }])
    assert.deepEqual(await family('none', 5), [{ sessionId: 'none', seqs: [5] }])
    await eraseMessages(two, 2)
    assert.deepEqual(await family('three', 2, 6), expected)
  },

  'leaves files to be written anew, or trusted': async store => {
    const chat = new Chat(store, 'chat')
    await chat.append(message(`${CANARY} said`), message('kept'))
    const key = documentKey('global')
    await store.mirror.setMirrorFolder('test', '/somewhere')
    await store.documents.changeDocuments([
      learning(key, [fact(`- ${CANARY}`, 'chat', [1, 1])]),
      replacing(documentKey('user', 'bo'), '- x\n'),
    ])
    const [before] = await store.mirror.readMirrorStates('test', [key])
    await store.mirror.noteMirrored('test', [{ ...key, version: before!.version, hash: 'h' }])
    await eraseMessages(chat, 1)
    const states = async () =>
      (await store.mirror.readMirrorStates('test', [key, documentKey('user', 'bo')])).map(each => [
        each!.mirroredVersion === each!.version,
        each!.mirroredHash,
      ])
    assert.deepEqual(await states(), [
      [false, 'h'],
      [false, null],
    ])
    const gone = { layer: 'user', key: 'gone' } as const
    await store.erasureList.noteErasedDocuments('test', [gone, gone, { layer: 'user', key: 'bo' }])
    await store.erasureList.trustFiles('test', [gone])
    assert.deepEqual(await store.mirror.listErasedDocuments('test'), [{ layer: 'user', key: 'bo' }])
    // A document that was never mirrored is in no file.
    assert.deepEqual(await states(), [
      [true, null],
      [false, null],
    ])
  },
})
