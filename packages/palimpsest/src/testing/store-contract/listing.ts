import assert from 'node:assert/strict'
import type { SessionRecord, Store } from '../../store/index.ts'
import { Chat, message, sizeOf } from './chat.ts'
import { contractCases } from './contract-case.ts'

const idsOf = (records: readonly SessionRecord[]) => records.map(({ id }) => id)

async function sayIn(store: Store, ids: readonly string[], namespace = 'test'): Promise<void> {
  for (const id of ids) await new Chat(store, id, { namespace }).append(message('hello'))
}

export const listing = contractCases('lists of sessions', {
  'say the same of each as reading it does': async store => {
    const chats = ['plain', 'folded', 'back', 'emptied', 'noted'].map(id => new Chat(store, id))
    for (const chat of chats) await chat.say(12)
    const [, folded, back, emptied, noted] = chats as [Chat, Chat, Chat, Chat, Chat]
    await folded.fold(4, { memo: { of: 'folded' } })
    await folded.foldAndRollUp(8, 2, { memo: { of: 'more' } })
    await back.rollback(5)
    await emptied.rollback(0)
    await noted.edit(3, 'a longer message than it was')
    await store.pins.pin(noted.key, {
      seq: null,
      note: 'a note',
      tokens: 7,
      mostTokens: 100,
      now: noted.tick(),
    })
    for (const namespace of ['test', 'other'])
      for (let index = 0; index < 70; index += 1) await sayIn(store, [`many-${index}`], namespace)
    const listed = await store.sessions.listSessions('test', { limit: 1_000 })
    assert.equal(listed.length, 75)
    for (const record of listed)
      assert.deepEqual(record, await store.sessions.readSession({ namespace: 'test', id: record.id }))
    const recent = await store.sessions.listRecentSessions('test', { limit: 1_000 })
    assert.deepEqual(idsOf(recent).toSorted(), idsOf(listed).toSorted())
    for (const record of recent)
      assert.deepEqual(
        record,
        listed.find(({ id }) => id === record.id),
      )
  },

  'say when the newest visible message was, and what the segments take': async store => {
    const chat = new Chat(store)
    await chat.append(message('one', { at: 1_000 }), message('two', { at: 5_000 }))
    await chat.append(message('three', { at: 3_000 }))
    assert.deepEqual((await chat.record()).lastMessageAt, new Date(3_000))
    await chat.rollback(2)
    assert.deepEqual((await chat.record()).lastMessageAt, new Date(5_000))
    await chat.fold(1)
    await store.pins.pin(chat.key, {
      seq: null,
      note: 'a note',
      tokens: 7,
      mostTokens: 100,
      now: chat.tick(),
    })
    const { segmentTokens, state } = await chat.record()
    assert.deepEqual([segmentTokens, state.segmentTokens], [10, 17])
    await chat.rollback(0)
    const empty = await chat.record()
    assert.deepEqual([empty.lastMessageAt, empty.segmentTokens], [null, 0])
  },

  'find ids by a part of them, whatever its case and its signs': async store => {
    const long = `${'x'.repeat(300)}End`
    await sayIn(store, [
      'Telegram:42',
      'telegram:7',
      '100%',
      '100x',
      'a_b',
      'aXb',
      'É',
      'é',
      '中文',
      long,
      'b\\c',
    ])
    await sayIn(store, ['telegram:elsewhere'], 'other')
    const find = async (contains: string) =>
      idsOf(await store.sessions.listSessions('test', { contains, limit: 100 })).toSorted()
    assert.deepEqual(await find('TELEGRAM'), ['Telegram:42', 'telegram:7'])
    assert.deepEqual(await find('m:4'), ['Telegram:42'])
    assert.deepEqual(await find('0%'), ['100%'])
    assert.deepEqual(await find('_'), ['a_b'])
    assert.deepEqual(await find('\\'), ['b\\c'])
    assert.deepEqual(await find("' OR 1=1"), [])
    assert.deepEqual(await find('文'), ['中文'])
    assert.deepEqual(await find('É'), ['É'])
    assert.deepEqual(await find('XEND'), [long])
    assert.deepEqual(await find('elsewhere'), [])
    assert.deepEqual(idsOf(await store.sessions.listRecentSessions('test', { contains: 'TELE', limit: 5 })), [
      'telegram:7',
      'Telegram:42',
    ])
  },

  'find ids page by page, each once': async store => {
    await sayIn(
      store,
      Array.from({ length: 30 }, (_, index) => `${index % 3 === 0 ? 'Bot' : 'man'}-${index}`),
    )
    const found: string[] = []
    for (;;) {
      const after = found.at(-1)
      const page = { contains: 'bot', limit: 4, ...(after !== undefined && { after }) }
      const ids = idsOf(await store.sessions.listSessions('test', page))
      if (ids.length === 0) break
      found.push(...ids)
    }
    assert.deepEqual(found, Array.from({ length: 10 }, (_, index) => `Bot-${index * 3}`).toSorted())
  },

  'begin, where asked for, with what happened last': async store => {
    await sayIn(store, ['a', 'b', 'c'])
    await sayIn(store, ['b'], 'other')
    const recent = async (limit = 10) => idsOf(await store.sessions.listRecentSessions('test', { limit }))
    assert.deepEqual(await recent(), ['c', 'b', 'a'])
    await sayIn(store, ['a'])
    assert.deepEqual(await recent(), ['a', 'c', 'b'])
    await new Chat(store, 'b').edit(1, 'another')
    assert.deepEqual(await recent(2), ['b', 'a'])
    await new Chat(store, 'c').fork('d', 1)
    assert.deepEqual(await recent(), ['d', 'b', 'a', 'c'])
    assert.deepEqual(await recent(0), [])
    assert.deepEqual(idsOf(await store.sessions.listRecentSessions('nobody', { limit: 10 })), [])
  },
})

export const histories = contractCases('the history of a session', {
  'has its folds, applied and failed, the newest first, page by page': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const other = new Chat(store, 'other')
    await other.say(4)
    const outcome = {
      outcome: 'applied',
      tokensBefore: 40,
      tokensAfter: 4,
      durationMs: 9,
      usage: { calls: 1 },
    }
    await chat.commit({ ...(await chat.prepareFold(4)), outcome })
    await other.fold(2)
    const { leaseToken } = await chat.prepareFold(6)
    await store.folds.failFold(chat.key, {
      leaseToken,
      backoffUntil: 0,
      outcome: { type: 'lite', reason: 'timeout', fromSeq: 5, toSeq: 6 },
      throughSeq: 12,
      now: chat.tick(),
    })
    await store.folds.releaseLease(chat.key, leaseToken)
    await chat.say(2)
    await chat.fold(8)
    const folds = await store.folds.readFolds(chat.key, { limit: 10 })
    assert.deepEqual(
      folds.map(({ outcome, fromSeq, toSeq, data }) => [outcome, fromSeq, toSeq, data['throughSeq']]),
      [
        ['applied', 5, 8, 14],
        ['failed', 5, 6, 12],
        ['applied', 1, 4, 12],
      ],
    )
    assert.deepEqual(folds[2]!.data, {
      ...outcome,
      type: 'deep',
      reason: 'force',
      segmentIds: [1],
      throughSeq: 12,
    })
    assert.deepEqual(folds[1]!.data, { type: 'lite', reason: 'timeout', throughSeq: 12 })
    assert.deepEqual(await store.folds.readFolds(chat.key, { limit: 2 }), folds.slice(0, 2))
    assert.deepEqual(
      await store.folds.readFolds(chat.key, { before: folds[1]!.id, limit: 2 }),
      folds.slice(2),
    )
    assert.deepEqual(await store.folds.readFolds(chat.key, { before: folds[2]!.id, limit: 2 }), [])
    assert.equal((await store.folds.readFolds(other.key, { limit: 10 })).length, 1)
    assert.deepEqual(await store.folds.readFolds({ namespace: 'elsewhere', id: 'chat' }, { limit: 10 }), [])
    assert.deepEqual(await store.folds.readFolds({ namespace: 'test', id: 'nobody' }, { limit: 10 }), [])
  },

  'has its growth, at messages that are evenly spread': async store => {
    const chat = new Chat(store)
    assert.deepEqual(await store.sessions.readGrowth(chat.key, 5), [])
    await chat.say(101)
    const messages = await chat.messages()
    let tokens = 0
    const all = messages.map(({ seq, at, content }) => {
      tokens += sizeOf(content).tokens
      return { seq, at, tokens }
    })
    assert.deepEqual(await store.sessions.readGrowth(chat.key, 1_000), all)
    const few = await store.sessions.readGrowth(chat.key, 5)
    assert.deepEqual(
      few.map(({ seq }) => seq),
      [1, 26, 51, 76, 101],
    )
    assert.deepEqual(
      few,
      all.filter(({ seq }) => few.some(point => point.seq === seq)),
    )
    assert.deepEqual(await store.sessions.readGrowth(chat.key, 2), [all[0], all[100]])
  },

  'grows over what is visible': async store => {
    const chat = new Chat(store)
    await chat.say(50)
    await chat.rollback(20)
    await chat.say(30)
    const visible = [
      ...Array.from({ length: 20 }, (_, index) => index + 1),
      ...Array.from({ length: 30 }, (_, index) => index + 51),
    ]
    const seqs = async (points: number) =>
      (await store.sessions.readGrowth(chat.key, points)).map(({ seq }) => seq)
    assert.deepEqual(await seqs(1_000), visible)
    assert.deepEqual(await seqs(2), [1, 80])
    assert.deepEqual(await seqs(8), [1, 8, 15, 52, 59, 66, 73, 80])
    const points = await store.sessions.readGrowth(chat.key, 1_000)
    assert.ok(points.every(({ tokens }, index) => index === 0 || tokens > points[index - 1]!.tokens))
    await chat.rollback(20)
    assert.deepEqual(await seqs(3), [1, 11, 20])
    await chat.rollback(1)
    assert.deepEqual(await seqs(3), [1])
    await chat.rollback(0)
    assert.deepEqual(await seqs(3), [])
  },
})
