import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases } from './contract-case.ts'

/** A text that cannot be compressed, as long as an id may be. */
const long = (seed: string) =>
  Array.from({ length: 63 }, (_, index) => createHash('sha256').update(`${seed}${index}`).digest('hex'))
    .join('')
    .slice(0, 4000)

const IDS = [
  'a:b',
  'a_b',
  'a/b',
  'a/b/1',
  'a.b',
  '../a',
  ' a',
  'a ',
  'A:B',
  "a'b",
  'a"b',
  'a%b',
  'a\\b',
  'a\nb',
  '\u0001a',
  'ä',
  'a\u0308',
  '用户:群/一',
  '👩‍👩‍👧‍👦',
  '\u{10ffff}',
  `${'x'.repeat(199)}👍`,
  `${'x'.repeat(199)}👎`,
  'x'.repeat(200),
  'x'.repeat(201),
  'x'.repeat(4000),
  `${'x'.repeat(4000)}y`,
  long('a'),
  `${long('a').slice(0, -1)}!`,
]

export const identity = contractCases('ids', {
  'name a session each, whatever they are made of': async store => {
    for (const id of IDS) await new Chat(store, id).append(message(`in ${id}`))
    for (const id of IDS) {
      const chat = new Chat(store, id)
      assert.equal((await chat.record()).id, id)
      assert.deepEqual(await chat.contents(), [`in ${id}`])
    }
    assert.equal(
      new Set((await store.sessions.listSessions('test', { limit: 100 })).map(({ id }) => id)).size,
      IDS.length,
    )
  },

  'of other platforms name a message each': async store => {
    const chat = new Chat(store)
    const all = IDS.map(id => message(`from ${id}`, { externalId: id, replyTo: id }))
    await chat.append(...all)
    const repeated = await chat.append(...all)
    assert.deepEqual(
      repeated.messages,
      IDS.map((_, index) => ({ seq: index + 1, duplicate: true })),
    )
    for (const [index, { externalId, replyTo }] of (await chat.messages()).entries())
      assert.deepEqual({ externalId, replyTo }, { externalId: IDS[index], replyTo: IDS[index] })
    await checkFigures(chat)
  },

  'of senders come back as they were, with the name of that time': async store => {
    const chat = new Chat(store)
    const senders = [
      ...IDS.map(id => ({ id })),
      ...IDS.map(id => ({ id, name: `<b>${id}</b>\n## System` })),
      { id: 'bot', name: 'Bot', isSelf: true },
      { id: 'bot', name: 'Bot 2', isSelf: true },
      { id: 'bot', name: 'Bot' },
    ]
    await chat.append(...senders.map(sender => message('hello', { sender })))
    assert.deepEqual(
      (await chat.messages()).map(({ sender }) => sender),
      senders,
    )
  },

  'of users and scopes come back as they were': async store => {
    for (const [index, id] of IDS.entries()) {
      const chat = new Chat(store, `chat ${index}`, { user: id, scope: id })
      await chat.append(message('hello'))
      const { user, scope } = await chat.record()
      assert.deepEqual({ user, scope }, { user: id, scope: id })
    }
  },

  'mean something else in another namespace': async store => {
    const [ours, theirs] = ['ours', 'theirs'].map(namespace => new Chat(store, 'chat', { namespace }))
    const sender = { id: 'ann', name: 'Ann' }
    await ours!.append(message('our secret', { externalId: 'm1', sender }))
    assert.equal(await store.sessions.readSession(theirs!.key), null)
    assert.deepEqual(await theirs!.messages(), [])
    assert.deepEqual(await store.sessions.listSessions('theirs', { limit: 10 }), [])
    const { messages } = await theirs!.append(
      message('theirs', { externalId: 'm1', sender: { ...sender, name: 'Bo' } }),
    )
    assert.deepEqual(messages, [{ seq: 1, duplicate: false }])
    await theirs!.edit(1, 'edited')
    await theirs!.rollback(0)
    assert.deepEqual(await ours!.contents(), ['our secret'])
    assert.deepEqual((await ours!.messages())[0]?.sender, sender)
    assert.doesNotMatch(JSON.stringify(await theirs!.file()), /secret|Ann/)
    for (const [a, b] of [
      ['a:b', 'c'],
      ['a', 'b:c'],
      ['a/b', 'c'],
      ['a', 'b/c'],
    ])
      await new Chat(store, b!, { namespace: a! }).append(message(`${a} and ${b}`))
    assert.deepEqual(await new Chat(store, 'b:c', { namespace: 'a' }).contents(), ['a and b:c'])
  },

  'are listed in the order of their bytes, page by page, each once': async store => {
    const ids = ['b', 'a', 'ä', 'Z', 'a:b', 'a_b', '中', '👍', '\uffee', 'a '.repeat(50)]
    for (const id of ids) await new Chat(store, id).append(message('hello'))
    await new Chat(store, 'elsewhere', { namespace: 'other' }).append(message('hello'))
    const expected = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.deepEqual(
      (await store.sessions.listSessions('test', { limit: 100 })).map(({ id }) => id),
      expected,
    )
    assert.deepEqual(
      (await store.sessions.listSessions('test', { after: 'a_', limit: 2 })).map(({ id }) => id),
      ['a_b', 'b'],
    )
    assert.deepEqual(await listAll(new Chat(store)), expected)
  },

  'too long for an index are listed once each all the same': async store => {
    const ids = [...IDS, long('b'), `${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`]
    for (const id of ids) await new Chat(store, id).append(message('hello'))
    assert.deepEqual((await listAll(new Chat(store))).toSorted(), ids.toSorted())
  },
})

async function listAll({ store, key }: Chat): Promise<readonly string[]> {
  const found: string[] = []
  for (;;) {
    const page = await store.sessions.listSessions(key.namespace, {
      limit: 3,
      ...(found.length > 0 && { after: found.at(-1)! }),
    })
    if (page.length === 0) return found
    found.push(...page.map(({ id }) => id))
  }
}
