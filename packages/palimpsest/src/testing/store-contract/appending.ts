import assert from 'node:assert/strict'
import { MessageConflictError } from '../../errors.ts'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

export const appending = contractCases('append', {
  'gives seqs from 1 without gaps, in the order of the request': async store => {
    const chat = new Chat(store)
    assert.deepEqual(await chat.say(3), [1, 2, 3])
    assert.deepEqual((await chat.append(message('four'))).messages, [{ seq: 4, duplicate: false }])
    assert.deepEqual(await chat.contents(), ['message 1', 'message 2', 'message 3', 'four'])
    await checkFigures(chat)
  },

  'creates a session, even with no message, with what was said that it is': async store => {
    const chat = new Chat(store, 'chat', { kind: 'group', user: 'ann', scope: 'work' })
    const { session: _, ...receipt } = await chat.append()
    assert.deepEqual(receipt, { messages: [], snapshot: null, decision: null, dueAt: null, extractAt: null })
    await new Chat(store).append(message('hello'))
    const { kind, user, scope, createdAt, head } = await chat.record()
    assert.deepEqual({ kind, user, scope }, { kind: 'group', user: 'ann', scope: 'work' })
    assert.equal(createdAt.getTime(), chat.now)
    assert.equal((await new Chat(store, 'other').append()).unassigned, undefined)
    assert.equal((await new Chat(store, 'other').record()).kind, 'private')
    assert.equal(head?.seq, 1)
  },

  'keeps the order of calls that are made together': async store => {
    const chat = new Chat(store)
    const receipts = await Promise.all(numbers(1, 200).map(number => chat.append(message(`${number}`))))
    assert.deepEqual(
      receipts.map(({ messages }) => messages[0]?.seq),
      numbers(1, 200),
    )
    assert.deepEqual(await chat.contents(), numbers(1, 200).map(String))
    await checkFigures(chat)
  },

  'keeps many sessions apart that are appended to at once': async store => {
    const chats = numbers(1, 20).map(number => new Chat(store, `chat ${number}`))
    await Promise.all(
      numbers(1, 10).flatMap(round => chats.map(chat => chat.append(message(`${chat.key.id}: ${round}`)))),
    )
    for (const chat of chats)
      assert.deepEqual(
        await chat.contents(),
        numbers(1, 10).map(round => `${chat.key.id}: ${round}`),
      )
  },

  'gives each seq once to two stores on the same place': async (store, open) => {
    const chats = [new Chat(store), new Chat(await open())]
    const receipts = await Promise.all(
      numbers(1, 25).flatMap(number =>
        chats.map((chat, which) => chat.append(message(`${which}: ${number}`))),
      ),
    )
    const seqs = receipts.map(({ messages }) => messages[0]!.seq)
    assert.deepEqual(
      seqs.sort((a, b) => a - b),
      numbers(1, 50),
    )
    for (const which of [0, 1]) {
      const own = (await chats[0]!.contents()).filter(content => `${content}`.startsWith(`${which}:`))
      assert.deepEqual(
        own,
        numbers(1, 25).map(number => `${which}: ${number}`),
        'each in the order of its calls',
      )
    }
    await checkFigures(chats[0]!)
  },

  'answers a known external id with the first seq and adds nothing': async store => {
    const chat = new Chat(store)
    const hello = message('hello', { externalId: 'm1' })
    await chat.append(message('before'), hello)
    assert.deepEqual((await chat.append(hello, message('after'), hello)).messages, [
      { seq: 2, duplicate: true },
      { seq: 3, duplicate: false },
      { seq: 2, duplicate: true },
    ])
    assert.deepEqual(await chat.contents(), ['before', 'hello', 'after'])
    await checkFigures(chat)
  },

  'knows a repeat within one request, and in calls made together': async store => {
    const chat = new Chat(store)
    const hello = message('hello', { externalId: 'm1' })
    assert.deepEqual((await chat.append(hello, hello)).messages, [
      { seq: 1, duplicate: false },
      { seq: 1, duplicate: true },
    ])
    const other = message('other', { externalId: 'm2' })
    const receipts = await Promise.all(numbers(1, 8).map(() => chat.append(other)))
    assert.deepEqual(
      receipts.map(({ messages }) => messages[0]!.seq),
      numbers(1, 8).map(() => 2),
    )
    assert.equal(receipts.filter(({ messages }) => !messages[0]!.duplicate).length, 1)
    assert.deepEqual(await chat.seqs(), [1, 2])
  },

  'knows a repeat that two stores deliver at once, also as the first message': async (store, open) => {
    const second = await open()
    for (const round of numbers(1, 10)) {
      const chats = [store, second].map(each => new Chat(each, `chat ${round}`))
      const receipts = await Promise.all(
        chats.map(chat => chat.append(message('hello', { externalId: 'm1' }))),
      )
      assert.deepEqual(
        receipts.map(({ messages }) => messages[0]!.seq),
        [1, 1],
      )
      assert.deepEqual(await chats[0]!.seqs(), [1])
    }
  },

  'knows the first version after an edit, and the edited one too': async store => {
    const chat = new Chat(store)
    await chat.append(message('first', { externalId: 'm1' }))
    await chat.edit(1, 'second')
    for (const content of ['first', 'second'])
      assert.deepEqual((await chat.append(message(content, { externalId: 'm1' }))).messages, [
        { seq: 1, duplicate: true },
      ])
    await refuses(chat.append(message('third', { externalId: 'm1' })), 'message_conflict')
    assert.deepEqual(await chat.contents(), ['second'])
  },

  'knows what a rollback hid': async store => {
    const chat = new Chat(store)
    await chat.append(message('one'), message('two', { externalId: 'm2' }))
    await chat.rollback(1)
    assert.deepEqual((await chat.append(message('two', { externalId: 'm2' }))).messages, [
      { seq: 2, duplicate: true, hidden: true },
    ])
    assert.deepEqual(await chat.seqs(), [1])
  },

  'refuses other content and another role under a known external id, with its seq': async store => {
    const chat = new Chat(store)
    await chat.append(message('before'), message('hello', { externalId: 'm1' }))
    for (const other of [
      message('other'),
      message('hello', { role: 'assistant' }),
      message([{ type: 'text', text: 'hello' }]),
    ]) {
      const error = await refuses(chat.append({ ...other, externalId: 'm1' }), 'message_conflict')
      assert.ok(error instanceof MessageConflictError)
      assert.deepEqual(error.details, { sessionId: 'chat', externalId: 'm1', seq: 2 })
    }
    assert.deepEqual(await chat.contents(), ['before', 'hello'])
  },

  'adds all of a request or none': async store => {
    const chat = new Chat(store)
    await chat.append(message('hello', { externalId: 'm1' }))
    await refuses(chat.append(message('new'), message('other', { externalId: 'm1' })), 'message_conflict')
    const twice = [message('a', { externalId: 'm2' }), message('b', { externalId: 'm2' })]
    const error = await refuses(chat.append(...twice), 'message_conflict')
    assert.equal(error.details['seq'], null, 'neither of the two has a seq')
    const fresh = new Chat(store, 'fresh')
    await refuses(fresh.append(...twice), 'message_conflict')
    assert.equal(await store.sessions.readSession(fresh.key), null)
    assert.deepEqual(await chat.contents(), ['hello'])
  },

  'lets a refused request fail alone among those of the same commit': async store => {
    const chat = new Chat(store)
    await chat.append(message('hello', { externalId: 'm1' }))
    const outcomes = await Promise.allSettled(
      numbers(1, 30).map(number =>
        chat.append(
          message(`${number} a`),
          message(`${number} b`, { externalId: number % 3 === 0 ? 'm1' : `n${number}` }),
        ),
      ),
    )
    const failed = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [index + 1] : []))
    assert.deepEqual(
      failed,
      numbers(1, 10).map(number => number * 3),
    )
    const expected = numbers(1, 30)
      .filter(number => number % 3 !== 0)
      .flatMap(number => [`${number} a`, `${number} b`])
    assert.deepEqual(await chat.contents(), ['hello', ...expected])
    assert.deepEqual(await chat.seqs(), numbers(1, 41))
    await checkFigures(chat)
  },

  'survives closing and opening again': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(5)
    await store.close()
    const again = new Chat(await open())
    assert.deepEqual(await again.seqs(), numbers(1, 5))
    assert.deepEqual(await again.say(1), [6])
    await checkFigures(again)
  },

  'answers with the figures and the decision as after this append': async store => {
    const chat = new Chat(store)
    await chat.say(19)
    const { snapshot, decision } = await chat.append(message('20', { role: 'assistant' }))
    assert.equal(decision, null)
    assert.deepEqual([snapshot?.raw.messages, snapshot?.raw.turns, snapshot?.backlogMessages], [20, 10, 10])
    const fired = await chat.append(message('21'))
    assert.equal(fired.decision?.reason, 'count')
    assert.deepEqual((await chat.record()).pending, fired.decision)
  },
})
