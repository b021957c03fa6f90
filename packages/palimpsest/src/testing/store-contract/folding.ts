import assert from 'node:assert/strict'
import { count, type Policy, window } from '../../policy/index.ts'
import type { FoldCommit } from '../../store/index.ts'
import { Chat, checkFigures, FORCE, message, segment } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

/** All data that a commit could change. */
async function everything({ store, key }: Chat) {
  return {
    file: await store.transfer.exportSession(key),
    record: await store.sessions.readSession(key),
    segments: await store.folds.readSegments(key, 'all'),
    plan: await store.folds.readPlan(key),
  }
}

async function refusedWithoutTrace(chat: Chat, commit: FoldCommit, code: Parameters<typeof refuses>[1]) {
  const before = await everything(chat)
  const error = await refuses(chat.store.folds.commitFold(commit), code)
  assert.deepEqual(await everything(chat), before)
  return error
}

const POLICIES: Readonly<Record<string, Policy>> = {
  count: count({ threshold: 8, keepLast: 2 }),
  cooldown: window({
    contextSize: 40,
    tailKeepSize: 2,
    compressionWindowSize: 10,
    compressionHardLimit: 30,
    compressionCooldownSec: 60,
  }),
  own: {
    ...count({ threshold: 100, keepLast: 2 }),
    forSession: ({ threshold }) => count({ threshold: Number(threshold), keepLast: 2 }),
  },
}

export const folding = contractCases('commitFold', {
  'stores segment, cursor, memo, counters and outcome, and begins an epoch': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(8, { memo: { topic: 'weather' } })
    const receipt = { segmentIds: [1], epoch: 1, repeated: false, judged: null }
    assert.deepEqual(await chat.commit(commit), receipt)
    const { absorbs: _, ...stored } = commit.segments[0]!
    assert.deepEqual(await store.folds.readSegments(chat.key, 'shown'), [
      { ...stored, id: 1, rolledInto: null, createdAt: new Date(commit.now) },
    ])
    const { state, memo, lastOutcome, epoch, segments, failures } = await chat.record()
    assert.deepEqual(
      { memo, lastOutcome, epoch, segments, failures },
      {
        memo: { value: { topic: 'weather' }, throughSeq: 8 },
        lastOutcome: { result: 'folded', segmentId: 1 },
        epoch: 1,
        segments: 1,
        failures: 0,
      },
    )
    assert.deepEqual(
      [state.compactedThrough, state.lastFoldAt, state.decided],
      [8, commit.now, { messages: 12, replies: 6, at: commit.now }],
    )
    assert.deepEqual(
      await chat.seqs(),
      Array.from({ length: 12 }, (_, index) => index + 1),
    )
    await checkFigures(chat)
  },

  'stores with the outcome which segment it made, if any': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(4)
    await chat.commit({ ...commit, outcome: { result: 'folded', segmentId: null } })
    assert.deepEqual((await chat.record()).lastOutcome, { result: 'folded', segmentId: 1 })
    await chat.foldAndRollUp(8, 2)
    assert.deepEqual((await chat.record()).lastOutcome, { result: 'folded', segmentId: 2 })
    const none = await chat.prepareFold(10)
    await chat.commit({ ...none, plan: { decision: FORCE, range: null }, segments: [] })
    assert.deepEqual((await chat.record()).lastOutcome, { result: 'folded', segmentId: null })
  },

  'carries out what was pending for the same reason, whatever it measured; another stays': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const decision = { type: 'lite', reason: 'custom', severity: 5, meta: { messages: 12 } }
    for (const [toSeq, pending, left] of [
      [2, { ...decision, severity: 6, meta: { messages: 14 } }, null],
      [4, { ...decision, reason: 'other' }, 'other'],
      [6, { ...decision, type: 'deep', severity: 7 }, 'custom'],
    ] as const) {
      const commit = await chat.prepareFold(toSeq)
      await store.schedule.setPending(chat.key, pending)
      await chat.commit({ ...commit, plan: { ...commit.plan, decision } })
      assert.equal((await chat.record()).pending?.reason ?? null, left)
    }
  },

  'folds again and again, around what rollbacks hid': async store => {
    const chat = new Chat(store)
    for (let round = 0; round < 6; round++) {
      const seqs = await chat.say(6)
      await chat.rollback(seqs[3]!)
      const [more] = await chat.say(3)
      await chat.fold(more!)
      await checkFigures(chat)
    }
    assert.equal((await chat.record()).segments, 6)
  },

  'keeps messages that arrived since the range was frozen': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(8)
    await Promise.all(Array.from({ length: 231 }, (_, index) => chat.append(message(`late ${index}`))))
    await chat.commit(commit)
    assert.equal((await chat.record()).state.decided.messages, 12)
    assert.deepEqual(
      await chat.seqs(),
      Array.from({ length: 243 }, (_, index) => index + 1),
    )
    await checkFigures(chat)
  },

  'rolls segments up, also those of the same commit, and keeps them': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.fold(2)
    await chat.fold(4)
    assert.deepEqual((await chat.foldAndRollUp(6, 2)).segmentIds, [3, 4])
    await chat.foldAndRollUp(8, 3)
    const all = await store.folds.readSegments(chat.key, 'all')
    assert.deepEqual(
      all.map(({ id, fromSeq, toSeq, level, rolledInto }) => [id, fromSeq, toSeq, level, rolledInto]),
      [
        [1, 1, 2, 1, 4],
        [4, 1, 6, 2, 6],
        [6, 1, 8, 3, null],
        [2, 3, 4, 1, 4],
        [3, 5, 6, 1, 4],
        [5, 7, 8, 1, 6],
      ],
    )
    assert.deepEqual(
      await store.folds.readSegments(chat.key, 'shown'),
      all.filter(({ id }) => id === 6),
    )
    await checkFigures(chat)
  },

  'replaces a provisional segment without moving the cursor twice': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.fold(4, { state: 'provisional' })
    assert.equal((await store.folds.readSegments(chat.key, 'shown'))[0]?.state, 'provisional')
    const commit = await chat.prepareFold(8)
    await chat.commit({ ...commit, segments: [{ ...segment(1, 8, 8), absorbs: [1] }] })
    assert.deepEqual(
      (await store.folds.readSegments(chat.key, 'shown')).map(({ id, state }) => [id, state]),
      [[2, 'live']],
    )
    await checkFigures(chat)
  },

  'replaces the provisional segments right before the range, by several if need be': async store => {
    const chat = new Chat(store)
    await chat.say(14)
    await chat.fold(2)
    await chat.fold(4, { state: 'provisional' })
    await chat.fold(8, { state: 'provisional' })
    const commit = await chat.prepareFold(12)
    await chat.commit({
      ...commit,
      segments: [
        { ...segment(3, 6, 4), absorbs: [2, 3] },
        { ...segment(7, 12, 6), absorbs: [] },
      ],
    })
    const shown = async () =>
      (await store.folds.readSegments(chat.key, 'shown')).map(({ fromSeq, toSeq, state }) => [
        fromSeq,
        toSeq,
        state,
      ])
    assert.deepEqual(await shown(), [
      [1, 2, 'live'],
      [3, 6, 'live'],
      [7, 12, 'live'],
    ])
    await checkFigures(chat)
    await (await chat.copyByFile('copy')).record()
    await chat.rollback(11)
    assert.deepEqual(await shown(), [
      [1, 2, 'live'],
      [3, 6, 'live'],
    ])
    await checkFigures(chat)
    await chat.rollback(5)
    assert.deepEqual(await shown(), [
      [1, 2, 'live'],
      [3, 4, 'provisional'],
    ])
    await checkFigures(chat)
  },

  'refuses segments that leave a gap, overlap, or stand for what they may not': async store => {
    const chat = new Chat(store)
    await chat.say(14)
    await chat.fold(2)
    await chat.fold(4, { state: 'provisional' })
    await chat.fold(6)
    await chat.fold(8, { state: 'provisional' })
    const commit = await chat.prepareFold(12)
    const lower = { ...segment(9, 12, 4), absorbs: [] }
    for (const segments of [
      [],
      [{ ...segment(10, 12, 3), absorbs: [] }],
      [{ ...segment(9, 11, 3), absorbs: [] }],
      [{ ...segment(9, 13, 5), absorbs: [] }],
      // This one would cover 7 and 8 twice.
      [{ ...segment(7, 12, 6), absorbs: [] }],
      // This one would leave 7 and 8 without a segment.
      [{ ...segment(9, 12, 4), absorbs: [4] }],
      // The absorbed segments are live, not right before the range, or do not exist.
      [{ ...segment(5, 12, 8), absorbs: [3, 4] }],
      [{ ...segment(3, 12, 10), absorbs: [2, 4] }],
      [{ ...segment(7, 12, 6), absorbs: [4, 99] }],
      [
        { ...segment(9, 10, 2), absorbs: [] },
        { ...segment(10, 12, 3), absorbs: [] },
      ],
      // The segment that begins first must absorb the replaced one.
      [
        { ...segment(7, 9, 3), absorbs: [] },
        { ...segment(10, 12, 3), absorbs: [4] },
      ],
      [lower, { ...segment(1, 12, 12, { level: 2 }), absorbs: [1, 2, 3, -1] }],
      [lower, { ...segment(3, 12, 10, { level: 2 }), absorbs: [1, 2, 3, 4, -1] }],
      [lower, { ...segment(1, 12, 12, { level: 2 }), absorbs: [] }],
    ])
      await refusedWithoutTrace(chat, { ...commit, segments }, 'invalid_argument')
    await chat.commit({ ...commit, segments: [{ ...segment(7, 12, 6), absorbs: [4] }] })
    await checkFigures(chat)
  },

  'keeps those versions of the memo that a rollback can reach': async store => {
    const chat = new Chat(store)
    await chat.say(14)
    await chat.fold(4, { memo: { through: 4 } })
    await chat.fold(8, { memo: { through: 8 } })
    const again = await chat.prepareFold(10)
    await chat.commit({
      ...again,
      plan: { decision: FORCE, range: null },
      segments: [],
      memo: { value: { through: 8, again: true }, throughSeq: 8 },
    })
    const { memo, memoVersions } = await chat.file()
    assert.deepEqual(
      [...memoVersions, memo!].map(({ value }) => value),
      [{ through: 4 }, { through: 8, again: true }],
    )
    await chat.rollback(7)
    assert.deepEqual((await chat.record()).memo, { value: { through: 4 }, throughSeq: 4 })
  },

  'without a range only brings memo and counters up to date': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    const commit = await chat.prepareFold(2)
    const receipt = await chat.commit({
      ...commit,
      plan: { decision: FORCE, range: null },
      segments: [],
      memo: { value: { topic: 'news' }, throughSeq: 6 },
    })
    assert.deepEqual(receipt, { segmentIds: [], epoch: 1, repeated: false, judged: null })
    const { state, memo } = await chat.record()
    assert.deepEqual(memo, { value: { topic: 'news' }, throughSeq: 6 })
    assert.deepEqual(
      [
        state.compactedThrough,
        state.lastFoldAt,
        state.decided.messages,
        state.stalled[FORCE.reason]?.messages,
      ],
      [0, null, 6, 6],
    )
    await checkFigures(chat)
  },

  'repeated with the same operation changes nothing and answers the same': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(8, { memo: { a: 1 } })
    const receipt = await chat.commit(commit)
    await chat.say(2)
    const before = await everything(chat)
    const again = await open()
    for (const each of [store, again])
      assert.deepEqual(await each.folds.commitFold({ ...commit, now: commit.now + 5000 }), {
        ...receipt,
        repeated: true,
      })
    assert.deepEqual(await everything(chat), before)
    await chat.fold(10)
    assert.deepEqual(await store.folds.commitFold(commit), { ...receipt, repeated: true })
    const other = new Chat(store, 'other')
    await other.say(12)
    const sameId = await other.commit({ ...(await other.prepareFold(8)), operationId: commit.operationId })
    assert.equal(sameId.repeated, false, 'an operation belongs to its session')
  },

  'made several times at once is made once': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(8)
    const stores = [store, await open()]
    const receipts = await Promise.all([0, 1, 0, 1].map(which => stores[which]!.folds.commitFold(commit)))
    assert.equal(receipts.filter(({ repeated }) => !repeated).length, 1)
    assert.equal((await chat.record()).epoch, 1)
    await checkFigures(chat)
  },

  'refuses another epoch: after an edit, a rollback, or another fold': async store => {
    for (const meddle of [
      (chat: Chat) => chat.edit(1, 'edited'),
      (chat: Chat) => chat.rollback(11),
      (chat: Chat) => chat.fold(4),
    ]) {
      const chat = new Chat(store, `${meddle}`)
      await chat.say(12)
      const commit = await chat.prepareFold(8)
      await store.folds.releaseLease(chat.key, commit.leaseToken)
      await meddle(chat)
      const { leaseToken } = await chat.prepareFold(8)
      const error = await refusedWithoutTrace(chat, { ...commit, leaseToken }, 'epoch_conflict')
      assert.deepEqual(error.details, { sessionId: chat.key.id, expected: 0, actual: 1 })
      await checkFigures(chat)
    }
  },

  'refuses a lease that somebody took since, or that was released': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(8)
    const taken = await store.folds.acquireLease(chat.key, {
      owner: 'other',
      ttlMs: 1000,
      now: chat.now + 60_000,
    })
    await refusedWithoutTrace(chat, commit, 'lease_lost')
    await store.folds.releaseLease(chat.key, taken!.token)
    await refusedWithoutTrace(chat, commit, 'lease_lost')
    await refusedWithoutTrace(chat, { ...commit, leaseToken: taken!.token }, 'lease_lost')
    const next = await store.folds.acquireLease(chat.key, { owner: 'other', ttlMs: 1000, now: chat.now })
    await store.folds.commitFold({ ...commit, leaseToken: next!.token })
  },

  'lets go of its lease, and is one fold': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(4)
    await store.folds.commitFold(commit)
    assert.equal((await chat.record()).leaseUntil, null)
    await refusedWithoutTrace(chat, { ...commit, operationId: 'another' }, 'lease_lost')
    const lease = await (await open()).folds.acquireLease(chat.key, {
      owner: 'b',
      ttlMs: 1000,
      now: chat.now,
    })
    assert.ok(lease!.token > commit.leaseToken)
    assert.equal((await store.folds.commitFold(commit)).repeated, true)
    assert.notEqual((await chat.record()).leaseUntil, null, "a repeat leaves the next one's alone")
  },

  'says what is left to do, as judging would right after it': async store => {
    const seen = new Set<string>()
    for (const [name, policy] of Object.entries(POLICIES))
      for (const toSeq of [4, 16]) {
        const commits: FoldCommit[] = []
        for (const when of ['after', 'within']) {
          const chat = new Chat(store, `${name} ${toSeq} ${when}`, { policy })
          await chat.say(20)
          await store.settings.updateSettings(chat.key, { threshold: 8 })
          commits.push(await chat.prepareFold(toSeq))
          await chat.say(2)
        }
        const [after, within] = commits as [FoldCommit, FoldCommit]
        await store.folds.commitFold(after)
        const { judged } = await store.folds.commitFold({ ...within, policy })
        assert.deepEqual(judged, await store.schedule.judge(after.key, { policy, now: after.now }))
        const records = await Promise.all([after, within].map(({ key }) => store.sessions.readSession(key)))
        const [expected, actual] = records.map(record => [record?.pending, record?.dueAt])
        assert.deepEqual(actual, expected)
        assert.deepEqual(actual?.[0], judged?.decision)
        seen.add(judged?.decision ? `${name}: more` : `${name}: ${judged?.dueAt === null ? 'done' : 'later'}`)
        assert.equal((await store.folds.commitFold({ ...within, policy })).judged, null)
      }
    assert.deepEqual(
      [...seen],
      ['count: more', 'count: done', 'cooldown: more', 'cooldown: later', 'own: more', 'own: done'],
    )
  },

  "does not judge by a policy with judges of the caller's own": async store => {
    const custom: Policy = { ...POLICIES['count']!, judges: [() => null] }
    for (const policy of [custom, { ...POLICIES['count']!, forSession: () => custom }]) {
      const chat = new Chat(store, policy === custom ? 'usual' : 'own', { policy })
      await chat.say(20)
      await store.settings.updateSettings(chat.key, { threshold: 8 })
      const { pending } = await chat.record()
      assert.equal((await chat.commit({ ...(await chat.prepareFold(4)), policy })).judged, null)
      assert.deepEqual((await chat.record()).pending, pending)
    }
  },

  'leaves what somebody asked for meanwhile pending, whatever the rules say': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(8)
    const asked = { ...FORCE, type: 'lite' }
    await store.schedule.setPending(chat.key, asked)
    const { judged } = await chat.commit({ ...commit, policy: chat.policy })
    assert.deepEqual(judged?.decision, asked)
    assert.deepEqual((await chat.record()).pending, asked)
  },

  'takes a lease that ran out but that nobody took': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(8)
    await chat.commit({ ...commit, now: chat.now + 10_000_000 })
    await checkFigures(chat)
  },

  'refuses a range that does not begin right above the cursor': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.fold(4)
    const commit = await chat.prepareFold(8)
    for (const fromSeq of [1, 4, 6]) {
      const plan = { ...commit.plan, range: { ...commit.plan.range!, fromSeq } }
      const error = await refusedWithoutTrace(chat, { ...commit, plan }, 'cursor_conflict')
      assert.deepEqual(error.details, { sessionId: 'chat', expected: fromSeq - 1, actual: 4 })
    }
    await chat.commit(commit)
    await checkFigures(chat)
  },

  'takes a fold although messages above its range were edited meanwhile, and no other': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const above = await chat.prepareFold(6)
    await chat.edit(9, 'edited')
    await chat.edit(12, 'edited too')
    await chat.commit(above)
    await checkFigures(chat)
    const within = await chat.prepareFold(9)
    await chat.edit(11, 'harmless')
    await chat.edit(8, 'in the range')
    await refuses(chat.commit(within), 'epoch_conflict')
    await store.folds.releaseLease(chat.key, within.leaseToken)
    await checkFigures(chat)
  },

  'leaves state and log after a failure, and backs off': async store => {
    const chat = new Chat(store)
    await chat.say(30)
    const commit = await chat.prepareFold(8)
    const before = await everything(chat)
    const backoffUntil = chat.now + 60_000
    const outcome = { result: 'failed', reason: 'empty' }
    await store.folds.failFold(chat.key, {
      leaseToken: commit.leaseToken,
      backoffUntil,
      outcome,
      now: chat.now,
    })
    const { record, ...rest } = await everything(chat)
    const { record: old, ...restBefore } = before
    assert.deepEqual(rest.file, restBefore.file)
    assert.deepEqual(rest.segments, restBefore.segments)
    assert.deepEqual([record?.failures, record?.lastOutcome, record?.epoch], [1, outcome, old?.epoch])
    assert.deepEqual(record?.state, { ...old?.state, backoffUntil })
    assert.equal(
      (await store.schedule.judge(chat.key, { policy: chat.policy, now: backoffUntil - 1 }))?.decision,
      null,
    )
    assert.equal(
      (await store.schedule.judge(chat.key, { policy: chat.policy, now: backoffUntil }))?.decision?.reason,
      'count',
    )
    await store.folds.failFold(chat.key, {
      leaseToken: commit.leaseToken,
      backoffUntil,
      outcome,
      now: chat.now,
    })
    assert.equal((await chat.record()).failures, 2)
    // Nothing is due before there is a new message. After that, it is due when the back-off ends.
    assert.deepEqual(
      await store.schedule.listDue('test', { kind: 'judging', now: backoffUntil, limit: 10 }),
      [],
    )
    assert.deepEqual(await store.schedule.listPending('test', { limit: 10 }), [])
    await chat.say(1)
    assert.deepEqual(
      await store.schedule.listDue('test', { kind: 'judging', now: backoffUntil - 1, limit: 10 }),
      [],
    )
    assert.deepEqual(
      await store.schedule.listDue('test', { kind: 'judging', now: backoffUntil, limit: 10 }),
      [chat.key],
    )
    await chat.commit(commit)
    const { failures, state } = await chat.record()
    assert.deepEqual([failures, state.backoffUntil], [0, null])
    await refuses(
      store.folds.failFold(chat.key, { leaseToken: commit.leaseToken, backoffUntil, outcome, now: chat.now }),
      'lease_lost',
    )
  },
})
