import assert from 'node:assert/strict'
import { dailyKey, parseSessionFile, type SessionFile } from '../../store/index.ts'
import { Chat, checkFigures, message, sizeOf } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { adding, contentOf, DAY, documentKey, fact, learning, linesOf, NOW, replacing } from './documents.ts'

/** A session with something of everything that a session can hold. */
export async function eventfulChat(store: Chat['store']): Promise<Chat> {
  const chat = new Chat(store, 'eventful', { kind: 'group', user: 'ann', scope: 'work' })
  const sender = { id: 'ann', name: 'Ann\n##', isSelf: true }
  await chat.append(
    message('one\0\ud800', {
      sender,
      externalId: 'x'.repeat(3000),
      zone: 'Asia/Tokyo',
      at: Date.UTC(1999, 0, 1),
    }),
    message([{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: { a: 1 } }], { role: 'assistant' }),
    message([{ type: 'tool-result', toolCallId: 'c', output: '好' }], { role: 'tool', replyTo: 2 }),
  )
  await chat.say(9)
  await chat.edit(4, 'edited once')
  await chat.edit(4, 'edited twice')
  await chat.fold(2, { memo: { step: 1 } })
  await chat.fold(4, { memo: { step: 2 }, state: 'provisional' })
  await chat.foldAndRollUp(6, 2, { memo: { step: 3, text: '\0' } })
  await chat.foldAndRollUp(8, 3)
  await chat.edit(3, [{ type: 'tool-result', toolCallId: 'c', output: 'changed' }])
  await chat.rollback(10)
  await chat.say(4)
  await chat.edit(14, 'hidden soon, longer than before')
  await chat.rollback(13)
  await chat.say(3)
  await store.settings.updateSettings(chat.key, { policy: { name: 'window' } })
  await store.sessions.recordMeasures(chat.key, { overheadTokens: 77 })
  await chat.rollback(17)
  await remember(chat)
  return chat
}

/** Documents with something of everything that documents can hold. */
async function remember({ store, key: { id } }: Chat): Promise<void> {
  const [memory, today] = [documentKey('chat', id), documentKey('daily', dailyKey(DAY, id))]
  await store.documents.changeDocuments([
    learning(memory, [
      fact('- one\0\ud800', id, [1, 2], { subject: 'ann', on: '1999-01-01', from: 'fold' }),
      fact('- two', id, [3, 3], { saidAt: new Date(NOW - 5), from: 'tool' }),
    ]),
    adding(memory, '手写 😀\r', { author: { kind: 'tool', name: null }, now: NOW + 1 }),
    replacing(memory, '- two\n- three\n', {
      facts: [fact('- three', id, [4, 4])],
      superseded: ['- one\0\ud800'],
      undoes: 2,
      sources: [{ sessionId: id, fromSeq: 1, toSeq: 4 }],
      now: NOW + 2,
    }),
    adding(today, 'today'),
    adding(documentKey('daily', dailyKey('2026-01-14', id)), 'yesterday'),
  ])
}

export const archiving = contractCases('export and import', {
  'give the same file again': async store => {
    const chat = await eventfulChat(store)
    const file = await chat.file()
    const copy = await chat.copyByFile('copy')
    assert.deepEqual({ ...(await copy.file()), id: file.id }, file)
    assert.deepEqual(parseSessionFile(JSON.parse(JSON.stringify(file))), { file, warnings: [] })
  },

  'give the same session again: messages, versions, segments, memo and figures': async store => {
    const chat = await eventfulChat(store)
    const copy = await chat.copyByFile('copy')
    await checkFigures(chat)
    await checkFigures(copy)
    assert.deepEqual(
      (await copy.messages()).map(each => ({ ...each, id: '' })),
      (await chat.messages()).map(each => ({ ...each, id: '' })),
    )
    assert.deepEqual(await store.log.readVersions(copy.key, 4), await store.log.readVersions(chat.key, 4))
    assert.deepEqual(
      await store.folds.readSegments(copy.key, 'all'),
      await store.folds.readSegments(chat.key, 'all'),
    )
    const [before, after] = [await chat.record(), await copy.record()]
    assert.deepEqual(
      [
        after.epoch,
        after.memo,
        after.settings,
        after.createdAt,
        after.state.overheadTokens,
        after.state.lastFoldAt,
      ],
      [before.epoch, before.memo, before.settings, before.createdAt, 77, before.state.lastFoldAt],
    )
  },

  'give a session that goes on as the first would have': async store => {
    const chat = await eventfulChat(store)
    const copy = await chat.copyByFile('copy')
    for (const each of [chat, copy]) {
      assert.deepEqual(await each.say(3), [20, 21, 22])
      await checkFigures(each)
      await each.rollback(7)
      await checkFigures(each)
      assert.deepEqual(
        (await each.append(message('one\0\ud800', { externalId: 'x'.repeat(3000) }))).messages,
        [{ seq: 1, duplicate: true }],
      )
    }
    assert.deepEqual(
      (await store.folds.readSegments(copy.key, 'all')).map(({ id }) => id),
      (await store.folds.readSegments(chat.key, 'all')).map(({ id }) => id),
    )
  },

  'take a session without messages, and one of which all are hidden': async store => {
    const empty = new Chat(store, 'empty')
    await empty.append()
    const hidden = new Chat(store, 'hidden')
    await hidden.say(3)
    await hidden.rollback(0)
    for (const chat of [empty, hidden]) {
      const copy = await chat.copyByFile(`${chat.key.id} copy`)
      assert.deepEqual({ ...(await copy.file()), id: chat.key.id }, await chat.file())
      await checkFigures(copy)
    }
    assert.deepEqual(await hidden.beside('hidden copy').say(1), [4])
  },

  'take seqs with gaps': async store => {
    const chat = new Chat(store)
    await chat.say(9)
    const file = await chat.file()
    const gaps: SessionFile = {
      ...file,
      messages: file.messages.filter(({ seq }) => [3, 4, 8].includes(seq)),
    }
    const copy = chat.beside('copy')
    await store.transfer.importSession(copy.key, gaps, {
      measure: ({ content }) => sizeOf(content),
      groupTurnMessages: 12,
      now: chat.now,
    })
    assert.deepEqual(await copy.seqs(), [3, 4, 8])
    assert.deepEqual(await copy.seqs({ from: 'newest', limit: 2 }), [4, 8])
    assert.deepEqual(await copy.say(1), [9])
    await checkFigures(copy)
    assert.deepEqual((await copy.rollback(6)).head?.seq, 4)
    await checkFigures(copy)
  },

  'take more messages than fit into one transaction': async store => {
    const chat = new Chat(store)
    await chat.say(700)
    const copy = await chat.copyByFile('copy')
    assert.deepEqual({ ...(await copy.file()), id: 'chat' }, await chat.file())
  },

  'refuse an id that is taken, and leave nothing of a failed import': async store => {
    const chat = await eventfulChat(store)
    const file = await chat.file()
    await refuses(chat.copyByFile('eventful'), 'session_exists')
    assert.deepEqual(await chat.file(), file)
    const broken = { measure: () => assert.fail('no measure'), groupTurnMessages: 12, now: chat.now }
    await assert.rejects(store.transfer.importSession(chat.beside('broken').key, file, broken), /no measure/)
    assert.equal(await store.sessions.readSession(chat.beside('broken').key), null)
    assert.equal((await store.sessions.listSessions('test', { limit: 10 })).length, 1)
    await checkFigures(await chat.copyByFile('broken'))
  },

  'give the same documents again, with their versions and facts, under another id too': async store => {
    const chat = await eventfulChat(store)
    const copy = await chat.copyByFile('copy')
    for (const place of [
      (id: string) => documentKey('chat', id),
      (id: string) => documentKey('daily', dailyKey(DAY, id)),
    ]) {
      const [ours, theirs] = [place('eventful'), place('copy')]
      const document = await store.documents.readDocument(ours)
      assert.ok(document)
      assert.deepEqual(await store.documents.readDocument(theirs), { ...document, key: theirs.key })
      const versions = await store.documents.readDocumentVersions(ours, { limit: 100 })
      const renamed = versions.map(each => ({
        ...each,
        sources: each.sources.map(source => ({ ...source, sessionId: 'copy' })),
      }))
      assert.deepEqual(await store.documents.readDocumentVersions(theirs, { limit: 100 }), renamed)
      const facts = await store.documents.readFacts(ours, 'all')
      assert.deepEqual(
        await store.documents.readFacts(theirs, 'all'),
        facts.map(each => ({ ...each, origin: { ...each.origin, sessionId: 'copy' } })),
      )
    }
    assert.equal((await store.documents.readFacts(documentKey('chat', 'copy'), 'all')).length, 3)
    const { documents } = await chat.file()
    assert.deepEqual(
      documents.map(({ day, versions, facts }) => [day, versions.length, facts.length]),
      [
        [null, 3, 3],
        ['2026-01-14', 1, 0],
        [DAY, 1, 0],
      ],
    )
    await copy.rollback(2)
    assert.deepEqual(await linesOf(store, documentKey('chat', 'copy')), [])
    assert.equal(await contentOf(store, documentKey('chat', 'eventful')), '- two\n- three\n')
  },

  'leave out what other sessions said, since it is in no file': async store => {
    const chat = new Chat(store)
    await chat.say(2)
    await chat.beside('other').say(50)
    const memory = documentKey('chat', 'chat')
    const sources = [
      { sessionId: 'other', fromSeq: 40, toSeq: 44 },
      { sessionId: 'chat', fromSeq: 1, toSeq: 2 },
    ]
    const learned = [fact('- theirs', 'other', [40, 44]), fact('- ours', 'chat', [1, 2])]
    await store.documents.changeDocuments([learning(memory, learned, { sources })])
    const file = await chat.file()
    assert.deepEqual(parseSessionFile(JSON.parse(JSON.stringify(file))), { file, warnings: [] })
    const copy = await chat.copyByFile('copy')
    assert.deepEqual({ ...(await copy.file()), id: 'chat' }, file)
    const kept = documentKey('chat', 'copy')
    assert.equal(await contentOf(store, kept), '- theirs\n- ours\n')
    const [version] = await store.documents.readDocumentVersions(kept, { limit: 1 })
    assert.deepEqual(version?.sources, [{ sessionId: 'copy', fromSeq: 1, toSeq: 2 }])
    assert.deepEqual(
      (await store.documents.readFacts(kept, 'all')).map(({ line }) => line),
      ['- ours'],
    )
    await chat.fork('fork', 2)
    const forked = documentKey('chat', 'fork')
    assert.equal(await contentOf(store, forked), '- theirs\n- ours\n')
    assert.deepEqual(
      (await store.documents.readFacts(forked, 'all')).map(({ line, origin }) => [line, origin.sessionId]),
      [['- ours', 'fork']],
    )
  },

  'keep what a rollback took out of the documents, and how far was extracted': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    const memory = documentKey('chat', 'chat')
    await store.documents.changeDocuments([
      learning(memory, [fact('- tea', 'chat', [5, 6]), fact('- rum', 'chat', [1, 2])]),
    ])
    await chat.rollback(4)
    const file = { ...(await chat.file()), extractedThrough: 3 }
    const copy = chat.beside('copy')
    await store.transfer.importSession(copy.key, file, {
      measure: ({ content }) => sizeOf(content),
      groupTurnMessages: 12,
      now: chat.now,
    })
    assert.deepEqual({ ...(await copy.file()), id: 'chat' }, file)
    assert.equal((await copy.record()).extractedThrough, 3)
    const versions = await store.documents.readDocumentVersions(documentKey('chat', 'copy'), { limit: 10 })
    assert.deepEqual(
      versions.map(({ content, author }) => [content, author.kind]),
      [
        ['- rum\n', 'rollback'],
        ['- tea\n- rum\n', 'extraction'],
      ],
    )
    assert.deepEqual(parseSessionFile(JSON.parse(JSON.stringify(file))), { file, warnings: [] })
  },
})
