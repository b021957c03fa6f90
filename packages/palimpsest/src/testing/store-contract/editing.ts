import assert from 'node:assert/strict'
import type { Content } from '../../log/index.ts'
import { Chat, checkFigures, message, sizeOf } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

const call = (toolCallId: string, text = ''): Content => [
  { type: 'text', text },
  { type: 'tool-call', toolCallId, toolName: 'search', input: {} },
]

export const editing = contractCases('edit', {
  'replaces the content and keeps what was there as versions': async store => {
    const chat = new Chat(store)
    await chat.say(3)
    assert.deepEqual(await chat.edit(2, 'second\0'), { version: 2 })
    const first = new Date(chat.now)
    assert.deepEqual(await chat.edit(2, [{ type: 'text', text: 'third' }]), { version: 3 })
    assert.deepEqual(await store.log.readVersions(chat.key, 2), [
      { version: 1, content: 'message 2', replacedAt: first },
      { version: 2, content: 'second\0', replacedAt: new Date(chat.now) },
      { version: 3, content: [{ type: 'text', text: 'third' }], replacedAt: null },
    ])
    const [, edited] = await chat.messages()
    assert.deepEqual(
      [edited?.version, edited?.content, edited?.role],
      [3, [{ type: 'text', text: 'third' }], 'assistant'],
    )
  },

  'shows its size in the figures at once, and after the next messages': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    for (const [seq, text] of [
      [6, 'longer '.repeat(100)],
      [1, 'x'],
      [3, '中'.repeat(999)],
      [6, 'short'],
    ] as const) {
      await chat.edit(seq, text)
      await checkFigures(chat)
    }
    await chat.say(2)
    await checkFigures(chat)
    await chat.fold(4)
    await checkFigures(chat)
    await chat.edit(2, 'an archived message that grows')
    await chat.edit(7, 'a raw one too')
    await checkFigures(chat)
  },

  'begins an epoch, unless the content is the same': async store => {
    const chat = new Chat(store)
    await chat.say(2)
    const before = await chat.record()
    assert.deepEqual(await chat.edit(1, 'message 1'), { version: 1 })
    assert.deepEqual(await chat.record(), before)
    await chat.edit(1, 'new')
    assert.equal((await chat.record()).epoch, before.epoch + 1)
    const file = await chat.file()
    assert.deepEqual(await chat.edit(1, 'new'), { version: 2 })
    assert.deepEqual(await chat.file(), file)
  },

  'marks the segments over it dirty, rolled-up ones too, and no others': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.fold(2)
    await chat.foldAndRollUp(4, 2)
    await chat.fold(8)
    await chat.edit(1, 'edited')
    const all = await store.folds.readSegments(chat.key, 'all')
    assert.deepEqual(
      all.map(({ fromSeq, toSeq, level, state }) => [fromSeq, toSeq, level, state]),
      [
        [1, 2, 1, 'rolled-up'],
        [1, 4, 2, 'dirty'],
        [3, 4, 1, 'rolled-up'],
        [5, 8, 1, 'live'],
      ],
    )
    await chat.edit(10, 'raw: nothing gets dirty')
    assert.equal((await store.folds.readSegments(chat.key, 'shown'))[1]?.state, 'live')
    await chat.rollback(3)
    assert.deepEqual(
      (await store.folds.readSegments(chat.key, 'all')).map(({ state }) => state),
      ['dirty'],
    )
    await checkFigures(chat)
  },

  'lets tool calls, results and approvals neither come nor go': async store => {
    const chat = new Chat(store)
    await chat.append(message('question'), message(call('a b'), { role: 'assistant' }))
    const file = await chat.file()
    const several: Content = [
      ...call('a'),
      { type: 'tool-call', toolCallId: 'b', toolName: 'search' },
    ] as Content
    const lookalike: Content = [{ type: 'tool-call', toolCallId: 'a call:b', toolName: 'search' }]
    await refuses(chat.edit(1, call('a')), 'invalid_argument')
    for (const content of ['none', call('other'), several])
      await refuses(chat.edit(2, content), 'invalid_argument')
    assert.deepEqual(await chat.file(), file)
    await chat.edit(2, call('a b', 'with text'))
    await chat.append(message(several, { role: 'assistant' }))
    await refuses(chat.edit(3, lookalike), 'invalid_argument')
    await checkFigures(chat)
  },

  'finds only visible messages': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    await chat.rollback(2)
    const file = await chat.file()
    for (const seq of [0, 3, 4, 5]) await refuses(chat.edit(seq, 'x'), 'message_not_found')
    assert.deepEqual(await chat.file(), file)
  },

  'says when segments are made anew, from the first edit on, and with a lease alone': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.fold(4)
    await chat.foldAndRollUp(8, 2)
    const outdated = () => store.rebuilds.readOutdated(chat.key)
    assert.equal(await outdated(), null)
    assert.equal(await store.schedule.nextDueAt('test', 'rebuild'), null)
    const size = sizeOf('a')
    const first = { seq: 1, content: 'a', size, now: 1_000, rebuildDelayMs: 500 }
    assert.equal((await store.log.edit(chat.key, first)).rebuildAt, 1_500)
    assert.equal((await store.log.edit(chat.key, { ...first, seq: 3, now: 1_400 })).rebuildAt, 1_500)
    assert.equal((await store.log.edit(chat.key, { ...first, seq: 11 })).rebuildAt, undefined)
    assert.equal(await store.schedule.nextDueAt('test', 'rebuild'), 1_500)
    assert.deepEqual(await store.schedule.listDue('test', { kind: 'rebuild', now: 1_499, limit: 9 }), [])
    const [due] = await store.schedule.listDue('test', { kind: 'rebuild', now: 1_500, limit: 9 })
    assert.equal(due?.id, chat.key.id)
    const corrected = async () =>
      (await store.context.readContext(chat.key, { tokens: 999, archivedTokens: 0 }))!.corrected.map(
        ({ seq }) => seq,
      )
    assert.deepEqual(await corrected(), [1, 3])

    const lease = await store.folds.acquireLease(chat.key, { owner: 'a', ttlMs: 60_000, now: chat.now })
    const leaseToken = lease!.token
    await refuses(
      store.rebuilds.failRebuild(chat.key, { leaseToken: leaseToken + 1, retryAt: 9 }),
      'lease_lost',
    )
    await store.rebuilds.failRebuild(chat.key, { leaseToken, retryAt: 9_000 })
    const failed = (await outdated())!
    assert.deepEqual([failed.dueAt, failed.failures, failed.segment?.segment.level], [9_000, 1, 1])
    const rebuild = async (token = leaseToken) => {
      const { segment, epoch } = (await outdated())!.segment!
      const made = { ...segment, text: 'anew', tokensAfter: 1, isProper: true, leaseToken: token }
      return store.rebuilds.commitRebuilt(chat.key, { ...made, expectedEpoch: epoch })
    }
    await refuses(rebuild(leaseToken + 1), 'lease_lost')
    assert.equal(await rebuild(), true)
    const second = (await outdated())!
    assert.deepEqual([second.failures, second.segment?.segment.level], [0, 2])
    assert.deepEqual(second.segment?.lower.map(({ text }) => text).includes('anew'), true)
    assert.equal(await rebuild(), true)
    assert.equal(await outdated(), null)
    assert.deepEqual(await corrected(), [])
    assert.equal(await store.schedule.nextDueAt('test', 'rebuild'), null)
    await checkFigures(chat)
  },
})
