import assert from 'node:assert/strict'
import { PalimpsestError } from '../../errors.ts'
import { dailyKey, type ErasureTarget, type Store } from '../../store/index.ts'
import { Chat, type ChatOptions, checkFigures, message, sizeOf } from './chat.ts'
import { contractCases, type OpenStore, refuses } from './contract-case.ts'
import { adding, contentOf, DAY, documentKey, fact, learning, linesOf, replacing } from './documents.ts'
import {
  assertForgotten,
  CANARY,
  erase,
  eraseMessages,
  finish,
  indexAll,
  toldBy,
  toldByDocuments,
  toldBySession,
} from './erasing-kit.ts'

const ANN = documentKey('user', 'ann')
const ANN_HERSELF = { id: 'ann', name: `Ann ${CANARY}` }
const BO = { id: 'bo', name: 'Bo' }

/** Puts data of a person into every place. Each place has the canary. */
export async function speakEverywhere(store: Store): Promise<void> {
  await speakIn(store, 'private', { user: 'ann', scope: 'home' })
  await speakIn(store, 'group', { kind: 'group', scope: 'work' })
  const group = new Chat(store, 'group', { kind: 'group', scope: 'work' })
  await group.fork('fork', 9)
  await group.fork('short', 2)
  await store.documents.changeDocuments([
    learning(ANN, [fact(`- ${CANARY} at home`, 'private', [1, 2], { subject: 'ann' })]),
    learning(documentKey('scope', 'work'), [fact(`- ${CANARY} at work`, 'group', [3, 3])]),
    adding(documentKey('scope', 'work'), '- of a person', {
      author: { kind: 'person', name: 'ann' },
      sources: [{ sessionId: 'private', fromSeq: 1, toSeq: 2 }],
    }),
    learning(documentKey('global'), [fact(`- ${CANARY} for all`, 'private', [1, 1], { from: 'tool' })]),
    learning(documentKey('global'), [fact(`- ${CANARY}, says Bo`, 'bo', [1, 1], { subject: 'ann' })]),
    replacing(documentKey('global'), '- what all know\n'),
    replacing(documentKey('chat', 'group'), `# Chat\n- With: Bo, ${ANN_HERSELF.name}\n- Kind: group\n`),
    learning(documentKey('chat', 'group'), [fact(`- ${CANARY} here`, 'group', [1, 4], { from: 'fold' })]),
    learning(documentKey('daily', dailyKey(DAY, 'private')), [fact(`- ${CANARY}`, 'private', [1, 4])]),
    learning(documentKey('chat', 'private'), [fact(`- ${CANARY}`, 'private', [1, 4])]),
  ])
}

/**
 * Ann writes the messages with odd numbers except the last, and they have the canary. Bo writes the others.
 */
async function speakIn(store: Store, id: string, options: ChatOptions): Promise<void> {
  const chat = new Chat(store, id, options)
  const said = Array.from({ length: 11 }, (_, place) =>
    place % 2 === 0 && place < 10
      ? message(`${CANARY} ${place}`, { sender: ANN_HERSELF, externalId: `${CANARY}-${place}` })
      : message(`harmless ${place}`, { sender: BO, externalId: `bo-${place}` }),
  )
  await chat.append(...said.slice(0, 8))
  await chat.ask({ burst: 'ann', address: { said: CANARY } }, said[8]!)
  await chat.append(...said.slice(9))
  await chat.edit(1, `${CANARY} edited`)
  await chat.rollback(10)
  await store.pins.pin(chat.key, { seq: 3, note: null, tokens: 3, mostTokens: 100, now: chat.now })
  await indexAll(chat)
  for (const toSeq of [2, 4]) {
    const commit = await chat.prepareFold(toSeq, { memo: { [CANARY]: toSeq } })
    await chat.commit({
      ...commit,
      segments: commit.segments.map(segment => ({
        ...segment,
        summary: CANARY,
        events: [{ on: DAY, text: CANARY }],
        details: [CANARY],
        text: CANARY,
      })),
      outcome: { said: CANARY },
    })
  }
  await store.schedule.setPending(chat.key, {
    type: 'deep',
    reason: 'force',
    severity: 1000,
    meta: { said: CANARY },
  })
}

/** Data of another person, which the erasure must not touch. */
async function speakBeside(store: Store): Promise<() => Promise<void>> {
  const chat = new Chat(store, 'bo', { user: 'bo', scope: 'work' })
  await chat.append(
    message('my own', { sender: BO, externalId: 'b-1' }),
    message('reply', { role: 'assistant' }),
  )
  await chat.fold(1, { memo: { known: true } })
  await indexAll(chat)
  const elsewhere = new Chat(store, 'private', { namespace: 'elsewhere', user: 'ann' })
  await elsewhere.append(message('elsewhere', { sender: { id: 'ann' } }))
  await store.documents.changeDocuments([
    learning(documentKey('user', 'bo'), [fact('- likes tea', 'bo', [1, 1], { subject: 'bo' })]),
    learning(documentKey('user', 'ann', 'elsewhere'), [
      fact('- likes rum', 'private', [1, 1], { subject: 'ann' }),
    ]),
  ])
  const read = async () => ({
    session: [await chat.file(), await chat.messages(), await chat.record()],
    document: await store.documents.readDocumentVersions(documentKey('user', 'bo'), { limit: 9 }),
    facts: await store.documents.readFacts(documentKey('user', 'bo'), 'all'),
    elsewhere: [
      await toldBySession(store, 'private', 'elsewhere'),
      await toldByDocuments(store, 'elsewhere'),
    ],
  })
  const before = await read()
  return async () => assert.deepEqual(await read(), before)
}

/** An event may appear a little after its commit. */
const PATIENCE_MS = 10_000

const PERSON: ErasureTarget = { kind: 'person', id: 'ann' }
const SESSION: ErasureTarget = { kind: 'session', sessionId: 'private' }

const erasingForks = contractCases('erased messages of forks', {
  'go from the whole family, and each keeps the rest': async store => {
    const chat = new Chat(store, 'chat')
    await chat.append(...['one', CANARY, 'three', CANARY].map(text => message(text)))
    const child = await chat.fork('child', 4)
    const early = await chat.fork('early', 1)
    const sibling = await chat.fork('sibling', 3)
    await child.append(message(`${CANARY} of my own`), message('six'))
    const grandchild = await child.fork('grandchild', 6)
    // Its messages have the same numbers, but are others.
    const stranger = new Chat(store, 'stranger')
    await stranger.say(4)
    const file = { ...(await stranger.file()), origin: { sessionId: 'chat', seq: 4 } }
    await store.transfer.importSession({ ...stranger.key, id: 'imported' }, file, {
      measure: ({ content }) => sizeOf(content),
      groupTurnMessages: 12,
      now: 0,
    })
    const record = await eraseMessages(child, 2, 5)
    assert.equal(record.counts.forks, 3)
    assert.deepEqual(await chat.seqs(), [1, 3, 4])
    assert.deepEqual(await child.seqs(), [1, 3, 4, 6])
    assert.deepEqual(await grandchild.seqs(), [1, 3, 4, 6])
    assert.deepEqual(await sibling.seqs(), [1, 3])
    assert.deepEqual(await early.seqs(), [1])
    assert.deepEqual(await stranger.beside('imported').seqs(), [1, 2, 3, 4])
    await eraseMessages(grandchild, 4)
    assertForgotten(await toldBy(store))
    for (const each of [chat, child, grandchild, sibling, early]) await checkFigures(each)
  },

  'go from many slices of many sessions': async store => {
    const chat = new Chat(store, 'chat')
    await chat.append(...Array.from({ length: 130 }, (_, place) => message(place % 2 ? CANARY : 'kept')))
    await chat.fork('child', 130)
    const seqs = (await chat.messages()).filter(({ content }) => content === CANARY).map(({ seq }) => seq)
    const record = await eraseMessages(chat, ...seqs)
    assert.equal(record.counts.messages, 130)
    for (const each of [chat, chat.beside('child')]) {
      assert.equal((await each.seqs()).length, 65)
      await checkFigures(each)
    }
    assertForgotten(await toldBy(store))
  },

  'do not come back with a fork that is under way': async (store, open) => {
    const other = await open()
    for (const [round, waits] of [0, 1, 3, 8].entries()) {
      for (const kind of ['messages', 'session'] as const) {
        const chat = new Chat(store, `chat ${kind} ${round}`)
        await chat.append(...Array.from({ length: 1_100 }, (_, place) => message(place % 100 ? 'x' : CANARY)))
        const seqs = Array.from({ length: 11 }, (_, place) => place * 100 + 1)
        const forking = other.transfer
          .fork(chat.key, { newId: `fork ${kind} ${round}`, atSeq: 1_100, now: chat.now })
          .catch(error => {
            const codes = ['epoch_conflict', 'lease_lost', 'session_not_found', 'message_not_found']
            assert.ok(PalimpsestError.isInstance(error) && codes.includes(error.code), String(error))
          })
        for (let wait = 0; wait < waits; wait++) await new Promise(resolve => setImmediate(resolve))
        const sessionId = chat.key.id
        await erase(store, kind === 'session' ? { kind, sessionId } : { kind, sessionId, seqs })
        await forking
        const left = await store.sessions.listSessions('test', { limit: 1_000 })
        for (const { id } of left)
          for (const { content } of await chat.beside(id).messages()) assert.notEqual(content, CANARY)
      }
    }
  },
})

const erasingSessions = contractCases('an erased session', {
  'is gone with all that was its own, and nothing else is': async store => {
    const isBesideUntouched = await speakBeside(store)
    await speakIn(store, 'private', { user: 'ann', scope: 'home' })
    await store.settings.updateSettings({ namespace: 'test', id: 'private' }, { note: CANARY })
    await store.documents.changeDocuments([
      learning(ANN, [fact(`- ${CANARY}`, 'private', [1, 2]), fact('- kept', 'bo', [1, 1])], {
        sources: ['private', 'bo'].map(sessionId => ({ sessionId, fromSeq: 1, toSeq: 2 })),
      }),
      adding(documentKey('global'), '- by a person', {
        sources: [{ sessionId: 'private', fromSeq: 1, toSeq: 1 }],
      }),
      learning(documentKey('chat', 'private'), [fact(`- ${CANARY}`, 'private', [1, 4])]),
      adding(documentKey('daily', dailyKey(DAY, 'private')), `- ${CANARY}`),
    ])
    await store.leases.takeLease('test', { name: 'extraction/private', owner: 'me', ttlMs: 9, now: 0 })
    const record = await erase(store, SESSION)
    assert.deepEqual(record.counts, {
      sessions: 1,
      messages: 11,
      versions: 1,
      segments: 2,
      memos: 2,
      pins: 1,
      index: 1,
      documents: 3,
      documentVersions: 3,
      facts: 2,
      events: record.counts.events,
      outcomes: 1,
      settings: 1,
      senders: 1,
    })
    assert.ok(record.counts.events! > 5)
    assert.equal(await store.sessions.readSession({ namespace: 'test', id: 'private' }), null)
    assert.deepEqual(await linesOf(store, ANN), ['- kept'])
    for (const key of [ANN, documentKey('global')])
      for (const { sources } of await store.documents.readDocumentVersions(key, { limit: 9 }))
        assert.ok(sources.every(({ sessionId }) => sessionId === 'bo'))
    assert.equal(await contentOf(store, documentKey('chat', 'private')), null)
    const told = await toldBy(store)
    assertForgotten(told)
    assert.equal(told.includes('"private"') && told.includes('"id":"private"'), false)
    await isBesideUntouched()
    await refuses(erase(store, SESSION), 'session_not_found')
  },

  'takes from its forks what they have of it, and they keep their own': async store => {
    const chat = new Chat(store, 'chat')
    await chat.append(message(CANARY), message(`${CANARY} two`), message(`${CANARY} three`))
    const child = await chat.fork('child', 2)
    await child.append(message('of my own'), message('and more'))
    const grandchild = await child.fork('grandchild', 3)
    await grandchild.append(message('mine'))
    await child.fold(3)
    const record = await erase(store, { kind: 'session', sessionId: 'chat' })
    assert.equal(record.counts.forks, 2)
    assert.deepEqual(await child.seqs(), [3, 4])
    assert.deepEqual(await grandchild.seqs(), [3, 4])
    assert.equal((await child.record()).origin, null)
    assert.deepEqual((await grandchild.record()).origin, { sessionId: 'child', seq: 3 })
    assertForgotten(await toldBy(store))
    for (const each of [child, grandchild]) await checkFigures(each)
    // If a fork is erased, its original stays as it is.
    const before = await child.file()
    await erase(store, { kind: 'session', sessionId: 'grandchild' })
    assert.deepEqual(await child.file(), before)
  },

  'frees its name, and what bears it then is never taken for it': async store => {
    const chat = new Chat(store, 'private', { user: 'ann' })
    const own = documentKey('chat', 'private')
    await chat.say(4)
    await chat.fold(2)
    for (const text of ['one', 'two', 'three']) await store.documents.changeDocuments([adding(own, text)])
    const old = await chat.prepareFold(4)
    const name = 'extraction/private'
    const lease = await store.leases.takeLease('test', { name, owner: 'me', ttlMs: 60_000, now: chat.now })
    const { epoch, state } = await chat.record()
    await erase(store, SESSION)
    await refuses(store.folds.commitFold(old), 'session_not_found')
    await refuses(store.folds.acquireLease(chat.key, { owner: 'me', ttlMs: 1, now: 0 }), 'session_not_found')

    assert.deepEqual(await chat.say(4), [1, 2, 3, 4])
    const record = await chat.record()
    assert.ok(record.epoch > epoch && record.firstEpoch === record.epoch)
    assert.equal(record.state.compactedThrough, 0)
    assert.equal(state.compactedThrough, 2)
    const [written] = await store.documents.changeDocuments([adding(own, 'anew')])
    assert.equal(written?.content, 'anew\n')
    assert.ok(written.version > 3)
    assert.deepEqual(
      (await store.documents.readDocumentVersions(own, { limit: 9 })).map(({ version, content }) => [
        version,
        content,
      ]),
      [[written.version, 'anew\n']],
    )
    const again = await chat.prepareFold(4)
    assert.ok(again.leaseToken > old.leaseToken)
    await refuses(store.folds.commitFold(old), 'lease_lost')
    await refuses(store.folds.commitFold({ ...old, leaseToken: again.leaseToken }), 'epoch_conflict')
    const anew = await store.leases.takeLease('test', { name, owner: 'you', ttlMs: 60_000, now: chat.now })
    assert.ok(anew!.token > lease!.token)
    await chat.commit(again)
    await checkFigures(chat)

    const copy = await chat.copyByFile('copy')
    assert.deepEqual({ ...(await copy.file()), id: 'private' }, await chat.file())
    assert.ok((await copy.record()).firstEpoch > epoch)
    const fork = await chat.fork('fork', 4)
    assert.ok((await fork.record()).firstEpoch > epoch)
    await checkFigures(fork)
    const file = await chat.file()
    await erase(store, SESSION)
    await store.transfer.importSession(chat.key, JSON.parse(JSON.stringify(file)), {
      measure: ({ content }) => sizeOf(content),
      groupTurnMessages: 12,
      now: chat.now,
    })
    assert.deepEqual(await chat.file(), file)
    assert.ok((await chat.record()).firstEpoch > record.epoch)
    assert.ok((await store.documents.readDocument(own))!.version > written.version)
  },

  'is not seen from the first moment on, and may be written anew meanwhile': async store => {
    const chat = new Chat(store, 'private', { user: 'ann' })
    for (let part = 0; part < 4; part++)
      await chat.append(...Array.from({ length: 300 }, () => message(CANARY, { sender: BO })))
    await store.documents.changeDocuments([adding(documentKey('chat', 'private'), CANARY)])
    let slices = 0
    await erase(store, SESSION, {
      next: async () => {
        slices += 1
        if (slices === 2) {
          assertForgotten(await toldBySession(store, 'private'))
          assertForgotten(await toldByDocuments(store))
          assert.deepEqual(await chat.say(1), [1])
          await chat.append(message('by Bo', { sender: BO }))
          await store.documents.changeDocuments([adding(documentKey('chat', 'private'), 'anew')])
        }
        return store
      },
    })
    assert.ok(slices > 5)
    assertForgotten(await toldBy(store))
    assert.deepEqual(await chat.contents(), ['message 1', 'by Bo'])
    assert.deepEqual((await chat.messages())[1]?.sender, BO)
    assert.equal(await contentOf(store, documentKey('chat', 'private')), 'anew\n')
    await checkFigures(chat)
  },

  'leaves the senders that others speak as': async store => {
    const [chat, other] = ['private', 'other'].map(id => new Chat(store, id))
    await chat!.append(message('a', { sender: BO }), message('b', { sender: ANN_HERSELF }))
    await other!.append(message('c', { sender: BO }))
    const record = await erase(store, SESSION)
    assert.equal(record.counts.senders, 1)
    assert.deepEqual((await other!.messages())[0]?.sender, BO)
    await other!.append(message('d', { sender: BO }), message('e', { sender: { id: 'new' } }))
    assert.deepEqual(
      (await other!.messages()).map(({ sender }) => sender),
      [BO, BO, { id: 'new' }],
    )
    assertForgotten(await toldBy(store))
  },

  'keeps nobody from hearing what happens next': async store => {
    const [chat, other] = ['private', 'other'].map(id => new Chat(store, id))
    await other!.say(1)
    await chat!.append(message(CANARY, { sender: ANN_HERSELF }))
    await indexAll(chat!)
    await store.documents.changeDocuments([adding(documentKey('chat', 'private'), CANARY)])
    // A listener that reads events and searches all the while, and remembers the results.
    const listen = async (after: string | null) => {
      const deadline = performance.now() + PATIENCE_MS
      for (;;) {
        const events = await store.events.readEvents({ after, limit: 1_000 })
        if (events.length > 0 || performance.now() > deadline) return events
      }
    }
    const position = (await listen(null)).at(-1)!.position
    await toldBySession(store, 'private')
    await erase(store, SESSION)
    await other!.append(message('new', { sender: { id: 'new' } }))
    const [event] = await listen(position)
    assert.deepEqual([event?.type, event?.sessionId, event?.fromSeq], ['message-appended', 'other', 2])
    await indexAll(other!)
    assertForgotten(await toldBy(store))
  },

  'leaves its files to be removed where there is a workspace': async store => {
    const chat = new Chat(store, 'private')
    await chat.say(1)
    const keys = [documentKey('chat', 'private'), documentKey('daily', dailyKey(DAY, 'private'))]
    await store.mirror.setMirrorFolder('test', '/somewhere')
    await store.documents.changeDocuments(keys.map(key => adding(key, CANARY)))
    await erase(store, SESSION)
    const gone = keys.map(({ layer, key }) => ({ layer, key }))
    assert.deepEqual(await store.mirror.listErasedDocuments('test'), gone)
    assert.deepEqual(await store.mirror.listErasedDocuments('elsewhere'), [])
    await store.mirror.forgetErasedDocuments('elsewhere', gone)
    await store.mirror.forgetErasedDocuments('test', gone.slice(0, 1))
    assert.deepEqual(await store.mirror.listErasedDocuments('test'), gone.slice(1))
    await store.mirror.forgetErasedDocuments('test', gone)
    assert.deepEqual(await store.mirror.listErasedDocuments('test'), [])
  },
})

/** Opens the store again for each slice, like a new process. */
function afterEverySlice(open: OpenStore): { next: () => Promise<Store> } {
  let last: Store | null = null
  return {
    next: async () => {
      await last?.close()
      last = await open()
      return last
    },
  }
}

const erasingPeople = contractCases('an erased person', {
  'is forgotten everywhere, and nobody else is': async store => {
    const isBesideUntouched = await speakBeside(store)
    await speakEverywhere(store)
    // All data is read before the erasure. If the store caches it, the cache must not be used after the
    // erasure.
    assert.ok((await toldBy(store)).includes(CANARY))
    const record = await erase(store, PERSON)
    assertForgotten(await toldBy(store))
    await isBesideUntouched()
    assert.equal(await store.sessions.readSession({ namespace: 'test', id: 'private' }), null)
    assert.equal(await store.documents.readDocument(ANN), null)
    const { counts } = record
    assert.deepEqual([counts.sessions, counts.senders, counts.outcomes], [1, 1, 2])
    for (const [id, seqs] of [
      ['group', [2, 4, 6, 8, 10]],
      ['fork', [2, 4, 6, 8]],
      ['short', [2]],
    ] as const) {
      const chat = new Chat(store, id)
      assert.deepEqual(await chat.seqs(), seqs)
      assert.ok((await chat.messages()).every(({ sender }) => sender?.id === 'bo'))
      await checkFigures(chat)
    }
    assert.deepEqual(await linesOf(store, documentKey('chat', 'group')), ['# Chat', '- Kind: group'])
    assert.deepEqual(await linesOf(store, documentKey('scope', 'work')), ['- of a person'])
    const [version] = await store.documents.readDocumentVersions(documentKey('scope', 'work'), { limit: 1 })
    assert.deepEqual([version?.author, version?.sources], [{ kind: 'person', name: null }, []])
    await finish(store, record)
    assert.deepEqual(await store.erasure.listOpenErasures('test'), [])
  },

  'is forgotten however often somebody else has to go on': async (store, open) => {
    await new Chat(store, 'bo').say(1)
    await speakEverywhere(store)
    await erase(store, PERSON, afterEverySlice(open))
    assertForgotten(await toldBy(store))
    for (const id of ['group', 'fork', 'short']) await checkFigures(new Chat(store, id))
  },

  'is forgotten by two at once': async (store, open) => {
    await new Chat(store, 'bo').say(1)
    await speakEverywhere(store)
    const other = await open()
    const { id } = await store.erasure.beginErasure('test', { target: PERSON, now: 0 })
    const run = async (by: Store) => {
      while ((await by.erasure.continueErasure('test', { id, now: 0 })).stage === 'erasing');
    }
    await Promise.all([run(store), run(other)])
    assertForgotten(await toldBy(store))
    const { counts } = (await store.erasure.readErasure('test', id))!
    assert.deepEqual([counts.sessions, counts.senders], [1, 1])
    for (const each of ['group', 'fork', 'short']) await checkFigures(new Chat(store, each))
  },

  'of whom nothing is known is none': async store => {
    const isBesideUntouched = await speakBeside(store)
    const record = await erase(store, { kind: 'person', id: 'nobody' })
    assert.deepEqual(record.counts, {})
    await isBesideUntouched()
  },

  'is known by the id, whatever the name': async store => {
    const long = `ann ${'界'.repeat(300)}`
    const ids = ['ann', 'ann"', 'ann",null,false]', 'an', 'ann2', long]
    const chat = new Chat(store, 'group', { kind: 'group', user: 'ann' })
    for (const id of ids)
      for (const name of ['', 'Ann', `${'长'.repeat(300)}`])
        await chat.append(message(`${id} as ${name}`, { sender: { id, ...(name && { name }) } }))
    for (const id of ['ann', long]) {
      await erase(store, { kind: 'person', id })
      const left = (await chat.messages()).map(({ sender }) => sender?.id)
      assert.equal(left.includes(id), false)
    }
    assert.equal((await chat.seqs()).length, 3 * (ids.length - 2))
    assert.equal((await chat.record()).user, null)
    await checkFigures(chat)
  },

  'may speak again, and is heard': async store => {
    const chat = new Chat(store, 'group', { kind: 'group' })
    await chat.append(message(CANARY, { sender: ANN_HERSELF }), message('b', { sender: BO }))
    let said = 0
    await erase(store, PERSON, {
      next: async () => {
        if (said++ === 1) await chat.append(message('again', { sender: { id: 'ann', name: 'Ann' } }))
        return store
      },
    })
    const left = await chat.messages()
    assert.deepEqual(left.at(-1)?.sender, { id: 'ann', name: 'Ann' })
    await checkFigures(chat)
    assertForgotten(await toldBy(store))
  },

  'takes threads of agents along, since they are theirs': async store => {
    const agent = new Chat(store, 'agent', { kind: 'agent', user: 'ann' })
    await agent.append(message(CANARY), message('reply', { role: 'assistant' }))
    await erase(store, PERSON)
    assert.equal(await store.sessions.readSession(agent.key), null)
    assertForgotten(await toldBy(store))
  },
})

const erasingNamespaces = contractCases('an erased namespace', {
  'is empty, and no other is': async store => {
    const elsewhere = new Chat(store, 'private', { namespace: 'elsewhere', user: 'ann' })
    await elsewhere.append(message('elsewhere', { sender: ANN_HERSELF, externalId: 'e' }))
    await store.documents.changeDocuments([adding(documentKey('user', 'ann', 'elsewhere'), 'rum')])
    await store.settings.writeSettings('elsewhere', { policy: 'count' })
    const before = [
      await toldBySession(store, 'private', 'elsewhere'),
      await toldByDocuments(store, 'elsewhere'),
    ]
    await new Chat(store, 'bo').append(message('by Bo', { sender: BO }))
    await speakEverywhere(store)
    await store.settings.writeSettings('test', { note: CANARY })
    await store.mirror.setMirrorFolder('test', '/somewhere')
    await store.leases.takeLease('test', { name: 'workspace', owner: CANARY, ttlMs: 9, now: 0 })
    for (let more = 0; more < 30; more++) await new Chat(store, `more ${more}`).say(1)
    const record = await erase(store, { kind: 'namespace' })
    assert.equal(record.counts.sessions, 35)
    assert.deepEqual(await store.sessions.listSessions('test', { limit: 100 }), [])
    assert.deepEqual(await store.documents.listDocuments('test', { limit: 100 }), [])
    assert.deepEqual(await store.settings.readSettings('test'), {})
    const events = await store.events.readEvents({ after: null, limit: 10_000 })
    assert.ok(events.length > 0 && events.every(({ namespace }) => namespace === 'elsewhere'))
    assert.ok((await store.mirror.listErasedDocuments('test')).length > 3)
    await finish(store, record)
    assert.deepEqual(
      [await toldBySession(store, 'private', 'elsewhere'), await toldByDocuments(store, 'elsewhere')],
      before,
    )
    await store.settings.writeSettings('test', { policy: 'count' })
    const lease = await store.leases.takeLease('test', { name: 'workspace', owner: 'me', ttlMs: 9, now: 0 })
    assert.ok(lease!.token > 1)
    assert.deepEqual(await new Chat(store, 'bo').say(1), [1])
  },

  'is empty however often somebody else has to go on': async (store, open) => {
    await new Chat(store, 'bo').say(1)
    await speakEverywhere(store)
    await erase(store, { kind: 'namespace' }, afterEverySlice(open))
    assertForgotten(await toldBy(store))
    assert.deepEqual(await store.sessions.listSessions('test', { limit: 100 }), [])
  },
})

const erasingStages = contractCases('an erasure', {
  'goes through its stages, one by one, and forgets whom it was about': async store => {
    const chat = new Chat(store, 'private', { user: 'ann' })
    await chat.say(2)
    const begun = await store.erasure.beginErasure('test', { target: PERSON, now: 7 })
    const later = await store.erasure.beginErasure('test', { target: { kind: 'namespace' }, now: 8 })
    assert.deepEqual(await store.erasure.listOpenErasures('test'), [begun, later])
    assert.deepEqual(await store.erasure.listOpenErasures('elsewhere'), [])
    assert.deepEqual(await store.erasure.readErasure('test', begun.id), begun)
    assert.equal(await store.erasure.readErasure('elsewhere', begun.id), null)
    assert.equal(await store.erasure.readErasure('test', 99), null)
    await refuses(
      store.erasure.advanceErasure('elsewhere', { id: begun.id, from: 'files' }),
      'erasure_not_found',
    )
    const { id } = begun
    const advance = (from: 'rebuilding' | 'files' | 'scrubbing', counts = {}) =>
      store.erasure.advanceErasure('test', { id, from, counts })
    assert.equal((await advance('rebuilding')).stage, 'erasing')
    let record = begun
    while (record.stage === 'erasing') record = await store.erasure.continueErasure('test', { id, now: 9 })
    assert.deepEqual(await store.erasure.continueErasure('test', { id, now: 9 }), record)
    assert.deepEqual(await advance('scrubbing'), record)
    const rebuilt = await advance('rebuilding', { segments: 2, files: 0 })
    assert.deepEqual([rebuilt.stage, rebuilt.target], ['files', PERSON])
    assert.deepEqual(rebuilt.counts, { ...record.counts, segments: 2 })
    assert.deepEqual(await advance('rebuilding', { segments: 2 }), rebuilt)
    const scrubbing = await advance('files', { files: 3, segments: 1 })
    assert.deepEqual([scrubbing.stage, scrubbing.target], ['scrubbing', null])
    assert.deepEqual(scrubbing.counts, { ...record.counts, segments: 3, files: 3 })
    assert.deepEqual(
      (await store.erasure.listOpenErasures('test')).map(({ stage }) => stage),
      ['scrubbing', 'erasing'],
    )
    const done = await advance('scrubbing', { database: 1 })
    assert.deepEqual([done.stage, done.target, done.requestedAt.getTime()], ['done', null, 7])
    assert.deepEqual(await store.erasure.readErasure('test', id), done)
    assert.deepEqual(await store.erasure.continueErasure('test', { id, now: 9 }), done)
  },

  'gets in nobody’s way who writes meanwhile': async (store, open) => {
    const other = await open()
    const ids = ['one', 'two', 'three']
    for (const id of ids) {
      const chat = new Chat(store, id, { kind: 'group', scope: 'work' })
      for (let round = 0; round < 20; round++)
        await chat.append(message(CANARY, { sender: ANN_HERSELF }), message(`${round}`, { sender: BO }))
      await store.documents.changeDocuments([
        learning(documentKey('scope', 'work'), [
          fact(`- ${CANARY} ${id}`, id, [1, 3]),
          fact(`- ${id}`, id, [2, 2]),
        ]),
        learning(documentKey('chat', id), [fact(`- ${CANARY} ${id}`, id, [5, 9])]),
      ])
    }
    const write = async (by: Store, id: string) => {
      const chat = new Chat(by, id, { kind: 'group', scope: 'work' })
      for (let round = 0; round < 12; round++) {
        const [seq] = await chat.say(2)
        await by.documents.changeDocuments([
          learning(documentKey('scope', 'work'), [fact(`- by ${id} ${round}`, id, [seq!, seq!])]),
          adding(documentKey('chat', id), `- ${round}`),
        ])
        if (round % 3 === 2) await chat.rollback(seq!)
      }
    }
    const writing = [...ids, 'new'].map((id, place) => write(place % 2 ? other : store, id))
    const target = { kind: 'messages', sessionId: 'one', seqs: [1, 3, 5] } as const
    const next = async (by: Store) => {
      await new Promise(resolve => setImmediate(resolve))
      return by
    }
    const erasing = [
      erase(store, target, { next: () => next(store) }),
      erase(other, PERSON, { next: () => next(other) }),
    ]
    await Promise.all([...erasing, ...writing])
    assertForgotten(await toldBy(store))
    for (const id of [...ids, 'new']) await checkFigures(new Chat(store, id))
    const lines = await linesOf(store, documentKey('scope', 'work'))
    for (const id of ids) assert.ok(lines.includes(`- ${id}`))
  },

  'erases what was meant, even if something else has its name by then': async store => {
    const chat = new Chat(store, 'private')
    await chat.say(2)
    const target = { kind: 'messages', sessionId: 'private', seqs: [1] } as const
    const late = await Promise.all(
      [target, SESSION].map(each => store.erasure.beginErasure('test', { target: each, now: 0 })),
    )
    await erase(store, SESSION)
    await chat.say(2)
    for (let record of late) {
      while (record.stage === 'erasing')
        record = await store.erasure.continueErasure('test', { id: record.id, now: 0 })
      assert.deepEqual(record.counts, {})
    }
    assert.deepEqual(await chat.seqs(), [1, 2])
  },
})

export const erasingWhole = [
  ...erasingForks,
  ...erasingSessions,
  ...erasingPeople,
  ...erasingNamespaces,
  ...erasingStages,
]
