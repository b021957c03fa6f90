import assert from 'node:assert/strict'
import { dailyKey } from '../../store/index.ts'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases } from './contract-case.ts'
import { adding, contentOf, DAY, documentKey, fact, learning, linesOf, NOW, replacing } from './documents.ts'

const ANN = documentKey('user', 'ann')

async function shownRanges({ store, key }: Chat): Promise<readonly (readonly number[])[]> {
  return (await store.folds.readSegments(key, 'shown')).map(({ fromSeq, toSeq, level }) => [
    fromSeq,
    toSeq,
    level,
  ])
}

/**
 * Segments 1–2, 3–4 and 5–6 are under 1–6. That and 7–8 are under 1–8. Beside it is 9–10, and 11 to 14 are
 * raw.
 */
async function foldThreeLevels(chat: Chat): Promise<void> {
  await chat.say(14)
  await chat.fold(2, { memo: { through: 2 } })
  await chat.fold(4)
  await chat.foldAndRollUp(6, 2, { memo: { through: 6 } })
  await chat.foldAndRollUp(8, 3, { memo: { through: 8 } })
  await chat.fold(10)
}

export const rollingBack = contractCases('rollback', {
  'hides what is above, deletes nothing and uses no seq again': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    const record = await chat.rollback(3)
    assert.deepEqual(record, await chat.record())
    assert.equal(record.epoch, 1)
    assert.deepEqual(await chat.seqs(), [1, 2, 3])
    assert.deepEqual(
      (await chat.file()).messages.map(({ seq, hidden }) => [seq, hidden ?? false]),
      [
        [1, false],
        [2, false],
        [3, false],
        [4, true],
        [5, true],
        [6, true],
      ],
    )
    assert.deepEqual(await chat.say(2), [7, 8])
    assert.deepEqual(await chat.seqs(), [1, 2, 3, 7, 8])
    await checkFigures(chat)
  },

  'changes nothing where there is nothing above': async store => {
    const chat = new Chat(store)
    await chat.append()
    assert.equal((await chat.rollback(0)).epoch, 0)
    await chat.say(4)
    await chat.rollback(2)
    const before = await chat.record()
    for (const toSeq of [2, 3, 4, 100]) assert.deepEqual(await chat.rollback(toSeq), before)
  },

  'goes to the visible message below a hidden one': async store => {
    const chat = new Chat(store)
    await chat.say(5)
    await chat.rollback(3)
    await chat.say(3)
    assert.equal((await chat.rollback(5)).head?.seq, 3)
    assert.deepEqual(await chat.seqs(), [1, 2, 3])
    assert.deepEqual(await chat.say(1), [9])
    await checkFigures(chat)
  },

  'goes back to nothing, any number of times': async store => {
    const chat = new Chat(store)
    for (const seqs of [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ]) {
      assert.deepEqual(await chat.say(3), seqs)
      assert.equal((await chat.rollback(0)).head, null)
      assert.deepEqual(await chat.seqs(), [])
      await checkFigures(chat)
    }
    await chat.say(2)
    assert.deepEqual(await chat.seqs(), [10, 11])
    await checkFigures(chat)
  },

  'shows the segments of each level again that still fit, with cursor and memo': async store => {
    const expected: readonly (readonly [number, readonly (readonly number[])[], number | null])[] = [
      [
        12,
        [
          [1, 8, 3],
          [9, 10, 1],
        ],
        8,
      ],
      [
        10,
        [
          [1, 8, 3],
          [9, 10, 1],
        ],
        8,
      ],
      [9, [[1, 8, 3]], 8],
      [8, [[1, 8, 3]], 8],
      [7, [[1, 6, 2]], 6],
      [
        5,
        [
          [1, 2, 1],
          [3, 4, 1],
        ],
        2,
      ],
      [3, [[1, 2, 1]], 2],
      [1, [], null],
      [0, [], null],
    ]
    for (const [toSeq, shown, memo] of expected) {
      const chat = new Chat(store, `to ${toSeq}`)
      await foldThreeLevels(chat)
      const record = await chat.rollback(toSeq)
      assert.deepEqual(await shownRanges(chat), shown, `to ${toSeq}`)
      assert.equal(record.state.compactedThrough, shown.at(-1)?.[1] ?? 0)
      assert.deepEqual(record.memo, memo === null ? null : { value: { through: memo }, throughSeq: memo })
      await checkFigures(chat)
      await chat.say(3)
      await checkFigures(chat)
    }
  },

  'goes on from a cursor that no raw message follows, in the middle of a turn and at its end':
    async store => {
      for (const cursor of [1, 2, 3, 4])
        for (const role of ['user', 'assistant', 'tool', 'system'] as const) {
          const chat = new Chat(store, `${cursor} ${role}`)
          await chat.say(6)
          await chat.fold(cursor)
          await chat.rollback(cursor)
          await checkFigures(chat)
          await chat.append(message('next', { role }))
          await checkFigures(chat)
          await chat.say(4)
          await checkFigures(chat)
        }
    },

  'counts what edits changed, above the cursor and below': async store => {
    const chat = new Chat(store)
    await foldThreeLevels(chat)
    await chat.edit(5, 'x'.repeat(500))
    await chat.edit(12, 'y'.repeat(700))
    await chat.rollback(13)
    await checkFigures(chat)
    await chat.rollback(5)
    await checkFigures(chat)
  },

  'keeps the counters since the last decision, as far as they still fit': async store => {
    const chat = new Chat(store)
    await foldThreeLevels(chat)
    const { decided } = (await chat.record()).state
    assert.deepEqual([decided.messages, decided.replies], [14, 7])
    for (const [toSeq, messages, replies] of [
      [12, 12, 6],
      [9, 9, 4],
      [3, 3, 1],
    ] as const)
      assert.deepEqual((await chat.rollback(toSeq)).state.decided, { messages, replies, at: decided.at })
  },

  'forgets what was pending and due': async store => {
    const chat = new Chat(store)
    await chat.say(21)
    assert.notEqual((await chat.record()).pending, null)
    assert.equal((await chat.rollback(5)).pending, null)
    assert.deepEqual(await store.schedule.listPending('test', { limit: 10 }), [])
  },

  'takes what was learned from hidden messages out of every document, and the versions keep it':
    async store => {
      const chat = new Chat(store, 'chat', { user: 'ann' })
      await chat.say(12)
      const keys = [ANN, documentKey('chat', 'chat'), documentKey('daily', dailyKey(DAY, 'chat'))]
      const learned = [
        fact('- old', 'chat', [1, 4]),
        fact('- new 😀\0', 'chat', [5, 6], { from: 'tool' }),
        fact('- across', 'chat', [3, 5], { from: 'fold' }),
      ]
      for (const key of keys)
        await store.documents.changeDocuments([
          replacing(key, '# Notes\n- of a person\n'),
          learning(key, learned),
        ])
      await chat.rollback(4)
      for (const key of keys) {
        assert.deepEqual(await linesOf(store, key), ['# Notes', '- of a person', '- old'])
        assert.deepEqual(
          (await store.documents.readFacts(key, 'all')).map(({ line }) => line),
          ['- old'],
        )
        const [version, before] = await store.documents.readDocumentVersions(key, { limit: 2 })
        assert.deepEqual(
          [version?.version, version?.author, version?.sources, version?.at.getTime()],
          [3, { kind: 'rollback', name: null }, [{ sessionId: 'chat', fromSeq: 5, toSeq: 12 }], chat.now],
        )
        assert.ok(learned.every(({ line }) => before?.content.split('\n').includes(line)))
        const { tokens } = (await store.documents.readDocument(key))!
        assert.ok(tokens > 0 && tokens < Math.ceil(before!.content.length / 4))
      }
      const untouched = await store.documents.readDocument(ANN)
      await chat.rollback(4)
      assert.deepEqual(await store.documents.readDocument(ANN), untouched)
      await chat.rollback(0)
      assert.deepEqual(await linesOf(store, ANN), ['# Notes', '- of a person'])
    },

  'leaves lines that something else says too, and what others learned': async store => {
    const [chat, other] = ['chat', 'other'].map(id => new Chat(store, id, { user: 'ann' }))
    for (const each of [chat!, other!]) await each.say(6)
    await new Chat(store, 'chat', { namespace: 'elsewhere' }).say(6)
    const elsewhere = documentKey('user', 'ann', 'elsewhere')
    await store.documents.changeDocuments([
      learning(ANN, [
        fact('- said twice', 'chat', [1, 2]),
        fact('- said twice', 'chat', [5, 6]),
        fact('- said in both', 'chat', [5, 6]),
        fact('- said in both', 'other', [5, 6]),
        fact('- said by the other', 'other', [5, 6]),
        fact('- said once', 'chat', [5, 6]),
      ]),
      learning(elsewhere, [fact('- said once', 'chat', [5, 6])]),
    ])
    await chat!.rollback(3)
    assert.deepEqual(await linesOf(store, ANN), ['- said twice', '- said in both', '- said by the other'])
    assert.deepEqual(await linesOf(store, elsewhere), ['- said once'])
    await other!.rollback(3)
    assert.deepEqual(await linesOf(store, ANN), ['- said twice'])
  },

  'finds the lines whichever way the document ends them, and not those that a person rewrote':
    async store => {
      const chat = new Chat(store, 'chat', { user: 'ann' })
      await chat.say(6)
      const learned = ['- tea', '- milk', '- rum'].map(line => fact(line, 'chat', [5, 6]))
      await store.documents.changeDocuments([learning(ANN, learned)])
      await store.documents.changeDocuments([replacing(ANN, '# Ann\r\n- tea\r\n- milk, warm\r\n- rum')])
      await chat.rollback(2)
      assert.equal((await store.documents.readDocument(ANN))?.content, '# Ann\r\n- milk, warm\r')
    },

  'takes back a line that had been said before but no longer held': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(6)
    const say = (line: string, seq: number, superseded: readonly string[]) =>
      replacing(ANN, `${line}\n`, { facts: [fact(line, 'chat', [seq, seq])], superseded, now: NOW + seq })
    await store.documents.changeDocuments([
      say('- tea', 1, []),
      say('- rum', 3, ['- tea']),
      say('- tea', 5, ['- rum']),
    ])
    await chat.rollback(4)
    // The replaced line holds again.
    assert.deepEqual(await linesOf(store, ANN), ['- rum'])
    await chat.rollback(2)
    assert.deepEqual(await linesOf(store, ANN), ['- tea'])
    assert.deepEqual(
      (await store.documents.readFacts(ANN, 'current')).map(({ line, supersededAt }) => [line, supersededAt]),
      [['- tea', null]],
    )
  },

  'puts the lines back that one line stood for, but for those that it hides': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(6)
    const lines = ['- one', '- two', '- three']
    const facts = lines.map((line, index) => fact(line, 'chat', [index + 1, index + 1]))
    await store.documents.changeDocuments([
      replacing(ANN, `# A\n${lines.join('\n')}\n# B\n`, { facts, now: NOW }),
      replacing(ANN, '# A\n- all\n# B\n', {
        facts: [fact('- all', 'chat', [1, 3])],
        superseded: lines,
        now: NOW + 1,
      }),
    ])
    await chat.rollback(2)
    assert.equal(await contentOf(store, ANN), '# A\n- one\n- two\n# B\n')
  },

  'puts them back where that line stood, though others came with it': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(6)
    const lines = ['- one', '- two', '- three']
    const facts = lines.map((line, index) => fact(line, 'chat', [index + 1, index + 1]))
    await store.documents.changeDocuments([
      replacing(ANN, `# A\n${lines.join('\n')}\n# B\n`, { facts, now: NOW }),
      replacing(ANN, '# A\n- all\n# B\n- new\n', {
        facts: [fact('- new', 'chat', [5, 6]), fact('- all', 'chat', [1, 3])],
        superseded: lines,
        now: NOW + 1,
      }),
    ])
    await chat.rollback(2)
    assert.equal(await contentOf(store, ANN), '# A\n- one\n- two\n# B\n')
  },

  'keeps a line that somebody else says at the very time': async (store, open) => {
    const other = await open()
    const chats = Array.from({ length: 3 }, (_, index) => new Chat(store, `chat ${index}`, { user: 'ann' }))
    for (const chat of chats) await chat.say(4)
    for (let round = 0; round < 8; round++) {
      const line = `- round ${round}`
      const said = (index: number, seq: number) => learning(ANN, [fact(line, `chat ${index}`, [seq, seq])])
      const seqs = await Promise.all(chats.map(async chat => (await chat.say(2))[0]!))
      await store.documents.changeDocuments([said(0, seqs[0]!), said(1, seqs[1]!)])
      await Promise.all([
        chats[0]!.rollback(seqs[0]! - 1),
        other.documents.changeDocuments([said(2, seqs[2]!)]),
        chats[1]!.rollback(seqs[1]! - 1),
      ])
      assert.ok((await linesOf(store, ANN)).includes(line), line)
      await chats[2]!.rollback(seqs[2]! - 1)
      assert.ok(!(await linesOf(store, ANN)).includes(line), line)
    }
  },

  'of all who said a line takes it away, also at once': async (store, open) => {
    const stores = [store, await open()]
    const chats = [0, 1].map(index => new Chat(stores[index]!, `chat ${index}`, { user: 'ann' }))
    for (const chat of chats) await chat.say(2)
    for (let round = 0; round < 8; round++) {
      const seqs = await Promise.all(chats.map(async chat => (await chat.say(2))[0]!))
      const said = seqs.map((seq, index) => fact(`- round ${round}`, `chat ${index}`, [seq, seq]))
      await store.documents.changeDocuments([learning(ANN, said), adding(ANN, `${round}`)])
      await Promise.all(chats.map((chat, index) => chat.rollback(seqs[index]! - 1)))
    }
    assert.deepEqual(await linesOf(store, ANN), ['0', '1', '2', '3', '4', '5', '6', '7'])
    assert.deepEqual(await store.documents.readFacts(ANN, 'all'), [])
  },

  'takes the cursor of extraction back': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(8)
    const name = 'extraction/chat'
    const lease = await store.leases.takeLease('test', { name, owner: 'test', ttlMs: 1000, now: chat.now })
    await store.extraction.commitExtraction({
      key: chat.key,
      leaseToken: lease!.token,
      after: 0,
      through: 6,
      read: { messages: 6, versions: 6 },
      documents: [],
      rules: { when: 'off', batchMessages: 1, idleMs: 1 },
      now: chat.now,
    })
    for (const [toSeq, extracted] of [
      [7, 6],
      [6, 6],
      [4, 4],
      [0, 0],
    ] as const) {
      assert.equal((await chat.rollback(toSeq)).extractedThrough, extracted)
      assert.equal((await chat.record()).extractedThrough, extracted)
    }
    await chat.say(2)
    assert.equal((await chat.record()).extractedThrough, 0)
  },
})
