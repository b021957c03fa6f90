import assert from 'node:assert/strict'
import type { Content } from '../../log/index.ts'
import type { ExpectedMessage } from '../../store/index.ts'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

const ONE = { id: 'operation', fingerprint: 'first fingerprint' }
const OTHER = { id: 'operation', fingerprint: 'second fingerprint' }

function said(content: Content, role: ExpectedMessage['role'] = 'user'): ExpectedMessage {
  return { role, content }
}

/** All data that a change could touch, without events. A store may show events of other transactions late. */
async function everything(chat: Chat) {
  const { store, key } = chat
  return {
    record: await chat.record(),
    messages: await chat.messages(),
    segments: await store.folds.readSegments(key, 'all'),
  }
}

async function unchanged(chat: Chat, action: () => Promise<unknown>): Promise<void> {
  const before = await everything(chat)
  await action()
  assert.deepEqual(await everything(chat), before)
}

export const replacingTails = contractCases('replacing a tail', {
  'hides what is expected and appends, in one step': async store => {
    const chat = new Chat(store)
    await chat.append(message('a'), message('b', { role: 'assistant' }), message('c'))
    const receipt = await chat.replaceTail(
      [said('b', 'assistant'), said('c')],
      [message('d'), message('e', { role: 'assistant' })],
    )
    assert.equal(receipt.repeated, false)
    assert.deepEqual(receipt.messages, [
      { seq: 4, duplicate: false },
      { seq: 5, duplicate: false },
    ])
    assert.equal(receipt.snapshot?.raw.messages, 3)
    assert.deepEqual(await chat.contents(), ['a', 'd', 'e'])
    assert.deepEqual(await chat.seqs(), [1, 4, 5])
    await checkFigures(chat)
  },

  'appends where nothing is expected, and creates the session': async store => {
    const chat = new Chat(store)
    assert.deepEqual((await chat.replaceTail([], [message('a')])).messages, [{ seq: 1, duplicate: false }])
    await chat.replaceTail([], [message('b')])
    assert.deepEqual(await chat.contents(), ['a', 'b'])
    assert.equal((await chat.record()).epoch, 0, 'nothing was rewritten')
    const empty = chat.beside('empty')
    await empty.replaceTail([], [], ONE)
    assert.equal((await empty.record()).head, null)
    assert.equal((await empty.replaceTail([], [], ONE)).repeated, true)
  },

  'takes back without putting anything in place': async store => {
    const chat = new Chat(store)
    await chat.append(message('a'), message('b'))
    const receipt = await chat.replaceTail([said('b')], [])
    assert.deepEqual(receipt.messages, [])
    assert.equal(receipt.snapshot?.raw.messages, 1)
    await chat.replaceTail([said('a')], [])
    assert.deepEqual(await chat.contents(), [])
    await chat.append(message('c'))
    assert.deepEqual(await chat.seqs(), [3])
    await checkFigures(chat)
  },

  'changes nothing where the session ends otherwise': async store => {
    const chat = new Chat(store)
    await refuses(chat.replaceTail([said('a')], [message('b')]), 'history_conflict')
    assert.equal(await store.sessions.readSession(chat.key), null, 'not even a session')
    await chat.append(message('a'), message('b'), message('c'))
    await unchanged(chat, async () => {
      const wrong: readonly (readonly ExpectedMessage[])[] = [
        [said('b')],
        [said('b'), said('x')],
        [said('c', 'assistant')],
        [said('0'), said('a'), said('b'), said('c')],
        [said([{ type: 'text', text: 'c' }])],
      ]
      for (const expected of wrong) {
        const error = await refuses(chat.replaceTail(expected, [message('d')], ONE), 'history_conflict')
        assert.equal(error.details['reason'], 'tail_changed')
      }
    })
    assert.equal(
      (await chat.replaceTail([said('c')], [message('d')], ONE)).repeated,
      false,
      'not noted either',
    )
  },

  'knows parts by what they say, not by the order of their fields': async store => {
    const chat = new Chat(store)
    const content: Content = [
      { type: 'tool-call', toolCallId: '1', toolName: 'f', input: { a: [1, { b: 'ü', c: null }] } },
      { type: 'text', text: '\0 \ud800 🎉', more: 'more' } as never,
    ]
    const other: Content = [
      { input: { a: [1, { c: null, b: 'ü' }] }, toolName: 'f', toolCallId: '1', type: 'tool-call' },
      { more: 'more', text: '\0 \ud800 🎉', type: 'text' } as never,
    ]
    await chat.append(message(content, { role: 'assistant' }))
    const wrong = JSON.parse(JSON.stringify(other).replace('null', '0')) as Content
    await refuses(chat.replaceTail([said(wrong, 'assistant')], []), 'history_conflict')
    await chat.replaceTail([said(other, 'assistant')], [message('done')])
    assert.deepEqual(await chat.contents(), ['done'])
  },

  'looks at what is said now: not at earlier versions, nor at what is hidden': async store => {
    const chat = new Chat(store)
    await chat.append(message('a'), message('b'), message('c'))
    await chat.edit(2, 'edited')
    await chat.rollback(2)
    await refuses(chat.replaceTail([said('b')], []), 'history_conflict')
    await refuses(chat.replaceTail([said('edited'), said('c')], []), 'history_conflict')
    await chat.replaceTail([said('a'), said('edited')], [message('d')])
    assert.deepEqual(await chat.contents(), ['d'])
    await checkFigures(chat)
  },

  'undoes folds over what it takes back': async store => {
    const chat = new Chat(store)
    await chat.say(8)
    await chat.fold(2)
    await chat.fold(6)
    const tail = (await chat.messages()).slice(4).map(({ role, content }) => ({ role, content }))
    await chat.replaceTail(tail, [message('new')])
    assert.equal((await chat.record()).state.compactedThrough, 2)
    assert.deepEqual(await chat.seqs(), [1, 2, 3, 4, 9])
    await checkFigures(chat)
  },

  'is made once under one id, also after a restart': async (store, open) => {
    const chat = new Chat(store)
    await chat.append(message('a'))
    const receipt = await chat.replaceTail([said('a')], [message('b'), message('c')], ONE)
    await chat.append(message('d'))
    await unchanged(chat, async () => {
      for (const each of [store, await open()]) {
        const again = await new Chat(each).replaceTail([said('a')], [message('b'), message('c')], ONE)
        assert.deepEqual(again.messages, receipt.messages)
        assert.equal(again.repeated, true)
      }
      const error = await refuses(chat.replaceTail([said('d')], [message('e')], OTHER), 'history_conflict')
      assert.equal(error.details['reason'], 'operation_reused')
    })
  },

  'at once from two processes is made once': async (store, open) => {
    const second = await open()
    await new Chat(store).append(message('a'))
    const receipts = await Promise.all(
      [store, second, store, second].map(each =>
        new Chat(each).replaceTail([said('a')], [message('b')], ONE),
      ),
    )
    assert.equal(receipts.filter(({ repeated }) => !repeated).length, 1)
    assert.deepEqual(await new Chat(store).contents(), ['b'])
  },

  'at once with different changes is made by one': async (store, open) => {
    const second = await open()
    await new Chat(store).append(message('a'))
    const results = await Promise.allSettled(
      [store, second].map((each, index) =>
        new Chat(each).replaceTail([said('a')], [message(`${index}`)], {
          id: `${index}`,
          fingerprint: `${index}`,
        }),
      ),
    )
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await new Chat(store).contents()).length, 1)
  },

  'keeps its place among the appends of one process': async store => {
    const chat = new Chat(store)
    await chat.append(message('0'))
    const calls = Array.from({ length: 12 }, (_, index) => {
      const [before, now] = [`${index}`, message(`${index + 1}`)]
      return index % 3 === 2 ? chat.replaceTail([said(before)], [now]) : chat.append(now)
    })
    const elsewhere = chat.beside('elsewhere').append(message('elsewhere'))
    await Promise.all([...calls, elsewhere])
    assert.deepEqual(await chat.contents(), ['0', '1', '3', '4', '6', '7', '9', '10', '12'])
    await checkFigures(chat)
  },

  'that is refused late takes everything back, and fails alone': async store => {
    const chat = new Chat(store)
    await chat.append(message('a', { externalId: '1' }), message('b'))
    const results = await Promise.allSettled([
      chat.append(message('c')),
      chat.replaceTail([said('c')], [message('other', { externalId: '1' })], ONE),
      chat.append(message('d')),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(await chat.contents(), ['a', 'b', 'c', 'd'])
    assert.equal((await chat.replaceTail([said('d')], [], ONE)).repeated, false)
  },

  'takes everything back and forgets what was done': async store => {
    const chat = new Chat(store)
    const fresh = chat.beside('fresh')
    await fresh.replaceTail('everything', [message('a')])
    assert.deepEqual(await fresh.contents(), ['a'])
    await chat.replaceTail([], [message('a')], ONE)
    await chat.say(3)
    const commit = await chat.prepareFold(2)
    await chat.commit(commit)
    await chat.replaceTail('everything', [])
    assert.deepEqual(await chat.contents(), [])
    assert.equal((await chat.record()).segments, 0)
    assert.equal((await chat.replaceTail([], [message('a')], OTHER)).repeated, false)
    assert.equal((await store.folds.commitFold(commit)).repeated, true, 'what folds did stays known')
    assert.deepEqual(await chat.seqs(), [5])
    await checkFigures(chat)
  },

  'is known in its own session only: not in others, forks, copies and namespaces': async store => {
    const chat = new Chat(store)
    await chat.replaceTail([], [message('a')], ONE)
    const others = [
      chat.beside('beside'),
      await chat.fork('fork', 1),
      await chat.copyByFile('copy'),
      new Chat(store, 'chat', { namespace: 'elsewhere' }),
    ]
    for (const other of others)
      assert.equal((await other.replaceTail([], [message('b')], OTHER)).repeated, false, other.key.id)
    assert.equal(JSON.stringify(await chat.file()).includes(ONE.fingerprint), false)
  },

  'is forgotten with its session': async store => {
    const chat = new Chat(store)
    await chat.replaceTail([], [message('a')], ONE)
    const { namespace, id: sessionId } = chat.key
    let erasure = await store.erasure.beginErasure(namespace, {
      target: { kind: 'session', sessionId },
      now: chat.tick(),
    })
    while (erasure.stage === 'erasing')
      erasure = await store.erasure.continueErasure(namespace, { id: erasure.id, now: chat.tick() })
    assert.equal((await chat.replaceTail([], [message('b')], OTHER)).repeated, false)
  },

  'refuses what would be lost: a new message with the external id of one that goes': async store => {
    const chat = new Chat(store)
    await chat.append(message('a'), message('b', { externalId: 'x' }))
    await unchanged(chat, () =>
      refuses(
        chat.replaceTail([said('b')], [message('c'), message('b', { externalId: 'x' })]),
        'history_conflict',
      ),
    )
    const { messages } = await chat.replaceTail([], [message('b', { externalId: 'x' })])
    assert.deepEqual(messages, [{ seq: 2, duplicate: true }], 'one that stays is a repeat')
  },

  'takes any id': async store => {
    const chat = new Chat(store)
    const ids = ['x'.repeat(10_000), `${'x'.repeat(9_999)}y`, '\0', '\ud800', "'; --", '操作 🎉', 'tail/x']
    for (const id of ids) await chat.replaceTail([], [message('a')], { id, fingerprint: id })
    for (const id of ids)
      assert.equal((await chat.replaceTail([], [message('a')], { id, fingerprint: id })).repeated, true)
    assert.equal((await chat.messages()).length, ids.length)
  },
})
