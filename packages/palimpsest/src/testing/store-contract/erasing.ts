import assert from 'node:assert/strict'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import {
  assertForgotten,
  CANARY,
  erase,
  eraseMessages,
  finish,
  indexAll,
  toldBy,
  toldBySession,
} from './erasing-kit.ts'
import { eventsOf } from './events-of.ts'

const CALL = [{ type: 'tool-call', toolCallId: 'c1', toolName: 'search' }] as const

/** The data that is left of erased messages. */
async function tombstones(chat: Chat) {
  return (await chat.file()).messages.filter(({ erased }) => erased)
}

const erasingMessages = contractCases('erased messages', {
  'leave their place in the log and nothing else': async store => {
    const chat = new Chat(store)
    const sender = { id: 'ann', name: CANARY }
    await chat.append(
      message('one'),
      message(CANARY, { role: 'assistant', sender, externalId: CANARY, replyTo: CANARY, zone: 'Asia/Tokyo' }),
      message('three'),
    )
    for (const text of [`${CANARY} again`, `${CANARY} and again`]) await chat.edit(2, text)
    await store.pins.pin(chat.key, { seq: 2, note: null, tokens: 7, mostTokens: 100, now: chat.now })
    await indexAll(chat)
    const before = await chat.record()
    const record = await eraseMessages(chat, 2)
    assert.deepEqual(record.counts, { messages: 1, versions: 2, pins: 1, index: 1 })
    assert.deepEqual(await chat.seqs(), [1, 3])
    await checkFigures(chat)
    const [left] = await tombstones(chat)
    assert.deepEqual(
      { ...left, at: null, appendedAt: null },
      {
        seq: 2,
        role: 'assistant',
        sender: null,
        content: '',
        at: null,
        appendedAt: null,
        zone: null,
        externalId: null,
        replyTo: null,
        hidden: true,
        erased: true,
        externalDigest: left!.externalDigest,
      },
    )
    assert.match(left!.externalDigest!, /^[0-9a-f]{64}$/)
    assert.ok((await chat.record()).epoch > before.epoch)
    await refuses(store.log.readVersions(chat.key, 2), 'message_not_found')
    await refuses(chat.edit(2, 'back'), 'message_not_found')
    await refuses(
      store.pins.pin(chat.key, { seq: 2, note: null, tokens: 1, mostTokens: 9, now: 0 }),
      'message_not_found',
    )
    await finish(store, record)
    assert.equal(
      JSON.stringify(await store.events.readEvents({ after: null, limit: 100 })).includes(CANARY),
      false,
    )
    assertForgotten((await toldBySession(store, 'chat')).replaceAll(sender.name, ''))
    const [event] = (await eventsOf(store, 'messages-erased', 1)).slice(-1)
    assert.deepEqual(
      [event?.type, event?.fromSeq, event?.toSeq, event?.data],
      ['messages-erased', 2, 2, null],
    )
  },

  'that are not there are refused, and nothing is noted': async store => {
    const chat = new Chat(store)
    await chat.say(3)
    await refuses(eraseMessages(chat, 4), 'message_not_found')
    await refuses(eraseMessages(chat, 1, 0), 'message_not_found')
    await refuses(eraseMessages(chat, 1.5), 'message_not_found')
    await refuses(eraseMessages(chat.beside('nobody'), 1), 'session_not_found')
    await refuses(erase(store, { kind: 'session', sessionId: 'nobody' }), 'session_not_found')
    await refuses(erase(store, { kind: 'person', id: '' }), 'invalid_argument')
    await refuses(store.erasure.continueErasure('test', { id: 1, now: 0 }), 'erasure_not_found')
    assert.deepEqual(await store.erasure.listOpenErasures('test'), [])
    assert.deepEqual((await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [] })).counts, {})
    assert.deepEqual(await chat.seqs(), [1, 2, 3])
    assert.equal((await chat.record()).epoch, 0)
  },

  'keep every figure right, whichever they were': async store => {
    for (const seqs of [[7], [6, 7], [1], [3, 4], [2, 5, 7], [1, 2, 3, 4, 5, 6, 7]]) {
      const chat = new Chat(store, `without ${seqs}`)
      await chat.say(4)
      await chat.append(
        message(CALL, { role: 'assistant' }),
        message('later'),
        message('last', { role: 'assistant' }),
      )
      await eraseMessages(chat, ...seqs)
      const left = [1, 2, 3, 4, 5, 6, 7].filter(seq => !seqs.includes(seq))
      assert.deepEqual(await chat.seqs(), left)
      await checkFigures(chat)
      assert.equal((await chat.record()).head?.seq, left.at(-1))
      assert.deepEqual(await chat.seqs({ limit: 2, from: 'newest' }), left.slice(-2))
      assert.deepEqual(await chat.say(2), [8, 9])
      assert.deepEqual(await chat.seqs(), [...left, 8, 9])
      await checkFigures(chat)
      const figures = await store.schedule.readSnapshot(chat.key, { policy: chat.policy, now: chat.now })
      assert.equal(figures?.messagesSinceDecision, left.length + 2)
    }
  },

  'may go one after the other, up or down': async store => {
    for (const seqs of [
      [4, 5, 6],
      [6, 5, 4],
      [4, 6, 5],
    ]) {
      const chat = new Chat(store, `without ${seqs}`)
      await chat.say(6)
      for (const seq of seqs) {
        await eraseMessages(chat, seq)
        await checkFigures(chat)
      }
      assert.deepEqual(await chat.seqs(), [1, 2, 3])
      assert.deepEqual(await chat.say(1), [7])
      await checkFigures(chat)
    }
  },

  'keep every figure right under folds, too': async store => {
    for (const seqs of [
      [1],
      [4],
      [3, 4],
      [1, 2, 3, 4],
      [4, 5],
      [3, 4, 5, 6, 7, 8],
      [8],
      [1, 2, 3, 4, 5, 6, 7, 8],
    ]) {
      const chat = new Chat(store, `without ${seqs}`)
      await chat.say(8)
      await chat.fold(2)
      await chat.fold(4)
      await eraseMessages(chat, ...seqs)
      await checkFigures(chat)
      await chat.say(3)
      await checkFigures(chat)
      await chat.rollback(9)
      await checkFigures(chat)
      await chat.say(2)
      const { state } = await chat.record()
      assert.ok(state.compactedThrough <= 4)
      await chat.fold(13)
      await checkFigures(chat)
    }
  },

  'may have been hidden before, or be hidden with the rest later': async store => {
    const chat = new Chat(store)
    await chat.append(...[1, 2, 3, 4, 5, 6].map(seq => message(seq > 4 ? CANARY : `message ${seq}`)))
    await chat.rollback(3)
    await eraseMessages(chat, 5, 6)
    assert.deepEqual(
      (await chat.file()).messages.map(({ hidden, erased }) => [hidden ?? false, erased ?? false]),
      [
        [false, false],
        [false, false],
        [false, false],
        [true, false],
        [true, true],
        [true, true],
      ],
    )
    await checkFigures(chat)
    assert.deepEqual(await chat.say(3), [7, 8, 9])
    await eraseMessages(chat, 2, 3, 8)
    assert.deepEqual(await chat.seqs(), [1, 7, 9])
    await checkFigures(chat)
    await chat.rollback(8)
    assert.deepEqual(await chat.seqs(), [1, 7])
    await checkFigures(chat)
    await chat.rollback(6)
    assert.deepEqual(await chat.seqs(), [1])
    await eraseMessages(chat, 1, 4, 9)
    assert.deepEqual(await chat.seqs(), [])
    await checkFigures(chat)
    assert.deepEqual(await chat.say(1), [10])
    assertForgotten(await toldBy(store))
    await checkFigures(chat)
  },

  'are nothing when they are erased again': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    await chat.fold(4, { memo: { known: 1 } })
    await eraseMessages(chat, 2, 5)
    const before = await chat.file()
    const again = await eraseMessages(chat, 2, 5)
    assert.deepEqual(again.counts, {})
    assert.deepEqual(await chat.file(), before)
  },

  'are known when the platform delivers them again, whatever they say': async store => {
    const chat = new Chat(store)
    const long = 'x'.repeat(3_000)
    await chat.append(
      message('first', { externalId: 'm-1' }),
      message(CANARY, { externalId: 'm-2' }),
      message(CANARY, { externalId: long }),
    )
    await eraseMessages(chat, 2, 3)
    const copy = await chat.copyByFile('copy')
    const early = await chat.fork('early', 1)
    for (const each of [chat, copy]) {
      const { messages } = await each.append(
        message(CANARY, { externalId: 'm-2' }),
        message('other words', { externalId: long, role: 'assistant' }),
        message('first', { externalId: 'm-1' }),
      )
      assert.deepEqual(messages, [
        { seq: 2, duplicate: true, hidden: true },
        { seq: 3, duplicate: true, hidden: true },
        { seq: 1, duplicate: true },
      ])
      const { messages: more } = await each.append(message('fourth', { externalId: 'm-4' }))
      assert.deepEqual(more, [{ seq: 4, duplicate: false }])
      await refuses(each.append(message('other words', { externalId: 'm-4' })), 'message_conflict')
      await checkFigures(each)
    }
    const fork = await chat.fork('fork', 4)
    const { messages } = await fork.append(message(CANARY, { externalId: 'm-2' }))
    assert.deepEqual(messages, [{ seq: 2, duplicate: true, hidden: true }])
    assert.deepEqual(await fork.seqs(), [1, 4])
    assert.deepEqual(await early.seqs(), [1])
    assertForgotten(await toldBy(store))
  },

  'are exported and imported as what they are': async store => {
    const chat = new Chat(store, 'chat', { kind: 'group' })
    await chat.say(9)
    await chat.fold(3)
    await chat.foldAndRollUp(6, 2)
    await chat.rollback(8)
    await eraseMessages(chat, 2, 7, 9)
    await store.rebuilds.commitRebuilt(chat.key, {
      ...(await rebuilt(chat, 1)),
      text: 'an extract',
      isProper: false,
    })
    const file = await chat.file()
    assert.deepEqual(
      file.segments.map(({ withheld }) => withheld ?? null),
      ['extract', 'nothing', 'nothing'],
    )
    const copy = await chat.copyByFile('copy')
    assert.deepEqual({ ...(await copy.file()), id: 'chat' }, file)
    await checkFigures(copy)
    assert.deepEqual(await copy.seqs(), await chat.seqs())
    assert.deepEqual(
      (await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 9 })).map(({ key, segment }) => [
        key.id,
        segment.id,
      ]),
      [
        ['chat', 2],
        ['chat', 3],
        ['copy', 2],
        ['copy', 3],
      ],
    )
  },

  'of which there are many are read over quickly': async store => {
    const chat = new Chat(store)
    for (let round = 0; round < 4; round++) await chat.say(200)
    await chat.rollback(700)
    await chat.say(200)
    const seqs = await chat.seqs()
    const gone = seqs.filter((_, place) => place % 3 !== 0)
    await eraseMessages(chat, ...gone)
    const left = seqs.filter((_, place) => place % 3 === 0)
    assert.deepEqual(await chat.seqs(), left)
    assert.deepEqual(await chat.seqs({ limit: 50, from: 'newest' }), left.slice(-50))
    assert.deepEqual(
      await chat.seqs({ after: 600, before: 900 }),
      left.filter(seq => seq > 600 && seq < 900),
    )
    assert.deepEqual(await chat.seqs({ after: 600, limit: 3 }), left.filter(seq => seq > 600).slice(0, 3))
    const context = await store.context.readContext(chat.key, { tokens: 100_000, archivedTokens: 0 })
    assert.deepEqual(
      context?.messages.map(({ seq }) => seq),
      left,
    )
    await checkFigures(chat)
    const fork = await chat.fork('fork', 850)
    assert.deepEqual(
      await fork.seqs(),
      left.filter(seq => seq <= 850),
    )
    await checkFigures(fork)
    await chat.rollback(300)
    await checkFigures(chat)
  },
})

/** The data of a rebuilt segment. */
async function rebuilt({ store, key }: Chat, id: number) {
  const { epoch } = (await store.sessions.readSession(key))!
  return {
    id,
    expectedEpoch: epoch,
    summary: 'made anew',
    events: [],
    details: ['detail'],
    text: `## made anew ${id}`,
    messageCount: 1,
    summarizer: 'again',
    promptVersion: '2',
    tokensBefore: 3,
    tokensAfter: 2,
    isProper: true,
  }
}

async function segmentsOf({ store, key }: Chat) {
  return store.folds.readSegments(key, 'all')
}

/**
 * Segments 1–2, 3–4 and 5–6 are under 1–6, then comes 7–8, and 9 to 12 are raw. All texts but the last have
 * the canary.
 */
async function foldTwoLevels(chat: Chat, summarizer: string): Promise<void> {
  await chat.say(12)
  const fold = async (toSeq: number, isRolledUp = false) => {
    const shown = await chat.store.folds.readSegments(chat.key, 'shown')
    const commit = await chat.prepareFold(toSeq, { memo: { [CANARY]: toSeq } })
    const [lower] = commit.segments
    const told = { ...lower!, summary: CANARY, events: [CANARY], details: [CANARY], text: CANARY, summarizer }
    const higher = { ...told, fromSeq: shown[0]?.fromSeq ?? 1, level: 2 }
    const rolledUp = { ...higher, absorbs: [...shown.map(({ id }) => id), -1] }
    await chat.commit({
      ...commit,
      outcome: { quotes: CANARY },
      segments: isRolledUp ? [told, rolledUp] : [told],
    })
  }
  await fold(2)
  await fold(4)
  await fold(6, true)
  await fold(8)
}

const erasingDerived = contractCases('erased messages', {
  'take with them what was told of them, until it is made anew': async store => {
    const chat = new Chat(store)
    await foldTwoLevels(chat, 'extractive')
    await store.schedule.setPending(chat.key, {
      type: 'deep',
      reason: 'force',
      severity: 1000,
      meta: { quotes: CANARY },
    })
    const record = await eraseMessages(chat, 3)
    assert.deepEqual(record.counts, { messages: 1, index: 1, segments: 2, memos: 3, outcomes: 1 })
    assert.deepEqual(
      (await segmentsOf(chat)).map(({ id, fromSeq, toSeq, text, state, messageCount, tokensAfter }) => [
        id,
        [fromSeq, toSeq],
        text,
        state,
        messageCount,
        tokensAfter,
      ]),
      [
        [1, [1, 2], CANARY, 'rolled-up', 2, 10],
        [4, [1, 6], '', 'dirty', 5, 0],
        [2, [3, 4], '', 'rolled-up', 1, 0],
        [3, [5, 6], CANARY, 'rolled-up', 2, 10],
        [5, [7, 8], CANARY, 'live', 2, 10],
      ],
    )
    const { memo, lastOutcome, pending, dueAt } = await chat.record()
    assert.deepEqual([memo?.throughSeq, lastOutcome, pending], [2, null, null])
    assert.ok(dueAt, 'it is judged again')
    await checkFigures(chat)
  },

  'take with them what a model may have been told later': async store => {
    const chat = new Chat(store)
    await foldTwoLevels(chat, 'model')
    await eraseMessages(chat, 4)
    assert.deepEqual(
      (await segmentsOf(chat)).map(({ id, text }) => [id, text]),
      [
        [1, CANARY],
        [4, ''],
        [2, ''],
        [3, ''],
        [5, ''],
      ],
    )
    assert.equal((await chat.record()).state.segmentTokens, 0)
    await eraseMessages(chat, 1)
    assertForgotten(await toldBy(store))
    await checkFigures(chat)
  },

  'leave segments to be made anew, the lower ones first': async store => {
    const chat = new Chat(store)
    await foldTwoLevels(chat, 'extractive')
    await eraseMessages(chat, 1, 3, 4, 6)
    const list = () => store.rebuilds.listWithheld('test', { left: 'nothing', limit: 10 })
    const withheld = await list()
    assert.deepEqual(
      withheld.map(({ key, epoch, segment, lower }) => [
        key.id,
        epoch,
        segment.id,
        lower.map(({ id }) => id),
      ]),
      [
        ['chat', (await chat.record()).epoch, 1, []],
        ['chat', (await chat.record()).epoch, 3, []],
        ['chat', (await chat.record()).epoch, 4, [1, 2, 3]],
      ],
    )
    assert.equal((await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 2 })).length, 2)
    assert.deepEqual(await store.rebuilds.listWithheld('elsewhere', { left: 'nothing', limit: 10 }), [])
    const empty = (await segmentsOf(chat)).find(({ id }) => id === 2)
    assert.deepEqual([empty?.text, empty?.messageCount, empty?.state], ['', 0, 'rolled-up'])

    const first = await rebuilt(chat, 1)
    assert.equal(
      await store.rebuilds.commitRebuilt(chat.key, { ...first, expectedEpoch: first.expectedEpoch - 1 }),
      false,
    )
    assert.equal(
      await store.rebuilds.commitRebuilt(chat.key, { ...first, id: 2 }),
      false,
      'it says all that it can',
    )
    assert.equal(await store.rebuilds.commitRebuilt(chat.key, { ...first, id: 5 }), false, 'it is whole')
    assert.equal(await store.rebuilds.commitRebuilt(chat.beside('nobody').key, first), false)
    assert.equal(await store.rebuilds.commitRebuilt(chat.key, { ...first, isProper: false }), true)
    assert.equal((await chat.record()).epoch, first.expectedEpoch + 1)
    assert.equal(await store.rebuilds.commitRebuilt(chat.key, first), false, 'an epoch began')
    assert.deepEqual(
      (await store.rebuilds.listWithheld('test', { left: 'extract', limit: 10 })).map(
        ({ segment }) => segment.text,
      ),
      ['## made anew 1'],
    )
    assert.equal(await store.rebuilds.commitRebuilt(chat.key, await rebuilt(chat, 1)), true)
    assert.equal(await store.rebuilds.commitRebuilt(chat.key, await rebuilt(chat, 1)), false)
    assert.equal(
      await store.rebuilds.commitRebuilt(chat.key, { ...(await rebuilt(chat, 3)), text: '' }),
      true,
    )
    assert.equal(await store.rebuilds.commitRebuilt(chat.key, await rebuilt(chat, 4)), true)
    assert.deepEqual(await list(), [])
    assert.deepEqual(await store.rebuilds.listWithheld('test', { left: 'extract', limit: 10 }), [])
    const [shown] = await store.folds.readSegments(chat.key, 'shown')
    assert.deepEqual(
      [shown?.text, shown?.state, shown?.summarizer, shown?.tokensAfter],
      ['## made anew 4', 'live', 'again', 2],
    )
    await checkFigures(chat)
  },

  'leave what is rolled up from them to be made anew, too': async store => {
    const chat = new Chat(store)
    await chat.say(8)
    await chat.fold(2)
    await chat.fold(4)
    await eraseMessages(chat, 1)
    await chat.foldAndRollUp(6, 2)
    const withheld = await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 10 })
    assert.deepEqual(withheld.map(({ segment, lower }) => [segment.level, lower.length]).at(-1), [2, 3])
    await checkFigures(chat)
  },

  'leave segments that a rollback may show again': async store => {
    const chat = new Chat(store)
    await foldTwoLevels(chat, 'extractive')
    await eraseMessages(chat, 2, 6)
    await chat.rollback(5)
    assert.deepEqual(
      (await store.folds.readSegments(chat.key, 'shown')).map(({ id, text, messageCount }) => [
        id,
        text,
        messageCount,
      ]),
      [
        [1, '', 1],
        [2, CANARY, 2],
      ],
    )
    await checkFigures(chat)
  },

  'make a fold in flight void, also of other messages': async store => {
    for (const seq of [1, 3, 6]) {
      const chat = new Chat(store, `without ${seq}`)
      await chat.say(8)
      await chat.fold(2)
      const commit = await chat.prepareFold(4)
      await eraseMessages(chat, seq)
      const before = await chat.file()
      await refuses(store.folds.commitFold(commit), 'epoch_conflict')
      assert.deepEqual(await chat.file(), before)
      await store.folds.releaseLease(chat.key, commit.leaseToken)
      await chat.fold(5)
      await checkFigures(chat)
    }
  },

  'make a fold void that read segments which were made anew since': async store => {
    const chat = new Chat(store)
    await chat.say(8)
    await chat.fold(4)
    await eraseMessages(chat, 1)
    const commit = await chat.prepareFold(6)
    assert.ok(await store.rebuilds.commitRebuilt(chat.key, await rebuilt(chat, 1)))
    await refuses(store.folds.commitFold(commit), 'epoch_conflict')
  },

  'make an extraction in flight void': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(4)
    const name = 'extraction/chat'
    const lease = await store.leases.takeLease('test', { name, owner: 'one', ttlMs: 60_000, now: chat.now })
    const commit = {
      key: chat.key,
      leaseToken: lease!.token,
      after: 0,
      through: 2,
      read: { messages: 2, versions: 2 },
      documents: [],
      rules: { when: 'off', batchMessages: 1, idleMs: 1 } as const,
      now: chat.now,
    }
    await eraseMessages(chat, 4)
    await refuses(store.extraction.commitExtraction(commit), 'lease_lost')
    const again = await store.leases.takeLease('test', { name, owner: 'two', ttlMs: 60_000, now: chat.now })
    assert.ok(again!.token > lease!.token)
    await refuses(store.extraction.commitExtraction(commit), 'lease_lost')
    await store.extraction.commitExtraction({ ...commit, leaseToken: again!.token })
    assert.equal((await chat.record()).extractedThrough, 2)
  },

  'make indexing in flight void, and leave no term of theirs': async store => {
    const chat = new Chat(store)
    await chat.append(message(`${CANARY} one`), message('two'), message(`${CANARY} three`))
    const work = await store.search.readIndexWork(chat.key, { messages: 2, characters: 1_000 })
    await eraseMessages(chat, 1)
    assert.equal(
      await store.search.writeIndex(chat.key, { work: work!, terms: new Map([[CANARY, [[1, 1]]]]) }),
      false,
    )
    await indexAll(chat)
    await eraseMessages(chat, 3)
    assertForgotten(await toldBySession(store, 'chat'))
  },

  'go from what a tool gave back of them': async store => {
    const chat = new Chat(store)
    const recalled = (...seqs: readonly number[]) => ({
      recalled: true,
      messages: seqs.map(seq => ({ seq, text: seq === 1 ? CANARY : 'harmless' })),
    })
    const result = (toolCallId: string, output: unknown) =>
      message([{ type: 'tool-result', toolCallId, toolName: 'query_history', output }], { role: 'tool' })
    await chat.append(
      message(CANARY),
      message('two'),
      result('a', recalled(1, 2)),
      result('b', recalled(2)),
      result('c', { type: 'json', value: recalled(2, 1) }),
      result('d', JSON.stringify(recalled(1))),
      result('e', [{ type: 'text', text: JSON.stringify(recalled(1)) }]),
      result('f', { found: 'nothing' }),
    )
    await eraseMessages(chat, 1)
    assert.deepEqual(await chat.seqs(), [2, 4, 8])
    assertForgotten(await toldBy(store))
    await checkFigures(chat)
  },
})

export const erasing = [...erasingMessages, ...erasingDerived]
