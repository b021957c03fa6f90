import assert from 'node:assert/strict'
import type { PalimpsestError } from '../../errors.ts'
import { type ErasureTarget, operationOf, type Store, seenOf } from '../../store/index.ts'
import { Chat, checkFigures, FORCE, message, sizeOf } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { adding, contentOf, documentKey, fact, learning } from './documents.ts'
import { CANARY, erase, eraseMessages, toldBy } from './erasing-kit.ts'

const ANN = { id: 'ann', name: 'Ann' }
const REPLY = message(`You said ${CANARY}.`, { role: 'assistant', externalId: 'turn:1' })

/** Ann's private chat, with a question that quotes the canary and waits for an answer. */
async function asked(store: Store): Promise<Chat> {
  const chat = new Chat(store, 'chat', { user: 'ann' })
  await chat.append(message('Hello', { sender: ANN }), message('Hello Ann', { role: 'assistant' }))
  await chat.ask({ burst: 'ann', address: {} }, message(`What is ${CANARY}?`, { sender: ANN }))
  return chat
}

const WHOLE: readonly ErasureTarget[] = [
  { kind: 'session', sessionId: 'chat' },
  { kind: 'person', id: 'ann' },
  { kind: 'namespace' },
]

/** Each write that names a session, by a caller who has seen the state of `chat`. */
function writesOf(chat: Chat): Readonly<Record<string, () => Promise<unknown>>> {
  const { store, key } = chat
  const now = chat.now
  return {
    append: () => chat.append(REPLY),
    answer: () => chat.answer({ seqs: [3] }, REPLY),
    create: () => chat.append(),
    replaceTail: () => chat.replaceTail([], [REPLY]),
    replaceAll: () => chat.replaceTail('everything', [REPLY]),
    repeat: () => chat.replaceTail([], [REPLY], operationOf('once', REPLY)),
    awaitAnswer: () => store.inbox.awaitAnswer(key, { seq: 1, awaits: { burst: CANARY, address: {} }, now }),
    noteWaiting: () => store.inbox.noteWaiting(key, { seq: 1, sent: [CANARY] }),
    settleWaiting: () => store.inbox.settleWaiting(key, [1]),
    addAlias: () => store.inbox.addAlias(key, CANARY),
    takeAllowance: () => store.inbox.takeAllowance(key, { kind: CANARY, limit: 1, within: 1, now }),
    edit: () => store.log.edit(key, { seq: 1, content: CANARY, size: sizeOf(CANARY), now }),
    rollback: () => store.log.rollback(key, { toSeq: 0, now }),
    fork: () => store.transfer.fork(key, { newId: 'fork', atSeq: 1, now }),
    pin: () => store.pins.pin(key, { seq: null, note: CANARY, tokens: 3, mostTokens: 100, now }),
    unpin: () => store.pins.unpin(key, 1),
    updateSettings: () => store.settings.updateSettings(key, { name: CANARY }),
    recordCalibrations: () => store.sessions.recordMeasures(key, { calibrations: { [CANARY]: 1 } }),
    recordOverhead: () => store.sessions.recordMeasures(key, { overheadTokens: 7 }),
    setPending: () => store.schedule.setPending(key, { ...FORCE, meta: { said: CANARY } }),
    changeDocuments: () =>
      store.documents.changeDocuments([{ ...adding(documentKey('user', 'ann'), `- ${CANARY}`), from: key }]),
    learn: () =>
      store.documents.changeDocuments([
        { ...learning(documentKey('chat', 'chat'), [fact(`- ${CANARY}`, 'chat', [1, 1])]), from: key },
      ]),
    check: () => store.sessions.checkSeen(key),
  }
}

async function refusesAll(chat: Chat, erased: string): Promise<void> {
  for (const [name, write] of Object.entries(writesOf(chat))) {
    const { details } = await refuses(write(), 'erased_meanwhile').catch(error => {
      throw new assert.AssertionError({ message: `${name}: ${(error as Error).message}` })
    })
    assert.deepEqual(details, { sessionId: 'chat', erased }, name)
  }
}

export const outliving = contractCases('what outlives a call', {
  'is no matter to folds, edits, new messages, fresh memory and a rollback above': async store => {
    const chat = await asked(store)
    const bound = await chat.bound()
    await chat.fold(1)
    await chat.edit(2, 'Hello, Ann')
    await chat.append(message('One more thing', { sender: ANN }))
    await chat.rollback(3)
    const { epoch } = await chat.record()
    const refresh = { expectedEpoch: epoch, days: [], language: 'en' as const, refresh: true }
    await store.context.freezeLayers(chat.key, refresh)
    await bound.answer({ seqs: [3] }, REPLY)
    assert.deepEqual((await chat.contents()).at(-1), REPLY.content)
    await checkFigures(chat)
  },

  'stores nothing once a message of its session was erased': async store => {
    const chat = await asked(store)
    const bound = await chat.bound()
    // The writer has seen the erased message, so its answer could tell of it. It makes no difference that the
    // message is folded.
    await chat.fold(2)
    await eraseMessages(chat, 1)
    const before = await toldBy(store)
    await refusesAll(bound, 'messages')
    assert.equal(await toldBy(store), before)
    await checkFigures(chat)
    const anew = await chat.bound()
    await anew.answer({ seqs: [3] }, message('Gladly', { role: 'assistant' }))
  },

  'stores nothing once its session is gone, and makes none': async store => {
    for (const target of WHOLE) {
      const chat = await asked(store)
      const bound = await chat.bound()
      await erase(store, target)
      await refusesAll(bound, 'session')
      assert.equal(await store.sessions.readSession(chat.key), null)
      assert.equal(await store.sessions.readSession({ ...chat.key, id: 'fork' }), null)
      assert.equal(await store.documents.readDocument(documentKey('user', 'ann')), null)
    }
  },

  'stores nothing in another session that bears the name by then': async (store, open) => {
    for (const target of WHOLE) {
      const chat = await asked(store)
      const bound = await chat.bound()
      await erase(store, target)
      // Another process makes the session again, with as many messages, which wait too.
      const other = new Chat(await open(), 'chat', { user: 'ann' })
      await other.ask({ burst: 'ann', address: {} }, message('Hello again', { sender: ANN }))
      await other.ask({ burst: 'ann', address: {} }, message('Anybody?', { sender: ANN }))
      await refusesAll(bound, 'session')
      assert.deepEqual(await other.contents(), ['Hello again', 'Anybody?'])
      const waiting = await store.inbox.readWaiting('test', { limit: 10 })
      assert.deepEqual(
        waiting.map(({ seq, sent }) => [seq, sent]),
        [
          [1, null],
          [2, null],
        ],
      )
      await erase(store, target)
    }
  },

  'is not forgotten by a repeat: neither an external id nor an operation brings back what is gone':
    async store => {
      const chat = await asked(store)
      const bound = await chat.bound()
      const operation = operationOf('once', REPLY)
      await bound.replaceTail([], [REPLY], operation)
      await eraseMessages(chat, 1)
      await refuses(bound.append(REPLY), 'erased_meanwhile')
      await refuses(bound.replaceTail([], [REPLY], operation), 'erased_meanwhile')
      assert.equal((await chat.replaceTail([], [REPLY], operation)).repeated, true)
    },

  'fails alone among appends that come together': async store => {
    const [gone, left] = [new Chat(store, 'gone'), new Chat(store, 'left')]
    await Promise.all([gone.say(2), left.say(2)])
    const [outlived, bound] = [await gone.bound(), await left.bound()]
    await eraseMessages(gone, 1)
    const settled = await Promise.allSettled([
      left.append(message('before')),
      outlived.append(message(CANARY)),
      bound.append(message('bound')),
      gone.append(message('new')),
      outlived.append(message(CANARY)),
      left.append(message('after')),
    ])
    assert.deepEqual(
      settled.map(each => (each.status === 'fulfilled' ? 'done' : (each.reason as PalimpsestError).code)),
      ['done', 'erased_meanwhile', 'done', 'done', 'erased_meanwhile', 'done'],
    )
    assert.deepEqual((await left.contents()).slice(2), ['before', 'bound', 'after'])
    assert.deepEqual((await gone.contents()).slice(1), ['new'])
  },

  'may begin before there is a session, as long as nothing is erased meanwhile': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    const [first, second, third] = [await chat.bound(), await chat.bound(), await chat.bound()]
    const { session } = await first.append(message('Hello'))
    const { number, epoch } = await chat.record()
    assert.deepEqual(session, { number, epoch })
    await second.append(message('Hello to you'))
    await erase(store, { kind: 'session', sessionId: 'chat' })
    await refuses(third.append(message(CANARY)), 'erased_meanwhile')
    assert.equal(await store.sessions.readSession(chat.key), null)
    await chat.append(message('Anew'))
    await refuses(third.append(message(CANARY)), 'erased_meanwhile')
    assert.deepEqual(await chat.contents(), ['Anew'])
  },

  'may begin before there is a session, whatever else is erased meanwhile': async store => {
    const other = new Chat(store, 'other', { user: 'bob' })
    await other.append(message('Hello'))
    const chat = new Chat(store, 'chat', { user: 'ann' })
    const [first, second, third] = [await chat.bound(), await chat.bound(), await chat.bound()]
    await erase(store, { kind: 'session', sessionId: 'other' })
    await store.sessions.checkSeen(first.key)
    await first.append(message('Hello'))
    await other.append(message('Hello again'))
    await erase(store, { kind: 'person', id: 'bob' })
    await second.append(message('Hello to you'))
    // Here a session of this very name was made and erased, so the writer is refused. It makes no difference
    // that all sessions are erased.
    await erase(store, { kind: 'namespace' })
    await refuses(third.append(message(CANARY)), 'erased_meanwhile')
    const fourth = await chat.bound()
    await chat.append(message('Anew'))
    await erase(store, { kind: 'person', id: 'ann' })
    await refuses(third.append(message(CANARY)), 'erased_meanwhile')
    await refuses(fourth.append(message(CANARY)), 'erased_meanwhile')
    assert.equal(await store.sessions.readSession(chat.key), null)
  },

  'stores nothing once memory that it was shown was erased': async store => {
    const ann = new Chat(store, 'ann', { user: 'ann' })
    const other = new Chat(store, 'other', { user: 'ann' })
    await ann.say(2)
    await other.say(1)
    await store.documents.changeDocuments([
      learning(documentKey('user', 'ann'), [fact(`- ${CANARY}`, 'ann', [1, 1], { subject: 'ann' })]),
      adding(documentKey('global'), '- what all know'),
    ])
    const read = await store.context.readContext(other.key, { tokens: 1_000, archivedTokens: 0, days: [] })
    const shown = await other.bound(seenOf(read!.session, read!.layers))
    await store.documents.changeDocuments([adding(documentKey('global'), '- and more')])
    await shown.append(message('So far, so good', { role: 'assistant' }))
    await eraseMessages(ann, 1)
    assert.doesNotMatch((await contentOf(store, documentKey('user', 'ann'))) ?? '', new RegExp(CANARY))
    const { details } = await refuses(
      shown.append(message(CANARY, { role: 'assistant' })),
      'erased_meanwhile',
    )
    assert.deepEqual(details, { sessionId: 'other', erased: 'memory' })
    const again = await store.context.readContext(other.key, { tokens: 1_000, archivedTokens: 0, days: [] })
    const anew = await other.bound(seenOf(again!.session, again!.layers))
    await anew.append(message('Without it', { role: 'assistant' }))
  },

  'is not said to something else where a rollback hid what it was said to': async store => {
    const chat = new Chat(store)
    await chat.say(3)
    await chat.follow([3], message('to the third', { role: 'assistant' }))
    await chat.rollback(3)
    await chat.follow([1, 3], message('to the third, again', { role: 'assistant' }))
    await chat.rollback(2)
    await chat.append(message('another question'))
    const late = chat.follow([1, 3], message('too late', { role: 'assistant' }))
    assert.deepEqual((await refuses(late, 'taken_back')).details, { sessionId: 'chat', seqs: [3] })
    assert.deepEqual((await chat.contents()).slice(2), ['another question'])
    await checkFigures(chat)
  },
})
