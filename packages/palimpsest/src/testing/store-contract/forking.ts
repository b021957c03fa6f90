import assert from 'node:assert/strict'
import { dailyKey } from '../../store/index.ts'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { adding, documentKey, fact, learning, linesOf, memoryEvents, replacing } from './documents.ts'

async function foldedChat(store: Chat['store']): Promise<Chat> {
  const chat = new Chat(store, 'original', { kind: 'group', user: 'ann', scope: 'work' })
  await chat.say(12)
  await chat.fold(3, { memo: { through: 3 } })
  await chat.foldAndRollUp(6, 2, { memo: { through: 6 } })
  return chat
}

export const forking = contractCases('fork', {
  'copies the visible messages under the same seqs, with everything about them': async store => {
    const chat = new Chat(store, 'original', { kind: 'agent', user: 'ann', scope: 'work' })
    const sender = { id: 'ann', name: 'Ann' }
    await chat.append(
      message('one', { sender, externalId: 'm1', zone: 'Asia/Tokyo' }),
      message('two', { replyTo: 'm1' }),
    )
    await chat.edit(2, 'two, edited')
    await chat.say(4)
    await store.settings.updateSettings(chat.key, { policy: 'count' })
    const copy = await chat.fork('copy', 4)
    const expected = (await chat.messages()).filter(({ seq }) => seq <= 4)
    assert.deepEqual(
      await copy.messages(),
      expected.map(each => ({ ...each, id: `copy/${each.seq}` })),
    )
    assert.deepEqual(await store.log.readVersions(copy.key, 2), await store.log.readVersions(chat.key, 2))
    const { id, kind, user, scope, origin, settings, head, createdAt } = await copy.record()
    assert.deepEqual(
      { id, kind, user, scope, origin, settings, head: head?.seq },
      {
        id: 'copy',
        kind: 'agent',
        user: 'ann',
        scope: 'work',
        origin: { sessionId: 'original', seq: 4 },
        settings: { policy: 'count' },
        head: 4,
      },
    )
    assert.equal(createdAt.getTime(), chat.now)
    await checkFigures(copy)
    assert.deepEqual(await copy.say(1), [5])
    await checkFigures(copy)
  },

  'answers with the record of the new session': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    const record = await store.transfer.fork(chat.key, { newId: 'copy', atSeq: 2, now: chat.tick() })
    assert.deepEqual(record, await chat.beside('copy').record())
  },

  'keeps the folds where it begins above them': async store => {
    const chat = await foldedChat(store)
    for (const atSeq of [6, 7, 12]) {
      const copy = await chat.fork(`at ${atSeq}`, atSeq)
      assert.deepEqual(
        await store.folds.readSegments(copy.key, 'all'),
        await store.folds.readSegments(chat.key, 'all'),
      )
      assert.equal((await copy.record()).state.compactedThrough, 6)
      assert.deepEqual((await copy.record()).memo, { value: { through: 6 }, throughSeq: 6 })
      await checkFigures(copy)
      await copy.say(3)
      await checkFigures(copy)
      await copy.rollback(4)
      await checkFigures(copy)
    }
  },

  'starts unfolded where it begins inside them, and counts what edits changed': async store => {
    const chat = await foldedChat(store)
    await chat.edit(2, 'x'.repeat(300))
    for (const atSeq of [1, 3, 5]) {
      const copy = await chat.fork(`at ${atSeq}`, atSeq)
      const { state, segments, memo } = await copy.record()
      assert.deepEqual([state.compactedThrough, segments, memo], [0, 0, null])
      assert.deepEqual(await store.folds.readSegments(copy.key, 'all'), [])
      await checkFigures(copy)
      await copy.say(2)
      await checkFigures(copy)
    }
  },

  'leaves out what was hidden, and may begin at a hidden message or at none': async store => {
    const chat = new Chat(store)
    for (let round = 0; round < 3; round++) await chat.rollback((await chat.say(4))[1]!)
    const copy = await chat.fork('copy', 7)
    assert.deepEqual(await copy.seqs(), [1, 2, 5, 6])
    assert.deepEqual((await copy.record()).origin, { sessionId: 'chat', seq: 6 })
    assert.ok((await copy.file()).messages.every(({ hidden }) => !hidden))
    await checkFigures(copy)
    const [next] = await copy.say(1)
    assert.deepEqual(await copy.seqs(), [1, 2, 5, 6, next])
    await checkFigures(copy)
    const empty = await chat.fork('empty', 0)
    assert.equal((await empty.record()).head, null)
    assert.deepEqual(await empty.say(2), [1, 2])
    await checkFigures(empty)
  },

  'takes more messages than fit into one transaction': async store => {
    const chat = new Chat(store)
    await chat.say(1000)
    await chat.rollback(700)
    await chat.say(700)
    const copy = await chat.fork('copy', 1600)
    assert.deepEqual(
      await copy.seqs(),
      (await chat.seqs()).filter(seq => seq <= 1600),
    )
    await checkFigures(copy)
  },

  'refuses an id that is taken, and changes nothing': async store => {
    const chat = new Chat(store)
    await chat.say(3)
    await chat.beside('taken').say(1)
    await refuses(chat.fork('taken', 2), 'session_exists')
    await refuses(chat.fork('chat', 2), 'session_exists')
    assert.deepEqual(await chat.beside('taken').seqs(), [1])
    assert.equal((await store.sessions.listSessions('test', { limit: 10 })).length, 2)
  },

  'gives an id to one of two who ask for it at once': async store => {
    const chat = new Chat(store)
    await chat.say(3)
    const outcomes = await Promise.allSettled([1, 2, 3].map(atSeq => chat.fork('copy', atSeq)))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.deepEqual(
      refused.map(outcome => (outcome as PromiseRejectedResult).reason.code),
      ['session_exists', 'session_exists'],
    )
    await checkFigures(chat.beside('copy'))
  },

  'is a copy: neither is touched by what happens to the other': async store => {
    const chat = await foldedChat(store)
    const copy = await chat.fork('copy', 8)
    const original = await chat.file()
    await copy.edit(2, 'edited in the copy')
    await copy.edit(8, 'edited in the copy')
    await copy.fold(7)
    await copy.append(message('only here', { externalId: 'm1' }))
    await copy.rollback(2)
    assert.deepEqual(await chat.file(), original)
    const before = await copy.file()
    await chat.edit(1, 'edited in the original')
    await chat.rollback(0)
    assert.deepEqual(await copy.file(), before)
    await checkFigures(chat)
    await checkFigures(copy)
  },

  'takes chat memory and daily log along, without what was learned above': async store => {
    const chat = await foldedChat(store)
    const days = ['2026-01-13', '2026-01-14', '2026-01-15']
    const keysOf = (id: string) => [
      documentKey('chat', id),
      ...days.map(day => documentKey('daily', dailyKey(day, id))),
    ]
    const learned = [
      fact('- folded first', 'original', [1, 3], { from: 'fold' }),
      fact('- folded', 'original', [1, 6], { from: 'fold' }),
      fact('- below', 'original', [7, 8], { subject: 'ann', on: '2026-01-14' }),
      fact('- above', 'original', [9, 9]),
      fact('- across', 'original', [8, 9]),
      fact('- said again above', 'original', [2, 2]),
      fact('- said again above', 'original', [10, 10]),
    ]
    for (const key of keysOf('original'))
      await store.documents.changeDocuments([
        replacing(key, '# Notes\r\n- of a person\n'),
        learning(key, learned),
      ])
    await store.documents.changeDocuments([adding(documentKey('user', 'ann'), 'tea')])
    const before = await chat.file()
    await chat.fork('copy', 8)
    const [memory, oldest, ...newest] = keysOf('copy')
    for (const key of [memory!, ...newest]) {
      const lines = [
        '# Notes\r',
        '- of a person',
        '- folded first',
        '- folded',
        '- below',
        '- said again above',
      ]
      assert.deepEqual(await linesOf(store, key), lines)
      const facts = [0, 1, 2, 5]
        .map(index => learned[index]!)
        .map(each => ({
          ...each,
          origin: { ...each.origin, sessionId: 'copy' },
          version: 1,
          supersededAt: null,
        }))
      assert.deepEqual(await store.documents.readFacts(key, 'all'), facts)
      const versions = await store.documents.readDocumentVersions(key, { limit: 10 })
      assert.deepEqual(
        versions.map(({ version, sources, at }) => [version, sources, at.getTime()]),
        [[1, [], chat.now]],
      )
    }
    assert.equal(await store.documents.readDocument(oldest!), null, 'no context would show it')
    assert.deepEqual(await chat.file(), before)
    // It has no memory of folds that it does not keep, even if it keeps their messages.
    const inside = await chat.fork('inside', 4)
    const lines = ['# Notes\r', '- of a person', '- said again above']
    assert.deepEqual(await linesOf(store, keysOf('inside')[0]!), lines)
    assert.equal((await inside.record()).extractedThrough, 0)
    assert.equal((await store.documents.listDocuments('test', { layer: 'user', limit: 10 })).length, 1)
  },

  'has a memory of its own: what is rolled back or written in one stays in the other': async store => {
    const chat = new Chat(store)
    await chat.say(8)
    const [original, forked] = ['chat', 'copy'].map(id => documentKey('chat', id))
    await store.documents.changeDocuments([learning(original!, [fact('- tea', 'chat', [5, 6])])])
    const copy = await chat.fork('copy', 8)
    await store.documents.changeDocuments([learning(forked!, [fact('- rum', 'copy', [7, 8])])])
    await chat.rollback(4)
    assert.deepEqual(
      [await linesOf(store, original!), await linesOf(store, forked!)],
      [[], ['- tea', '- rum']],
    )
    await copy.rollback(6)
    assert.deepEqual(await linesOf(store, forked!), ['- tea'])
    await copy.rollback(2)
    assert.deepEqual(await linesOf(store, forked!), [])
    assert.deepEqual(
      (await memoryEvents(store, 5)).map(({ sessionId, data }) => [sessionId, data?.['version']]),
      [
        ['chat', 1],
        ['copy', 2],
        ['chat', 2],
        ['copy', 3],
        ['copy', 4],
      ],
    )
  },

  'takes no document along of which nothing is left': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    await store.documents.changeDocuments([
      learning(documentKey('chat', 'chat'), [fact('- tea', 'chat', [3, 4])]),
    ])
    await chat.fork('copy', 2)
    assert.equal(await store.documents.readDocument(documentKey('chat', 'copy')), null)
    await chat.fork('whole', 4)
    assert.deepEqual(await linesOf(store, documentKey('chat', 'whole')), ['- tea'])
  },
})
