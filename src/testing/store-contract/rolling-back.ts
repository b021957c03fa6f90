import assert from 'node:assert/strict'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases } from './contract-case.ts'

async function shownRanges({ store, key }: Chat): Promise<readonly (readonly number[])[]> {
  return (await store.readSegments(key, 'shown')).map(({ fromSeq, toSeq, level }) => [fromSeq, toSeq, level])
}

/** 1–2, 3–4 and 5–6 under 1–6, with 7–8 under 1–8, with 9–10 beside it; 11 to 14 are raw. */
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
    assert.deepEqual(await store.listPending('test', { limit: 10 }), [])
  },
})
