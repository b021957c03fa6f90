import assert from 'node:assert/strict'
import type { ContextRead } from '../../store/index.ts'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'

/** Appends five messages at a time and rolls back the last two or three, which makes many hidden ranges. */
async function chatWithHiddenRanges(chat: Chat): Promise<readonly number[]> {
  for (let round = 0; round < 8; round++) {
    const seqs = await chat.say(5)
    await chat.rollback(seqs[round % 2 === 0 ? 2 : 1]!)
  }
  const seqs = Array.from({ length: 40 }, (_, index) => index + 1)
  return seqs.filter(seq => (seq - 1) % 5 < (Math.floor((seq - 1) / 5) % 2 === 0 ? 3 : 2))
}

export const reading = contractCases('reading', {
  'finds nothing of a session that is not there': async store => {
    const { key } = new Chat(store, 'nobody')
    assert.equal(await store.sessions.readSession(key), null)
    assert.equal(await store.context.readContext(key, { tokens: 10, archivedTokens: 0 }), null)
    assert.equal(await store.folds.readPlan(key), null)
    assert.equal(await store.schedule.judge(key, { policy: new Chat(store).policy, now: 0 }), null)
    assert.deepEqual(await store.log.readMessages(key, { limit: 10, from: 'oldest' }), [])
    assert.deepEqual(await store.folds.readSegments(key, 'all'), [])
    await refuses(store.transfer.exportSession(key), 'session_not_found')
    await refuses(store.log.rollback(key, { toSeq: 0, now: 0 }), 'session_not_found')
    await refuses(
      store.log.edit(key, { seq: 1, content: 'x', size: { characters: 1, tokens: 1 }, now: 0 }),
      'session_not_found',
    )
    await refuses(store.transfer.fork(key, { newId: 'copy', atSeq: 0, now: 0 }), 'session_not_found')
    await refuses(store.settings.updateSettings(key, {}), 'session_not_found')
    await refuses(store.sessions.recordMeasures(key, { overheadTokens: 1 }), 'session_not_found')
    await refuses(store.folds.acquireLease(key, { owner: 'test', ttlMs: 1, now: 0 }), 'session_not_found')
    assert.deepEqual(await store.sessions.listSessions('test', { limit: 10 }), [])
  },

  'reads for a context through an older message, without the hidden ones and the later ones': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    await chat.rollback(4)
    await chat.say(3)
    const read = async (through: number, tokens = 100_000) => {
      const { messages, raw } = (await store.context.readContext(chat.key, {
        tokens,
        archivedTokens: 0,
        through,
      }))!
      return { seqs: messages.map(({ seq }) => seq), counted: raw.messages }
    }
    assert.deepEqual(await read(3), { seqs: [1, 2, 3], counted: 3 })
    assert.deepEqual(await read(8), { seqs: [1, 2, 3, 4, 7, 8], counted: 6 })
    assert.deepEqual(await read(8, 1), { seqs: [8], counted: 6 })
  },

  'takes ranges from either end, in ascending order': async store => {
    const chat = new Chat(store)
    await chat.say(10)
    assert.deepEqual(await chat.seqs({ limit: 3 }), [1, 2, 3])
    assert.deepEqual(await chat.seqs({ limit: 3, from: 'newest' }), [8, 9, 10])
    assert.deepEqual(await chat.seqs({ after: 4, limit: 2 }), [5, 6])
    assert.deepEqual(await chat.seqs({ before: 4, limit: 2, from: 'newest' }), [2, 3])
    assert.deepEqual(await chat.seqs({ after: 2, before: 6 }), [3, 4, 5])
    assert.deepEqual(await chat.seqs({ after: 2, before: 6, limit: 2, from: 'newest' }), [4, 5])
    assert.deepEqual(await chat.seqs({ after: 10 }), [])
    assert.deepEqual(await chat.seqs({ before: 1, from: 'newest' }), [])
    assert.deepEqual(await chat.seqs({ after: 5, before: 6 }), [])
    assert.deepEqual(await chat.seqs({ limit: 0 }), [])
  },

  'never shows what rollbacks hid, in any range and from either end': async store => {
    const chat = new Chat(store)
    const visible = await chatWithHiddenRanges(chat)
    assert.deepEqual(await chat.seqs(), visible)
    for (let after = 0; after <= 41; after += 5)
      for (let before = after; before <= 42; before += 6)
        for (const limit of [1, 4, 100]) {
          const inside = visible.filter(seq => seq > after && seq < before)
          assert.deepEqual(await chat.seqs({ after, before, limit }), inside.slice(0, limit))
          assert.deepEqual(await chat.seqs({ after, before, limit, from: 'newest' }), inside.slice(-limit))
        }
    await checkFigures(chat)
  },

  'pages through all visible messages, each once, from either end': async store => {
    const chat = new Chat(store)
    const visible = await chatWithHiddenRanges(chat)
    const forward: number[] = []
    for (
      let page = await chat.seqs({ limit: 3 });
      page.length > 0;
      page = await chat.seqs({ limit: 3, after: page.at(-1)! })
    )
      forward.push(...page)
    assert.deepEqual(forward, visible)
    const backward: number[] = []
    const last = (before: number) => chat.seqs({ limit: 3, before, from: 'newest' })
    for (let page = await last(100); page.length > 0; page = await last(page[0]!)) backward.unshift(...page)
    assert.deepEqual(backward, visible)
  },

  'gives a context of shown segments and the newest raw messages': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    await chat.fold(4)
    await chat.fold(6)
    const whole = await store.context.readContext(chat.key, { tokens: 10_000, archivedTokens: 0 })
    assert.deepEqual(whole?.session, await chat.record())
    assert.deepEqual(
      whole?.base?.segments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
      [
        [1, 4],
        [5, 6],
      ],
    )
    const seqs = (read: ContextRead | null) => read?.messages.map(({ seq }) => seq)
    assert.deepEqual(seqs(whole), [7, 8, 9, 10, 11, 12])
    const each = whole!.messages.map(({ tokens }) => tokens)
    const newest = await store.context.readContext(chat.key, {
      tokens: each.slice(-3).reduce((sum, tokens) => sum + tokens, 0),
      archivedTokens: 10_000,
    })
    assert.deepEqual(seqs(newest), [9, 10, 11, 12])
    assert.equal(newest?.isWhole, false)
    const unfolded = await store.context.readContext(chat.key, { tokens: 10_000, archivedTokens: 10_000 })
    assert.deepEqual(seqs(unfolded), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    assert.equal(unfolded?.isWhole, true)
  },

  'gives a context only what came since the last one of the same epoch': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    await chat.fold(2)
    const { epoch } = (await chat.record())!
    const request = { tokens: 10_000, archivedTokens: 0 }
    await chat.say(2)
    const more = await store.context.readContext(chat.key, { ...request, since: { epoch, seq: 6 } })
    assert.equal(more?.base, null)
    assert.deepEqual(
      more?.messages.map(({ seq }) => seq),
      [7, 8],
    )
    await chat.fold(4)
    const other = await store.context.readContext(chat.key, { ...request, since: { epoch, seq: 8 } })
    assert.deepEqual(
      other?.messages.map(({ seq }) => seq),
      [5, 6, 7, 8],
    )
    assert.equal(other?.base?.segments.length, 2)
  },

  'pins messages and notes, and keeps them through folds': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    const first = await store.pins.pin(chat.key, { seq: 2, note: null, tokens: 5, mostTokens: 100, now: 10 })
    const before = (await chat.record())!
    assert.equal(
      (await store.pins.pin(chat.key, { seq: 2, note: null, tokens: 5, mostTokens: 100, now: 11 })).id,
      first.id,
    )
    const note = await store.pins.pin(chat.key, {
      seq: null,
      note: 'a\u0000note\ud800',
      tokens: 7,
      mostTokens: 100,
      now: 12,
    })
    assert.equal((await chat.record())!.epoch, before.epoch)
    await refuses(
      store.pins.pin(chat.key, { seq: null, note: 'long', tokens: 99, mostTokens: 100, now: 13 }),
      'invalid_argument',
    )
    await chat.fold(4)
    const read = await store.context.readContext(chat.key, { tokens: 10_000, archivedTokens: 0 })
    assert.deepEqual(
      read?.pins.map(({ id, seq, note, message }) => [id, seq, note, message?.seq ?? null]),
      [
        [first.id, 2, null, 2],
        [note.id, null, 'a\u0000note\ud800', null],
      ],
    )
    await refuses(
      store.pins.pin(chat.key, { seq: 99, note: null, tokens: 1, mostTokens: 100, now: 13 }),
      'message_not_found',
    )
    assert.equal(await store.pins.unpin(chat.key, first.id), true)
    assert.equal(await store.pins.unpin(chat.key, first.id), false)
    assert.deepEqual(
      (await store.pins.readPins(chat.key)).map(({ id }) => id),
      [note.id],
    )
  },

  'puts learned calibrations in force with the next epoch': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    const learned = { 'some-model': { ratio: 1.25, samples: 3 } }
    await store.sessions.recordMeasures(chat.key, { calibrations: learned })
    assert.deepEqual((await chat.record())?.calibrations, { learned, inForce: {} })
    await chat.fold(2)
    assert.deepEqual((await chat.record())?.calibrations, { learned, inForce: learned })
  },

  'gives a plan every raw message with its turn, size and links': async store => {
    const chat = new Chat(store)
    await chat.append(
      message('question'),
      message([{ type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: {} }], {
        role: 'assistant',
      }),
      message([{ type: 'tool-result', toolCallId: 'c1', output: 'found' }], { role: 'tool' }),
      message('answer', { role: 'assistant' }),
      message('next'),
    )
    const plan = await store.folds.readPlan(chat.key)
    assert.deepEqual(plan?.session, await chat.record())
    assert.deepEqual(
      plan?.raw.map(({ turn }) => turn),
      [1, 1, 1, 1, 2],
    )
    assert.deepEqual(plan?.raw[1]?.links, { opens: ['call:c1'], closes: [] })
    assert.deepEqual(plan?.raw[2]?.links, { opens: [], closes: ['call:c1'] })
    assert.deepEqual(plan?.raw[4], {
      seq: 5,
      turn: 2,
      characters: 4,
      tokens: 4,
      links: { opens: [], closes: [] },
    })
    await checkFigures(chat)
  },

  'gives a plan in pages, around what rollbacks hid and what was folded': async store => {
    const chat = new Chat(store)
    await chat.say(6)
    await chat.rollback(4)
    await chat.say(8)
    await chat.fold(2)
    const all = (await store.folds.readPlan(chat.key))!.raw
    assert.deepEqual(
      all.map(({ seq }) => seq),
      [3, 4, 7, 8, 9, 10, 11, 12, 13, 14],
    )
    const page = async (asked: { after?: number; through?: number; limit?: number }) =>
      (await store.folds.readPlan(chat.key, asked))!.raw
    assert.deepEqual(await page({ limit: 3 }), all.slice(0, 3))
    assert.deepEqual(await page({ after: 7, limit: 3 }), all.slice(3, 6))
    assert.deepEqual(await page({ after: 5, through: 9 }), all.slice(2, 5))
    assert.deepEqual(await page({ after: 0, limit: 1 }), all.slice(0, 1), 'nothing below the cursor is raw')
    assert.deepEqual(await page({ after: 14, limit: 3 }), [])
    const pages = []
    for (let after = 0; ; ) {
      const raw = await page({ after, through: 13, limit: 4 })
      if (raw.length === 0) break
      pages.push(...raw)
      after = raw.at(-1)!.seq
    }
    assert.deepEqual(pages, all.slice(0, -1))
  },

  'gives versions only of visible messages': async store => {
    const chat = new Chat(store)
    await chat.say(3)
    await chat.rollback(2)
    for (const seq of [0, 3, 4]) await refuses(store.log.readVersions(chat.key, seq), 'message_not_found')
    assert.deepEqual(await store.log.readVersions(chat.key, 1), [
      { version: 1, content: 'message 1', replacedAt: null },
    ])
  },

  'finds settings and overhead as last set': async store => {
    const chat = new Chat(store)
    await chat.append(message('hello'))
    assert.deepEqual((await chat.record()).settings, {})
    const settings = { policy: 'rounds', nested: { list: [1, null, '\0'] } }
    await store.settings.updateSettings(chat.key, { dropped: true, policy: 'count' })
    await store.settings.updateSettings(chat.key, { ...settings, dropped: null, unknown: null })
    await store.sessions.recordMeasures(chat.key, { overheadTokens: 1234 })
    const record = await chat.record()
    assert.deepEqual(record.settings, settings)
    assert.equal(record.state.overheadTokens, 1234)
    assert.equal(record.epoch, 0)
    const { snapshot } = await chat.append(message('again'))
    assert.equal(snapshot?.fixedTokens, 1234)
  },
})
