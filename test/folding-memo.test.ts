import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, resize, tokens, window } from '../packages/palimpsest/src/index.ts'
import { extractive, type Summarizer } from '../packages/palimpsest/src/summarizer/index.ts'
import { Clock, message, messages, scripted, withChat } from './folding-kit.ts'
import { runs } from './runs.ts'

const policy = count({ threshold: 20, keepLast: 10 })
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('the memo comes with the summary, in one call, and remembers the last decision', async () => {
  const { summarizer, summaries, calls } = scripted()
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 21))
    await chat.compact()
    expect(calls).toEqual(['s'])
    expect(summaries[0]!.memo).toEqual({
      value: {},
      instructions: [
        'Update the memo from the new messages.',
        'Keep stable preferences, constraints and facts.',
        'Add or change keys as needed.',
        'Return the whole memo.',
      ],
    })
    expect((await chat.info())!.memo).toEqual({
      seen: range(1, 11),
      last_resize: { type: 'lite', turn: 11, reason: 'count' },
    })
    await chat.append(messages(22, 32))
    await chat.compact()
    expect(summaries[1]!.memo!.value).toEqual({ seen: range(1, 11) })
    expect((await chat.info())!.memo).toMatchObject({ seen: range(1, 22), last_resize: { turn: 16 } })
    expect((await chat.export()).memo!.throughSeq).toBe(22)
  })
})

test('from one chunk of a long range to the next', async () => {
  const { summarizer, summaries } = scripted({ sourceTokens: 1000 })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 60))
    await chat.compact()
    expect(summaries.length).toBeGreaterThan(2)
    for (const { messages, memo } of summaries.filter(({ of }) => of === 'messages'))
      expect(memo!.value['seen'] ?? []).toEqual(range(1, messages[0]!.seq - 1))
    expect((await chat.info())!.memo).toMatchObject({ seen: range(1, 50) })
  })
})

test.each([
  ['a list', [1, 2]],
  ['text', 'memo'],
  ['a date', new Date()],
  ['what JSON cannot hold', { big: 1n }],
  ['null', null],
  ['left out', undefined],
  ['too large', { notes: 'forty crates '.repeat(4000) }],
])('an answer that is %s keeps memo and cursor; the fold succeeds, and says so', async (_, memo) => {
  let isBad = true
  const { summarizer, calls } = scripted({ summarize: () => (isBad ? { memo: memo as never } : {}) })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 21))
    const outcome = await chat.compact()
    expect(outcome).toMatchObject({ outcome: 'applied', toSeq: 11 })
    expect(outcome.warnings).toEqual([expect.stringMatching(/^memo_invalid: /)])
    expect((await chat.info())!.lastOutcome).toMatchObject({ warnings: outcome.warnings })
    expect((await chat.info())!.memo).toEqual({ last_resize: expect.anything() })
    expect((await chat.export()).memo!.throughSeq).toBe(0)
    // What it missed is made up for at the next fold, before the summary.
    isBad = false
    await chat.append(messages(22, 32))
    expect((await chat.compact()).warnings).toEqual([])
    expect(calls).toEqual(['s', 'm', 's'])
    expect((await chat.info())!.memo).toMatchObject({ seen: range(1, 22) })
  })
})

test('a schema is asked: its own value is stored, and what does not fit is not', async () => {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: async (value: unknown) => {
        const { name } = value as { name?: unknown }
        return typeof name === 'string' ? { value: { name: name.trim() } } : { issues: [{ message: 'name' }] }
      },
    },
  }
  let memo: Record<string, unknown> = { name: ' Ann ', last_resize: 'mine' }
  const { summarizer, summaries } = scripted({ summarize: () => ({ memo }) })
  const options = { policy, summarizer, memo: { schema, instructions: ['Keep the name.'] } }
  await withChat(options, async chat => {
    await chat.append(messages(1, 21))
    await chat.compact()
    expect(summaries[0]!.memo).toMatchObject({ instructions: ['Keep the name.'], schema })
    expect((await chat.info())!.memo).toEqual({
      name: 'Ann',
      last_resize: { type: 'lite', turn: 11, reason: 'count' },
    })
    memo = { name: 7 }
    await chat.append(messages(22, 32))
    expect((await chat.compact()).warnings).toEqual([expect.stringContaining('schema')])
    expect((await chat.info())!.memo).toMatchObject({ name: 'Ann', last_resize: { turn: 16 } })
  })
})

test('a schema that throws fails no fold, and is asked again', async () => {
  let isBroken = true
  const validate = (value: unknown) => {
    if (isBroken) throw new Error('broken')
    return { value }
  }
  const schema = { '~standard': { version: 1, vendor: 'test', validate } }
  const { summarizer } = scripted()
  await withChat({ policy, summarizer, memo: { schema } }, async chat => {
    await chat.append(messages(1, 21))
    const outcome = await chat.compact()
    expect(outcome).toMatchObject({
      outcome: 'applied',
      warnings: [expect.stringMatching(/^memo_failed: /)],
    })
    expect((await chat.export()).memo!.throughSeq).toBe(0)
    isBroken = false
    await chat.append(messages(22, 32))
    expect((await chat.compact()).warnings).toEqual([])
    expect((await chat.info())!.memo).toMatchObject({ seen: range(1, 22) })
  })
})

test('a stored memo that is too large for the summariser is left out, and the summary is made', async () => {
  const notes = 'forty crates '.repeat(1000)
  const large = scripted({ summarize: () => ({ memo: { notes } }) })
  const small = scripted({ sourceTokens: 2000 })
  const summarizer: Summarizer = { ...large.summarizer }
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 21))
    expect((await chat.compact()).warnings).toEqual([])
    Object.assign(summarizer, small.summarizer)
    for (const from of [22, 33]) {
      await chat.append(messages(from, from + 10))
      const outcome = await chat.compact()
      expect(outcome).toMatchObject({
        outcome: 'applied',
        warnings: [expect.stringMatching(/^memo_invalid: too large/)],
      })
    }
    expect(small.calls.every(call => call !== 'm')).toBe(true)
    expect(small.summaries.every(({ memo }) => memo === undefined)).toBe(true)
    expect((await chat.export()).memo).toMatchObject({ value: { notes }, throughSeq: 11 })
    // Where there is room for it again, it is brought up to date from where it stands.
    Object.assign(summarizer, scripted().summarizer, { sourceTokens: undefined })
    await chat.append(messages(44, 54))
    expect((await chat.compact()).warnings).toEqual([])
    expect((await chat.info())!.memo).toMatchObject({ seen: range(12, 44) })
  })
})

test('messages that never get a memo do not wait for ever', async () => {
  let isBad = true
  const { summarizer, updates } = scripted({
    summarize: () => (isBad ? { memo: null } : {}),
    updateMemo: () => (isBad ? null : undefined),
  })
  await withChat({ policy, summarizer }, async chat => {
    const long = 'word '.repeat(2000)
    for (let from = 1; from <= 67; from += 11) {
      await chat.append(messages(from, from + 10, long))
      const { outcome, warnings } = await chat.compact()
      if (outcome !== 'applied') continue
      expect(warnings).toContainEqual(expect.stringMatching(/^memo_invalid: /))
      const info = (await chat.info())!
      // One fold's worth, and what one call's worth of waiting messages adds to it.
      expect(info.compactedThrough - (await chat.export()).memo!.throughSeq).toBeLessThan(24)
    }
    expect(updates.length).toBeLessThan(8)
    const { throughSeq } = (await chat.export()).memo!
    expect(throughSeq).toBeGreaterThan(0)
    isBad = false
    await chat.append(messages(78, 88, long))
    await chat.compact()
    const memo = (await chat.export()).memo!
    expect(memo.value['seen']).toEqual(range(throughSeq + 1, memo.throughSeq))
    expect(memo.throughSeq).toBeGreaterThan(throughSeq)
  })
})

test('a plain JSON schema is shown to the model and not enforced', async () => {
  const schema = { type: 'object', required: ['name'] }
  const { summarizer, summaries } = scripted()
  await withChat({ policy, summarizer, memo: { schema } }, async chat => {
    await chat.append(messages(1, 21))
    expect((await chat.compact()).warnings).toEqual([])
    expect(summaries[0]!.memo!.schema).toBe(schema)
  })
})

test('a decision that moves nothing brings the memo up to date by a call of its own', async () => {
  const { summarizer, updates, calls } = scripted()
  await withChat({ policy: resize({ everyNTurns: 2 }), summarizer }, async chat => {
    await chat.append(messages(1, 2))
    expect(await chat.compact()).toMatchObject({
      outcome: 'skipped',
      reason: 'every_n_turns',
      usage: { calls: 1 },
    })
    expect(calls).toEqual(['m'])
    expect((await chat.info())!.memo).toEqual({
      seen: [1, 2],
      last_resize: { type: 'lite', turn: 1, reason: 'every_n_turns' },
    })
    await chat.append(messages(3, 4))
    await chat.compact()
    expect(updates[1]!.messages.map(({ seq }) => seq)).toEqual([3, 4])
    // Nothing new, nothing to ask.
    expect(await chat.compact({ force: 'lite' })).toMatchObject({ outcome: 'skipped' })
    expect(calls).toEqual(['m', 'm'])
  })
})

test('a memo that fails there is a failure, and is tried again later', async () => {
  const clock = new Clock()
  let isDown = true
  const { summarizer } = scripted({ updateMemo: () => (isDown ? new Error('down') : undefined) })
  await withChat({ policy: resize({ everyNTurns: 2 }), summarizer, clock: clock.read }, async chat => {
    await chat.append(messages(1, 2))
    expect(await chat.compact()).toMatchObject({ outcome: 'failed', reason: 'Error' })
    expect((await chat.info())!.memo).toBeNull()
    isDown = false
    expect(await chat.compact()).toMatchObject({ outcome: 'skipped', reason: 'nothing_to_do' })
    clock.now += 60_000
    expect(await chat.compact()).toMatchObject({ outcome: 'skipped', reason: 'every_n_turns' })
    expect((await chat.info())!.memo).toMatchObject({ seen: [1, 2] })
  })
})

test('far behind, it catches up a call at a time, and never skips a message', async () => {
  const long = 'word '.repeat(2000)
  let isBad = true
  const { summarizer, updates } = scripted({ summarize: () => (isBad ? { memo: [] as never } : {}) })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 30, long))
    await chat.compact()
    isBad = false
    for (let from = 31; from <= 75; from += 11) {
      await chat.append(messages(from, from + 10))
      await chat.compact()
    }
    for (const { messages } of updates)
      expect(messages.reduce((sum, { content }) => sum + (content as string).length, 0)).toBeLessThan(
        24_000 * 5,
      )
    const { throughSeq, value } = (await chat.export()).memo!
    expect(value['seen']).toEqual(range(1, throughSeq))
    expect(throughSeq).toBe((await chat.info())!.compactedThrough)
  })
})

test('a summariser that keeps no memo leaves it, and its cursor goes on', async () => {
  for (const summarizer of [
    extractive(),
    scripted({ updateMemo: null, summarize: () => ({ memo: null }) }).summarizer,
  ])
    await withChat({ policy, summarizer }, async chat => {
      await chat.append(messages(1, 21))
      await chat.compact()
      const { memo } = await chat.export()
      expect(memo).toEqual({
        value: { last_resize: { type: 'lite', turn: 11, reason: 'count' } },
        throughSeq: 11,
      })
    })
})

test('so it does over short ranges, which need no call', async () => {
  await withChat({ policy }, async chat => {
    await chat.append(messages(1, 21, 'ok'))
    await chat.compact()
    expect((await chat.segments())[0]!.summarizer).toBe('verbatim')
    expect((await chat.export()).memo!.throughSeq).toBe(11)
  })
})

test('a provisional fold leaves the cursor, so that the model sees those messages later', async () => {
  const clock = new Clock()
  let isDown = true
  const { summarizer } = scripted({ summarize: () => (isDown ? new Error('down') : {}) })
  await withChat({ policy: window(), summarizer, clock: clock.read }, async chat => {
    await chat.append(messages(1, 71))
    expect(await chat.compact()).toMatchObject({ outcome: 'failed' })
    expect(await chat.compact()).toMatchObject({ outcome: 'applied', toSeq: 31 })
    expect((await chat.export()).memo).toMatchObject({ throughSeq: 0, value: { last_resize: { turn: 36 } } })
    isDown = false
    clock.now += 3_600_000
    await chat.append(messages(72, 84))
    await chat.compact()
    const { memo } = await chat.export()
    expect(memo!.value['seen']).toEqual(range(1, memo!.throughSeq))
    expect(memo!.throughSeq).toBe(44)
  })
})

test('short ranges cost no call until there is enough that the memo has not seen', async () => {
  const { summarizer, calls } = scripted()
  await withChat({ policy: count({ threshold: 4, keepLast: 2 }), summarizer }, async chat => {
    for (let number = 1; number <= 60; number++) {
      await chat.append(message(number, 'ok, that is fine with me'))
      await chat.compact()
    }
    // It comes with the summary of what has waited word for word.
    expect(calls.filter(call => call !== 'r').every(call => call === 's')).toBe(true)
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.length).toBeLessThan(15)
    const { memo } = await chat.export()
    expect(memo!.value['seen']).toEqual(range(1, memo!.throughSeq))
  })
})

test('whatever happens, the memo has seen every message through its cursor', async () => {
  const steps = fc.array(
    fc.record({
      append: fc.integer({ min: 1, max: 25 }),
      summary: fc.constantFrom('good', 'good', 'bad memo', 'down'),
      memo: fc.constantFrom('good', 'good', 'bad memo', 'down'),
      wait: fc.boolean(),
      force: fc.boolean(),
      short: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async drawn => {
      const clock = new Clock()
      let step = drawn[0]!
      const answer = (kind: string) => (kind === 'down' ? new Error('down') : undefined)
      const { summarizer } = scripted({
        summarize: () =>
          answer(step.summary) ?? (step.summary === 'bad memo' ? { memo: 'bad' as never } : {}),
        updateMemo: () => answer(step.memo) ?? (step.memo === 'bad memo' ? 'bad' : undefined),
      })
      const options = { policy: tokens({ budget: 3000, idleSec: 0 }), summarizer, clock: clock.read }
      await withChat(options, async chat => {
        let last = 0
        for (step of drawn) {
          await chat.append(messages(last + 1, last + step.append, step.short ? 'ok' : undefined))
          last += step.append
          if (step.wait) clock.now += 3_600_001
          await chat.compact(step.force ? { force: true } : {})
          const { memo } = await chat.export()
          // A message that it saw before it was folded may be in the summary's call again.
          const seen = new Set((memo?.value['seen'] as number[]) ?? [])
          expect([...seen].sort((a, b) => a - b)).toEqual(range(1, memo?.throughSeq ?? 0))
        }
      })
    }),
    { numRuns: runs(15, 40) },
  )
})

test('only versions that a rollback can reach are kept, and a rollback takes the memo back', async () => {
  const { summarizer } = scripted()
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 43))
    await chat.compact()
    await chat.append(messages(44, 54))
    await chat.compact()
    for (let time = 0; time < 3; time++) await chat.compact({ force: true })
    const file = await chat.export()
    expect([...file.memoVersions, file.memo!].map(({ throughSeq }) => throughSeq)).toEqual([33, 44, 54])
    await chat.rollback(50)
    expect((await chat.info())!.memo).toMatchObject({ seen: range(1, 44) })
    await chat.rollback(34)
    expect((await chat.info())!.memo).toMatchObject({ seen: range(1, 33) })
  })
})
