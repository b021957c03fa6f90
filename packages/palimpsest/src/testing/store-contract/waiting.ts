import assert from 'node:assert/strict'
import { NotWaitingError } from '../../errors.ts'
import type { Awaits, ErasureTarget, Store } from '../../store/index.ts'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { documentKey, fact, learning } from './documents.ts'
import { assertForgotten, CANARY, erase, eraseMessages, finish, toldBy } from './erasing-kit.ts'

const ANN: Awaits = { burst: 'ann', address: { chat: 7, thread: null } }
const BO: Awaits = { burst: 'bo', address: { chat: 8, thread: 'x' } }

const said = (text: string, externalId: string | null = null) =>
  message(text, { role: 'assistant', externalId })

async function waitingOf(store: Store, namespace = 'test') {
  return store.inbox.readWaiting(namespace, { limit: 100_000 })
}

/** The waiting messages as session and seq, with the reply if there is one. */
async function whoWaits(store: Store, namespace = 'test'): Promise<readonly unknown[]> {
  return (await waitingOf(store, namespace)).map(({ sessionId, seq, reply }) =>
    reply === null ? [sessionId, seq] : [sessionId, seq, reply],
  )
}

/** The messages whose answer is no longer to be delivered. */
async function withdrawn(store: Store): Promise<readonly unknown[]> {
  const entries = (await waitingOf(store)).filter(({ isWithdrawn }) => isWithdrawn)
  return entries.map(({ sessionId, seq }) => [sessionId, seq])
}

const asking = contractCases('a message that waits', {
  'is there with what was said of it, until it is settled': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('hello'))
    const [entry, ...others] = await waitingOf(store)
    assert.deepEqual(others, [])
    assert.ok(entry && entry.id > 0)
    assert.deepEqual(entry, {
      id: entry.id,
      sessionId: 'chat',
      seq: 1,
      ...ANN,
      receivedAt: new Date(chat.now),
      attempts: 0,
      sent: null,
      reply: null,
    })
    await store.inbox.settleWaiting(chat.key, [1])
    assert.deepEqual(await waitingOf(store), [])
    assert.deepEqual(await chat.contents(), ['hello'])
  },

  'is one of those that asked to, and no other': async store => {
    const chat = new Chat(store)
    await chat.append(message('by the way'))
    await chat.ask(ANN, message('one'), message('two'))
    await chat.append(said('nobody asked'))
    assert.deepEqual(await whoWaits(store), [
      ['chat', 2],
      ['chat', 3],
    ])
    await checkFigures(chat)
  },

  'may be one that was in the log already, once, and if it can be seen': async store => {
    const chat = new Chat(store)
    const wait = (seq: number) => store.inbox.awaitAnswer(chat.key, { seq, awaits: ANN, now: chat.tick() })
    assert.equal(await wait(1), false)
    await chat.append(message('one'), message('two'))
    assert.equal(await wait(2), true)
    assert.equal(await wait(2), false)
    assert.equal(await wait(3), false)
    await chat.rollback(1)
    assert.equal(await wait(2), false)
    assert.equal(await wait(1), true)
    assert.deepEqual(await whoWaits(store), [['chat', 1]])
    await chat.answer({ seqs: [1] }, said('yes'))
    assert.equal(await wait(1), false)
  },

  'is read of one session, too': async store => {
    const [one, other] = [new Chat(store), new Chat(store, 'other')]
    await one.ask(ANN, message('one'))
    await other.ask(BO, message('two'), message('three'))
    const of = async (sessionId: string) =>
      (await store.inbox.readWaiting('test', { sessionId, limit: 9 })).map(({ seq }) => seq)
    assert.deepEqual([await of('chat'), await of('other'), await of('none')], [[1], [1, 2], []])
  },

  'survives the store that it came through': async (store, open) => {
    await new Chat(store).ask(ANN, message('hello'))
    const before = await waitingOf(store)
    await store.close()
    assert.deepEqual(await waitingOf(await open()), before)
  },

  'waits once, however often it is delivered': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one', { externalId: '1' }))
    const before = await waitingOf(store)
    await chat.ask(BO, message('one', { externalId: '1' }))
    assert.deepEqual(await waitingOf(store), before)
    const twice = message('two', { externalId: '2' })
    await chat.ask(BO, message('one', { externalId: '1' }), twice, twice)
    assert.deepEqual(await whoWaits(store), [
      ['chat', 1],
      ['chat', 2],
    ])
    await store.inbox.settleWaiting(chat.key, [1, 2])
    await chat.ask(ANN, message('one', { externalId: '1' }), twice)
    assert.deepEqual(await waitingOf(store), [], 'nor again once it is settled')
  },

  'is not there where its append was refused': async store => {
    const chat = new Chat(store)
    await chat.append(message('one', { externalId: '1' }))
    const wrong = chat.ask(ANN, message('new'), message('other', { externalId: '1' }))
    await refuses(wrong, 'message_conflict')
    assert.deepEqual(await waitingOf(store), [])
  },

  'keeps any text in its burst, its address and what was sent': async store => {
    const odd = 'a\0b\ud800c\u{1f389}"\\\u0001\n摘要'
    const chat = new Chat(store)
    await chat.ask({ burst: odd, address: { [odd]: [odd, { deep: odd }], none: null } }, message('hello'))
    await store.inbox.noteWaiting(chat.key, { seq: 1, sent: { [odd]: odd } })
    const [entry] = await waitingOf(store)
    assert.deepEqual([entry!.burst, entry!.sent], [odd, { [odd]: odd }])
    assert.deepEqual(entry!.address, { [odd]: [odd, { deep: odd }], none: null })
  },

  'belongs to its namespace': async store => {
    const [here, there] = [new Chat(store), new Chat(store, 'chat', { namespace: 'elsewhere' })]
    await here.ask(ANN, message('here'))
    await there.ask(BO, message('there'))
    await there.ask(BO, message('there again'))
    assert.deepEqual(await whoWaits(store), [['chat', 1]])
    await store.inbox.noteWaiting(here.key, { seq: 1, attempts: 5 })
    await here.answer({ seqs: [1] }, said('here you are'))
    await refuses(here.answer({ seqs: [2] }, said('and you')), 'not_waiting')
    await store.inbox.settleWaiting(here.key, [1, 2])
    assert.deepEqual(await waitingOf(store), [])
    const left = await waitingOf(store, 'elsewhere')
    assert.deepEqual(
      left.map(({ seq, attempts, reply, burst }) => [seq, attempts, reply, burst]),
      [
        [1, 0, null, 'bo'],
        [2, 0, null, 'bo'],
      ],
    )
    assert.deepEqual(await waitingOf(store, 'nowhere'), [])
  },

  'comes in its turn, over all sessions, in pages': async (store, open) => {
    const stores = [store, await open()]
    const chats = ['b', 'a', 'c'].map((id, place) => new Chat(stores[place % 2]!, id))
    const expected: unknown[] = []
    for (let round = 0; round < 4; round++)
      for (const chat of chats) {
        const { messages } = await chat.ask(ANN, message('one'), message('two'))
        expected.push(...messages.map(({ seq }) => [chat.key.id, seq]))
      }
    assert.deepEqual(await whoWaits(store), expected)
    const entries = await waitingOf(store)
    const ids = entries.map(({ id }) => id)
    assert.deepEqual(
      ids.toSorted((a, b) => a - b),
      ids,
    )
    const paged = []
    for (let after = 0; ; ) {
      const page = await store.inbox.readWaiting('test', { after, limit: 5 })
      paged.push(...page)
      if (page.length < 5) break
      after = page.at(-1)!.id
    }
    assert.deepEqual(paged, entries)
  },

  'has a higher number than all before it, also where those are gone': async store => {
    const chat = new Chat(store)
    let last = 0
    for (let seq = 1; seq <= 3; seq++) {
      await chat.ask(ANN, message('hello'))
      const [entry, ...others] = await waitingOf(store)
      assert.deepEqual(others, [])
      assert.ok(entry!.id > last)
      last = entry!.id
      await store.inbox.settleWaiting(chat.key, [seq])
    }
  },
})

const noting = contractCases('a note about what waits', {
  'keeps how often it was tried and what was sent, each as long as nothing else is said': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'), message('two'))
    const read = async () => (await waitingOf(store)).map(({ attempts, sent }) => [attempts, sent])
    await store.inbox.noteWaiting(chat.key, { seq: 1, attempts: 2 })
    assert.deepEqual(await read(), [
      [2, null],
      [0, null],
    ])
    await store.inbox.noteWaiting(chat.key, { seq: 1, sent: { ids: [1, 2] } })
    await store.inbox.noteWaiting(chat.key, { seq: 2, attempts: 1, sent: 'draft' })
    assert.deepEqual(await read(), [
      [2, { ids: [1, 2] }],
      [1, 'draft'],
    ])
    await store.inbox.noteWaiting(chat.key, { seq: 1, attempts: 3, sent: null })
    await store.inbox.noteWaiting(chat.key, { seq: 2 })
    assert.deepEqual(await read(), [
      [3, null],
      [1, 'draft'],
    ])
    await chat.answer({ seqs: [1, 2] }, said('both'))
    assert.deepEqual(await read(), [[3, null]], 'an answer leaves it as it is')
  },

  'is nothing where nobody waits': async store => {
    const chat = new Chat(store)
    await store.inbox.noteWaiting(chat.key, { seq: 1, attempts: 1 })
    await store.inbox.settleWaiting(chat.key, [1])
    assert.equal(await store.sessions.readSession(chat.key), null, 'not even a session')
    await chat.ask(ANN, message('one'))
    await store.inbox.settleWaiting(chat.key, [])
    await store.inbox.settleWaiting(chat.key, [2, 3, 1, 1])
    await store.inbox.settleWaiting(chat.key, [1])
    await store.inbox.noteWaiting(chat.key, { seq: 1, attempts: 1, sent: [1] })
    assert.deepEqual(await waitingOf(store), [])
  },

  'settles many at once': async store => {
    const chat = new Chat(store)
    const texts = Array.from({ length: 150 }, (_, place) => message(`${place}`))
    const { messages } = await chat.ask(ANN, ...texts)
    await store.inbox.settleWaiting(
      chat.key,
      messages.map(({ seq }) => seq).filter(seq => seq !== 77),
    )
    assert.deepEqual(await whoWaits(store), [['chat', 77]])
  },
})

const answering = contractCases('an answer to what waits', {
  'in part leaves it waiting, and is stored only where it waits': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'))
    await chat.answer({ seqs: [1], isPart: true }, said('so far', 'a'))
    assert.deepEqual(await whoWaits(store), [['chat', 1]])
    await chat.answer({ seqs: [1] }, said('so far', 'a'), said('and the rest', 'b'))
    assert.deepEqual(await whoWaits(store), [['chat', 1, [2, 3]]])
    await refuses(chat.answer({ seqs: [1], isPart: true }, said('too late')), 'not_waiting')
    const gone = new Chat(store, 'gone')
    await refuses(gone.answer({ seqs: [1], isPart: true }, said('nobody asked')), 'not_waiting')
    assert.equal(await store.sessions.readSession(gone.key), null)
    assert.equal((await chat.contents()).length, 3)
  },

  'stays in the place of the first with its messages, and the others go': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'))
    await chat.ask(BO, message('two'), message('three'))
    const [first] = await waitingOf(store)
    const receipt = await chat.answer({ seqs: [1, 3] }, said('a'), said('b'))
    assert.deepEqual(
      receipt.messages.map(({ seq }) => seq),
      [4, 5],
    )
    const [entry, other, ...none] = await waitingOf(store)
    assert.deepEqual(entry, { ...first, reply: [4, 5] })
    assert.deepEqual([other!.seq, other!.reply, none], [2, null, []])
    await store.inbox.settleWaiting(chat.key, [1])
    assert.deepEqual(await whoWaits(store), [['chat', 2]])
    await checkFigures(chat)
  },

  'knows the first by its seq, and those of earlier steps': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'), message('two'))
    await chat.append(said('I look'))
    await chat.answer({ seqs: [2, 1, 2], earlier: [3] }, said('found'))
    assert.deepEqual(await whoWaits(store), [['chat', 1, [3, 4]]])
  },

  'may be without words': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'), message('two'))
    const { messages, snapshot } = await chat.answer({ seqs: [1] })
    assert.deepEqual([messages, snapshot?.raw.messages], [[], 2])
    await chat.answer({ seqs: [2], earlier: [1] })
    assert.deepEqual(await whoWaits(store), [
      ['chat', 1, []],
      ['chat', 2, [1]],
    ])
    await refuses(chat.answer({ seqs: [1] }), 'not_waiting')
    assert.deepEqual((await chat.answer({ seqs: [] }, said('to nobody'))).messages, [
      { seq: 3, duplicate: false },
    ])
  },

  'may ask itself': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'))
    const request = { traits: { kind: 'private', user: null, scope: null }, groupTurnMessages: 12 } as const
    const { key, policy } = chat
    const messages = [said('and you?')]
    await store.log.append({
      ...request,
      key,
      policy,
      messages,
      answers: { seqs: [1] },
      awaits: BO,
      now: chat.tick(),
    })
    assert.deepEqual(await whoWaits(store), [
      ['chat', 1, [2]],
      ['chat', 2],
    ])
  },

  'changes nothing where one of them does not wait': async store => {
    const chat = new Chat(store)
    const error = await refuses(chat.answer({ seqs: [1] }, said('to nobody')), 'not_waiting')
    assert.ok(error instanceof NotWaitingError)
    assert.deepEqual(error.details, { sessionId: 'chat', seqs: [1] })
    assert.equal(await store.sessions.readSession(chat.key), null, 'not even a session')
    await chat.ask(ANN, message('one'), message('two'), message('three'))
    await chat.append(message('four'))
    await chat.answer({ seqs: [1] }, said('five'))
    await store.inbox.settleWaiting(chat.key, [2])
    const read = async () => [await waitingOf(store), await chat.messages(), await chat.record()]
    const before = await read()
    for (const gone of [1, 2, 4, 5, 99, 0, -1, 1.5, Number.NaN]) {
      const answer = chat.answer({ seqs: [3, gone] }, said('six', 'six'))
      const { details } = await refuses(answer, 'not_waiting')
      assert.deepEqual(details, { sessionId: 'chat', seqs: [gone] })
    }
    assert.deepEqual(await read(), before)
    await chat.answer({ seqs: [3] }, said('six', 'six'))
    assert.deepEqual(await whoWaits(store), [
      ['chat', 1, [5]],
      ['chat', 3, [6]],
    ])
  },

  'changes nothing where it came before, whoever waits now': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'), message('two'))
    const words = [said('a', 'a'), said('b', 'b')]
    await chat.answer({ seqs: [1] }, ...words)
    const again = async (...seqs: number[]) => {
      const before = await waitingOf(store)
      const { messages } = await chat.answer({ seqs }, ...words)
      assert.deepEqual(messages, [
        { seq: 3, duplicate: true },
        { seq: 4, duplicate: true },
      ])
      assert.deepEqual(await waitingOf(store), before)
    }
    await again(1)
    await again(2)
    await store.inbox.settleWaiting(chat.key, [1])
    await again(1)
    await again(1, 2)
  },

  'that came in part before gives the rest': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'))
    await chat.append(said('a', 'a'))
    const rest = [said('a', 'a'), said('b', 'b')]
    await refuses(chat.answer({ seqs: [2] }, ...rest), 'not_waiting')
    await chat.answer({ seqs: [1], earlier: [2] }, ...rest)
    assert.deepEqual(await whoWaits(store), [['chat', 1, [2, 3]]])
  },

  'is refused alone among those that arrive together, and in the order of the calls': async store => {
    const [chat, other] = [new Chat(store), new Chat(store, 'other')]
    await chat.ask(ANN, message('one', { externalId: '1' }))
    const results = await Promise.allSettled([
      chat.ask(BO, message('two')),
      chat.answer({ seqs: [3] }, said('too early')),
      chat.ask(BO, message('three')),
      other.answer({ seqs: [1] }, said('to nobody')),
      chat.answer({ seqs: [1, 2] }, said('to one and two')),
      chat.answer({ seqs: [2] }, said('to two again')),
      other.append(message('elsewhere')),
      chat.answer({ seqs: [3] }, message('other', { externalId: '1' })),
      chat.answer({ seqs: [3] }, said('to three')),
    ])
    assert.deepEqual(
      results.map(result => (result.status === 'fulfilled' ? 'stored' : result.reason.code)),
      [
        'stored',
        'not_waiting',
        'stored',
        'not_waiting',
        'stored',
        'not_waiting',
        'stored',
        'message_conflict',
        'stored',
      ],
    )
    assert.deepEqual(await chat.contents(), ['one', 'two', 'three', 'to one and two', 'to three'])
    assert.deepEqual(await other.contents(), ['elsewhere'])
    assert.deepEqual(await whoWaits(store), [
      ['chat', 1, [4]],
      ['chat', 3, [5]],
    ])
    await checkFigures(chat)
  },

  'is given once, however many give it at once': async (store, open) => {
    const chats = [new Chat(store), new Chat(await open())]
    for (let round = 0; round < 10; round++) {
      const { messages } = await chats[0]!.ask(ANN, message('one'), message('two'))
      const seqs = messages.map(({ seq }) => seq)
      const results = await Promise.allSettled(
        [...chats, ...chats].map((chat, place) =>
          chat.answer({ seqs: place % 2 ? seqs : seqs.slice(1) }, said(`answer ${round}/${place}`)),
        ),
      )
      const given = results.flatMap(result =>
        result.status === 'fulfilled' ? result.value.messages.map(({ seq }) => seq) : [],
      )
      for (const result of results)
        if (result.status === 'rejected') assert.equal(result.reason.code, 'not_waiting')
      assert.equal(given.length, 1)
      assert.deepEqual(
        (await waitingOf(store)).flatMap(({ reply }) => reply ?? []),
        given,
      )
      await store.inbox.settleWaiting(chats[0]!.key, seqs)
    }
    assert.equal((await chats[0]!.messages()).length, 30)
  },
})

const hiding = contractCases('what waits and is taken back', {
  'waits no longer after a rollback': async store => {
    const chat = new Chat(store)
    const other = new Chat(store, 'other')
    await chat.ask(ANN, message('one'), message('two'), message('three'))
    await other.ask(BO, message('one'), message('two'))
    await chat.answer({ seqs: [3] }, said('to three'))
    await chat.rollback(4)
    assert.equal((await waitingOf(store)).length, 5, 'there was nothing to hide')
    await chat.rollback(1)
    const left = [
      ['chat', 1],
      ['other', 1],
      ['other', 2],
    ]
    assert.deepEqual(await whoWaits(store), left)
    await refuses(chat.answer({ seqs: [2] }, said('to two')), 'not_waiting')
    assert.deepEqual(await whoWaits(store), left)
    await chat.ask(ANN, message('five'))
    assert.deepEqual(await whoWaits(store), [...left, ['chat', 5]])
    await chat.rollback(0)
    assert.deepEqual(await whoWaits(store), left.slice(1))
  },

  'waits for another answer where only that is taken back': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'))
    await chat.answer({ seqs: [1] }, said('a'))
    await chat.rollback(1)
    assert.deepEqual(await whoWaits(store), [['chat', 1]])
    assert.deepEqual(await store.log.readMessages(chat.key, { seqs: [2] }), [])
    await chat.answer({ seqs: [1] }, said('b'))
    assert.deepEqual(await whoWaits(store), [['chat', 1, [3]]])
  },

  'goes with the tail that is replaced, and not where that is refused': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'), message('two', { externalId: '2' }))
    const before = await waitingOf(store)
    await refuses(chat.replaceTail([message('other')], [message('x')]), 'history_conflict')
    await refuses(
      chat.replaceTail([message('two')], [message('two', { externalId: '2' })]),
      'history_conflict',
    )
    assert.deepEqual(await waitingOf(store), before)
    await chat.replaceTail([message('two')], [message('three')])
    assert.deepEqual(await whoWaits(store), [['chat', 1]])
    await chat.replaceTail('everything', [])
    assert.deepEqual(await waitingOf(store), [])
  },

  'may be answered and asked anew by what takes the place of a tail': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'), message('two'))
    const { key, policy } = chat
    const request = {
      key,
      policy,
      traits: { kind: 'private', user: null, scope: null },
      groupTurnMessages: 12,
      expected: [message('two')],
      operation: null,
    } as const
    const replace = (seqs: readonly number[]) =>
      store.log.replaceTail({
        ...request,
        messages: [message('three')],
        awaits: BO,
        answers: { seqs },
        now: chat.tick(),
      })
    const before = [await waitingOf(store), await chat.messages(), await chat.record()]
    await refuses(replace([2]), 'not_waiting')
    assert.deepEqual([await waitingOf(store), await chat.messages(), await chat.record()], before)
    await replace([1])
    assert.deepEqual(await whoWaits(store), [
      ['chat', 1, [3]],
      ['chat', 3],
    ])
  },

  'stays as it is through an edit and a fold': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'), message('two'))
    await chat.append(message('three'))
    const before = await waitingOf(store)
    await chat.edit(1, 'one, edited')
    await chat.fold(2)
    assert.deepEqual(await waitingOf(store), before)
    await chat.answer({ seqs: [1, 2] }, said('to both'))
    assert.deepEqual(await whoWaits(store), [['chat', 1, [4]]])
  },

  'is not in a fork nor in a file': async store => {
    const chat = new Chat(store)
    await chat.append(message('one'), message('two'))
    const plain = Object.keys(await chat.file())
    await chat.ask({ burst: CANARY, address: { to: CANARY } }, message('three'))
    const before = await waitingOf(store)
    const file = await chat.file()
    assertForgotten(JSON.stringify(file))
    assert.deepEqual(Object.keys(file), plain)
    const fork = await chat.fork('fork', 3)
    const copy = await chat.copyByFile('copy')
    assert.deepEqual(await waitingOf(store), before)
    for (const each of [fork, copy])
      await refuses(each.answer({ seqs: [3] }, said('nobody asked')), 'not_waiting')
    assert.deepEqual((await fork.record()).head?.seq, 3)
  },
})

/** Data of Ann, who is to be erased. All of it has the canary. */
const HERS: Awaits = { burst: 'ann', address: { user: CANARY } }
const hers = (text: string, externalId: string | null = null) =>
  message(text, { sender: { id: 'ann', name: CANARY }, externalId })
const his = (text: string) => message(text, { sender: { id: 'bo' } })

async function askEverywhere(store: Store): Promise<void> {
  const alone = new Chat(store, 'private', { user: 'ann' })
  await alone.ask(HERS, hers('one'), hers('two'))
  await alone.answer({ seqs: [2] }, said('to two'))
  await store.inbox.noteWaiting(alone.key, { seq: 1, attempts: 1, sent: { to: CANARY } })
  const group = new Chat(store, 'group', { kind: 'group' })
  await group.ask(HERS, hers('one'))
  await group.ask(BO, his('two'))
  await group.ask(HERS, hers('three'))
  await group.answer({ seqs: [3] }, said('to three'))
  const elsewhere = new Chat(store, 'private', { namespace: 'elsewhere', user: 'ann' })
  await elsewhere.ask(ANN, hers('one'))
}

/** Checks that the erased entries are gone for a reader and that the others stay as they were. */
async function expectErased(
  store: Store,
  target: ErasureTarget,
  left: readonly unknown[],
  word: string | null = CANARY,
): Promise<void> {
  const before = await waitingOf(store)
  const record = await erase(store, target)
  assert.deepEqual(await whoWaits(store), left)
  const ids = new Set((await waitingOf(store)).map(({ id }) => id))
  assert.deepEqual(
    await waitingOf(store),
    before.filter(({ id }) => ids.has(id)),
  )
  await finish(store, record)
  if (word !== null) assertForgotten(await toldBy(store), word)
  assert.equal((await waitingOf(store, 'elsewhere')).length, 1)
}

const erasingWaiting = contractCases('what waits and is erased', {
  'goes with its message': async store => {
    const chat = new Chat(store)
    await chat.ask(ANN, message('one'))
    await chat.ask(HERS, message('two', { externalId: '2' }), message('three'))
    await chat.answer({ seqs: [3] }, said('to three'))
    await eraseMessages(chat, 2, 3)
    assert.deepEqual(await whoWaits(store), [['chat', 1]])
    assertForgotten(await toldBy(store))
    await refuses(chat.answer({ seqs: [2] }, said('to two')), 'not_waiting')
    await chat.ask(HERS, message('two', { externalId: '2' }))
    assert.deepEqual(await whoWaits(store), [['chat', 1]], 'nor does it wait when it is delivered again')
    await chat.answer({ seqs: [1] }, said('to one'))
    await eraseMessages(chat, 5)
    assert.deepEqual(await whoWaits(store), [['chat', 1, []]], 'it waits though its answer is gone')
    assert.deepEqual(await withdrawn(store), [['chat', 1]])
  },

  'takes answers along that may quote it, and no other': async (store, open) => {
    const chat = new Chat(store)
    await chat.append(message('one'))
    await chat.ask(ANN, message('two'))
    await chat.answer({ seqs: [2] }, said('to two'))
    await chat.append(message('four'))
    await chat.ask(BO, message('five'), message('six'))
    await chat.answer({ seqs: [5, 6] }, said('to five and six'))
    await chat.ask(BO, message('eight'))
    await eraseMessages(chat, 4)
    const left = [
      ['chat', 2, [3]],
      ['chat', 5, []],
      ['chat', 8],
    ]
    assert.deepEqual(await whoWaits(store), left)
    assert.deepEqual(await withdrawn(await open()), [['chat', 5]])
    await refuses(chat.answer({ seqs: [5] }, said('again')), 'not_waiting')
    await eraseMessages(chat, 6)
    assert.deepEqual(await whoWaits(store), left)
    await eraseMessages(chat, 1)
    assert.deepEqual(await withdrawn(store), [
      ['chat', 2],
      ['chat', 5],
    ])
    await store.inbox.settleWaiting(chat.key, [2, 5])
    assert.deepEqual(await whoWaits(store), [['chat', 8]])
    await checkFigures(chat)
  },

  'takes answers along that may quote memory of it': async store => {
    const learned = new Chat(store, 'learned', { user: 'ann' })
    await learned.say(2)
    await store.documents.changeDocuments([
      learning(documentKey('user', 'ann'), [fact('- likes tea', 'learned', [1, 1], { subject: 'ann' })]),
    ])
    const chats = [
      new Chat(store, 'anns', { user: 'ann' }),
      new Chat(store, 'bobs', { user: 'bob' }),
      new Chat(store, 'also anns', { user: 'ann' }),
    ]
    for (const chat of chats) {
      await chat.ask(ANN, message('What do I like?'))
      await chat.answer({ seqs: [1] }, said('Tea.'))
    }
    await eraseMessages(learned, 2)
    assert.deepEqual(await withdrawn(store), [])
    await eraseMessages(learned, 1)
    assert.deepEqual(await withdrawn(store), [
      ['anns', 1],
      ['also anns', 1],
    ])
  },

  'goes with many messages, and with their copies no other': async store => {
    const chat = new Chat(store)
    const { messages } = await chat.ask(ANN, ...Array.from({ length: 130 }, () => message('x')))
    const fork = await chat.fork('fork', 130)
    await fork.ask(BO, message('of its own'))
    await eraseMessages(chat, ...messages.map(({ seq }) => seq).filter(seq => seq !== 100))
    assert.deepEqual(await whoWaits(store), [
      ['chat', 100],
      ['fork', 131],
    ])
  },

  'goes with its session': async store => {
    await askEverywhere(store)
    const left = [
      ['group', 1],
      ['group', 2],
      ['group', 3, [4]],
    ]
    await expectErased(store, { kind: 'session', sessionId: 'private' }, left, null)
    const again = new Chat(store, 'private')
    await again.append(message('another one'))
    assert.deepEqual(await whoWaits(store), left)
  },

  'is not to be seen from the first slice of its session on': async store => {
    await askEverywhere(store)
    const target = { kind: 'session', sessionId: 'private' } as const
    const { id } = await store.erasure.beginErasure('test', { target, now: 0 })
    await store.erasure.continueErasure('test', { id, now: 0 })
    assert.equal((await waitingOf(store)).length, 3)
    await store.inbox.noteWaiting({ namespace: 'test', id: 'private' }, { seq: 1, attempts: 9 })
    await store.inbox.settleWaiting({ namespace: 'test', id: 'private' }, [1])
  },

  'goes with whoever said it': async store => {
    await askEverywhere(store)
    await expectErased(store, { kind: 'person', id: 'ann' }, [['group', 2]])
  },

  'goes with its namespace': async store => {
    await askEverywhere(store)
    await expectErased(store, { kind: 'namespace' }, [])
  },
})

export const waiting = [...asking, ...noting, ...answering, ...hiding, ...erasingWaiting]
