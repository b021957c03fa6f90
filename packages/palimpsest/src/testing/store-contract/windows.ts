import assert from 'node:assert/strict'
import type { WindowMessage } from '../../log/index.ts'
import { parseSessionFile } from '../../store/index.ts'
import { Chat, checkFigures, FORCE, message, segment } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { assertForgotten, CANARY, eraseMessages, toldBy } from './erasing-kit.ts'

/** Contains characters that a plain text column cannot hold. */
const WINDOW: readonly WindowMessage[] = [
  { role: 'system', content: 'They met. 摘要 🎉\0\ud800', mood: { good: true, list: [1, 'two', null] } },
  { seq: 2, role: 'assistant', content: [{ type: 'text', text: 'Hello' }], at: '2026-01-15T08:00:00.000Z' },
  { role: 'user', content: 'Said so', sender: { id: 'ann', name: 'Ann' } },
]

interface WindowOptions {
  readonly window?: readonly WindowMessage[]
  readonly through?: number
}

/**
 * The commit of a window over all segments and the raw messages through `toSeq`. 0: over the segments only.
 */
async function prepareWindow(chat: Chat, toSeq: number, { window = WINDOW, through }: WindowOptions = {}) {
  const shown = await chat.store.folds.readSegments(chat.key, 'shown')
  const raw = (await chat.store.folds.readPlan(chat.key))!.raw
  const commit = await chat.prepareFold(toSeq === 0 ? raw.at(-1)!.seq : toSeq)
  const range = toSeq === 0 ? null : commit.plan.range
  const from = shown[0]?.fromSeq ?? range!.fromSeq
  const to = range?.toSeq ?? shown.at(-1)!.toSeq
  const count = shown.reduce((sum, { messageCount }) => sum + messageCount, range?.amount.messages ?? 0)
  const own = { ...segment(from, to, count), window, windowThrough: through ?? commit.head.seq }
  return {
    ...commit,
    plan: { decision: FORCE, range },
    segments: [{ ...own, absorbs: shown.map(({ id }) => id) }],
  }
}

export async function choose(chat: Chat, toSeq: number, options: WindowOptions = {}): Promise<void> {
  await chat.commit(await prepareWindow(chat, toSeq, options))
}

async function shown(chat: Chat) {
  const segments = await chat.store.folds.readSegments(chat.key, 'shown')
  return segments.map(({ fromSeq, toSeq, window, windowThrough }) => ({
    range: [fromSeq, toSeq],
    window: window ?? null,
    through: windowThrough ?? null,
  }))
}

const text = (content: string): readonly WindowMessage[] => [{ role: 'user', content }]

export const windows = contractCases('a window', {
  'is kept with its segment as it was chosen, and others have none': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(10)
    await chat.fold(2)
    await choose(chat, 6)
    for (const each of [store, await open()])
      assert.deepEqual(await shown(new Chat(each)), [{ range: [1, 6], window: WINDOW, through: 10 }])
    await chat.fold(8)
    assert.deepEqual((await shown(chat))[1], { range: [7, 8], window: null, through: null })
    assert.ok(!('window' in (await store.folds.readSegments(chat.key, 'all'))[0]!))
    await checkFigures(chat)
  },

  'stands for every segment that was there, of whatever level, and for messages above them': async store => {
    const chat = new Chat(store)
    await chat.say(14)
    await chat.fold(2)
    await chat.foldAndRollUp(4, 2)
    await chat.fold(6, { state: 'provisional' })
    await choose(chat, 8)
    await choose(chat, 10)
    assert.deepEqual(
      (await shown(chat)).map(({ range }) => range),
      [[1, 10]],
    )
    await checkFigures(chat)
    const [only] = await store.folds.readSegments(chat.key, 'shown')
    const { lower } = (await store.folds.readSegment(chat.key, only!.id))!
    assert.deepEqual(
      lower.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
      [[1, 8]],
    )
  },

  'may stand for segments alone, and the cursor stays': async store => {
    const chat = new Chat(store)
    await chat.say(8)
    await chat.fold(2)
    await chat.fold(4)
    await choose(chat, 0, { window: [] })
    assert.deepEqual(await shown(chat), [{ range: [1, 4], window: [], through: 8 }])
    assert.equal((await chat.record()).state.compactedThrough, 4)
    await checkFigures(chat)
  },

  'that leaves a gap, or something to stand beside it, is refused': async store => {
    const chat = new Chat(store)
    await chat.say(10)
    await chat.fold(2)
    await chat.fold(4)
    const commit = await prepareWindow(chat, 8)
    const [own] = commit.segments
    const { window: _, windowThrough, ...plain } = own!
    for (const segments of [
      [{ ...own!, fromSeq: 3 }],
      [{ ...own!, toSeq: 7 }],
      [{ ...own!, toSeq: 9 }],
      [{ ...own!, absorbs: [] }],
      [{ ...own!, absorbs: [2] }],
      [{ ...own!, absorbs: [1, 2, 3] }],
      [{ ...own!, level: 2 }],
      [{ ...own!, windowThrough: 7 }],
      [own!, { ...segment(1, 8, 8, { level: 2 }), absorbs: [-1] }],
      // A segment without a window may not absorb these.
      [plain],
    ])
      await refuses(store.folds.commitFold({ ...commit, segments }), 'invalid_argument')
    await chat.commit(commit)
    await checkFigures(chat)
    const none = await prepareWindow(new Chat(store), 10)
    await refuses(
      store.folds.commitFold({ ...none, plan: { decision: FORCE, range: null } }),
      'invalid_argument',
    )
  },

  'is shown again by a rollback that takes away what stood for it': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    await choose(chat, 2, { window: text('first') })
    await chat.say(4)
    await choose(chat, 6, { window: text('second') })
    await chat.say(4)
    await choose(chat, 10, { window: text('third') })
    await chat.rollback(11)
    assert.deepEqual(await shown(chat), [{ range: [1, 6], window: text('second'), through: 8 }])
    await checkFigures(chat)
    await chat.rollback(5)
    assert.deepEqual(await shown(chat), [{ range: [1, 2], window: text('first'), through: 4 }])
    await checkFigures(chat)
  },

  'goes with a rollback of what it may tell of, and all that was folded after it': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.fold(2)
    await choose(chat, 4)
    await chat.fold(6)
    await chat.foldAndRollUp(8, 2)
    await chat.rollback(11)
    assert.deepEqual(
      (await shown(chat)).map(({ range }) => range),
      [[1, 2]],
    )
    await checkFigures(chat)
    await chat.fold(6)
    await checkFigures(chat)
  },

  'comes with a fork of all that it may tell of, and with no other': async store => {
    const chat = new Chat(store)
    await chat.say(10)
    await choose(chat, 4)
    await chat.say(4)
    for (const [atSeq, isKept] of [
      [14, true],
      [10, true],
      [9, false],
      [4, false],
    ] as const) {
      const fork = await chat.fork(`at ${atSeq}`, atSeq)
      assert.deepEqual(await shown(fork), isKept ? await shown(chat) : [])
      await checkFigures(fork)
    }
  },

  'is exported and imported': async store => {
    const chat = new Chat(store)
    await chat.say(10)
    await choose(chat, 4)
    await choose(chat, 6, { window: [] })
    const file = JSON.parse(JSON.stringify(await chat.file()))
    const parsed = parseSessionFile(file)
    assert.deepEqual([parsed.warnings, JSON.parse(JSON.stringify(parsed.file))], [[], file])
    const copy = await chat.copyByFile('copy')
    assert.deepEqual({ ...(await copy.file()), id: 'chat' }, await chat.file())
    await checkFigures(copy)
    const [window] = file.segments
    for (const [wrong, field] of [
      [{ ...window, window: 'none' }, 'segments[0].window'],
      [{ ...window, window: [{ role: 'user' }] }, 'segments[0].window[0].content'],
      [{ ...window, window: [{ role: 'bishop', content: 'x' }] }, 'segments[0].window[0].role'],
      [{ ...window, windowThrough: -1 }, 'segments[0].windowThrough'],
    ])
      assert.throws(
        () => parseSessionFile({ ...file, segments: [wrong, ...file.segments.slice(1)] }),
        (error: { details: { field: string } }) => error.details.field === field,
      )
    // An older file does not say how far the window reads. Then it reads as far as there are messages.
    const { windowThrough: _, ...older } = window
    const read = parseSessionFile({ ...file, segments: [older, ...file.segments.slice(1)] }).file
    assert.equal(read.segments[0]!.windowThrough, 10)
  },

  'goes with each message that it may tell of': async (store, open) => {
    for (const erased of [2, 4, 5, 8]) {
      const chat = new Chat(store, `without ${erased}`)
      await chat.say(8)
      await choose(chat, 4, { window: text(`about ${CANARY}`) })
      await chat.say(4)
      await choose(chat, 10, { window: text(`more of ${CANARY}`) })
      await eraseMessages(chat, erased)
      for (const each of [store, await open()]) assertForgotten(await toldBy(each))
      assert.deepEqual(
        (await store.folds.readSegments(chat.key, 'all')).map(({ text, window }) => [text, window ?? null]),
        [
          ['', null],
          ['', null],
        ],
      )
      await checkFigures(chat)
      const mine = (await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 99 })).filter(
        ({ key }) => key.id === chat.key.id,
      )
      // The upper segment comes after the lower one and names it.
      assert.deepEqual(
        mine.map(({ segment, lower }) => [segment.id, lower.map(({ id }) => id)]),
        [
          [1, []],
          [2, [1]],
        ],
      )
      const copy = await chat.copyByFile(`copy without ${erased}`)
      assert.deepEqual(await shown(copy), await shown(chat))
    }
  },

  'takes what was made after it with it, and leaves what was made of messages alone': async store => {
    for (const how of ['erase', 'rollback'] as const) {
      const chat = new Chat(store, how)
      await chat.say(12)
      await choose(chat, 2, { window: text(`about ${CANARY}`) })
      const told = await chat.prepareFold(4)
      await chat.commit({
        ...told,
        segments: [{ ...told.segments[0]!, text: `still ${CANARY}` }],
        memo: { value: { about: CANARY }, throughSeq: 4 },
      })
      const own = await chat.prepareFold(6)
      await chat.commit({ ...own, segments: [{ ...own.segments[0]!, summarizer: 'verbatim' }] })
      if (how === 'erase') await eraseMessages(chat, 10)
      else await chat.rollback(9)
      assertForgotten(await toldBy(store))
      assert.equal((await chat.record()).memo, null)
      assert.deepEqual(
        (await store.folds.readSegments(chat.key, 'shown')).map(({ text }) => text !== ''),
        how === 'erase' ? [false, false, true] : [],
      )
      await checkFigures(chat)
    }
  },

  'takes the memos with it that were written since, each with the turn of its writing': async store => {
    for (const how of ['erase', 'rollback'] as const) {
      const chat = new Chat(store, how)
      const memo = (turn: number, throughSeq: number) => ({
        value: { turn, last_resize: { type: 'lite', turn, reason: 'force' } },
        throughSeq,
      })
      await chat.say(4)
      await chat.commit({ ...(await prepareWindow(chat, 2)), memo: memo(2, 4) })
      await chat.say(4)
      await chat.commit({ ...(await prepareWindow(chat, 4)), memo: memo(4, 4) })
      await chat.say(2)
      const later = await chat.prepareFold(6)
      await chat.commit({ ...later, memo: memo(5, 6) })
      if (how === 'erase') await eraseMessages(chat, 8)
      else await chat.rollback(7)
      assert.equal((await chat.record()).memo, null)
    }
  },

  'is not kept by whoever had read what was edited meanwhile': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    const commit = await prepareWindow(chat, 2)
    await chat.edit(5, 'other')
    await refuses(store.folds.commitFold(commit), 'epoch_conflict')
    await store.folds.releaseLease(chat.key, commit.leaseToken)
    const again = await prepareWindow(chat, 2)
    await chat.say(1)
    await chat.edit(7, 'above all that was read')
    await chat.commit(again)
    await checkFigures(chat)
  },

  'comes with a fork also where the newest messages were erased': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    await choose(chat, 4)
    await eraseMessages(chat, 4)
    const fork = await chat.fork('fork', 3)
    assert.deepEqual(await shown(fork), [{ range: [1, 4], window: null, through: 4 }])
    await checkFigures(fork)
    await fork.say(2)
    assert.deepEqual(await fork.seqs(), [1, 2, 3, 5, 6])
    await checkFigures(fork)
    assert.deepEqual(await shown(await chat.fork('before', 2)), [])
  },

  'that tells of later messages only stays, and so does one that says nothing': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    await choose(chat, 2)
    await chat.say(4)
    await choose(chat, 4, { window: [] })
    await chat.say(2)
    await eraseMessages(chat, 12)
    assert.deepEqual(await shown(chat), [{ range: [1, 4], window: [], through: 10 }])
    await eraseMessages(chat, 8)
    assert.deepEqual((await store.folds.readSegments(chat.key, 'all'))[0]?.window, WINDOW)
    assert.deepEqual(await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 9 }), [])
    await eraseMessages(chat, 3)
    assert.deepEqual(await shown(chat), [{ range: [1, 4], window: [], through: 10 }])
    const [first, second] = await store.folds.readSegments(chat.key, 'all')
    assert.deepEqual([first?.window ?? null, second?.messageCount], [null, 3])
    assert.equal((await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 9 })).length, 1)
    await checkFigures(chat)
  },

  'loses to what an erasure left to say': async store => {
    const chat = new Chat(store)
    await chat.append(message('one'), message('two', { role: 'assistant' }), message('three'))
    await choose(chat, 2)
    await eraseMessages(chat, 1)
    const [withheld] = await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 1 })
    const rebuilt = { ...withheld!.segment, text: 'anew', tokensAfter: 1, isProper: true }
    assert.equal(
      await store.rebuilds.commitRebuilt(chat.key, { ...rebuilt, expectedEpoch: withheld!.epoch }),
      true,
    )
    const [only] = await store.folds.readSegments(chat.key, 'shown')
    assert.deepEqual([only?.text, only?.window ?? null, only?.windowThrough], ['anew', null, 3])
    await checkFigures(chat)
  },
})
