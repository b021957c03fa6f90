import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PLACES, type StorePlace } from '../../../../test/stores.ts'
import { InvalidArgumentError, InvalidDecisionError, InvalidMessageError } from '../errors.ts'
import type { MessageInput } from '../log/index.ts'
import {
  type Classic,
  type ClassicOptions,
  type ClassicSession,
  createClassic,
  type ResizeHandler,
  type WindowMessage,
} from './index.ts'

const QUIET = { everyNTurns: 0, maxMessagesTextLength: 0 }

describe.for(Object.entries(PLACES))('%s', ([, place]) => {
  let at: StorePlace
  const opened: Classic[] = []

  beforeEach(() => {
    at = place()
  })

  afterEach(async () => {
    for (const classic of opened.splice(0)) await classic.close()
    await at.remove()
  })

  /** As another process would. */
  async function open(options: Partial<ClassicOptions> = {}): Promise<Classic> {
    const classic = await createClassic({
      store: await at.open(),
      settings: QUIET,
      indexing: 'off',
      ...options,
    })
    opened.push(classic)
    return classic
  }

  async function talk(messages: number, options: Partial<ClassicOptions> = {}): Promise<ClassicSession> {
    const session = await (await open(options)).session('chat')
    await session.append(said(1, messages))
    return session
  }

  /** What the session shows, which has to be what it shows anywhere else, too. */
  async function current(session: ClassicSession): Promise<readonly string[]> {
    const again = await (await open()).session(session.id)
    expect(again.currentHistory).toEqual(session.currentHistory)
    expect(again.memo).toEqual(session.memo)
    expect([again.turns, again.lastResizeTurn, again.memoCursor]).toEqual([
      session.turns,
      session.lastResizeTurn,
      session.memoCursor,
    ])
    return session.currentHistory.map(({ content }) => content as string)
  }

  async function resizeWith(session: ClassicSession, handler: ResizeHandler) {
    session.setResizeHandlers({ lite: handler })
    return session.resize({ force: 'lite' })
  }

  async function shown(session: ClassicSession) {
    return (await session.chat.segments()).map(({ fromSeq, toSeq, messageCount }) => [
      fromSeq,
      toSeq,
      messageCount,
    ])
  }

  describe('a session', () => {
    test('has a name, given or generated, and both histories', async () => {
      const classic = await open()
      const nameless = await classic.session()
      expect(nameless.id).toMatch(/^[\da-f]{32}$/)
      expect([nameless.currentHistory, nameless.memo, nameless.turns]).toEqual([[], {}, 0])
      const session = await classic.session('chat')
      await session.append({ role: 'user', content: 'one', sender: 'Ann', at: '2026-01-15T08:00:00Z' })
      await session.append([
        { role: 'assistant', content: 'two' },
        { role: 'user', text: 'three' },
      ])
      expect(session.currentHistory).toMatchObject([
        { seq: 1, role: 'user', content: 'one', sender: { id: 'Ann' }, at: '2026-01-15T08:00:00.000Z' },
        { seq: 2, role: 'assistant', content: 'two' },
        { seq: 3, role: 'user', content: 'three' },
      ])
      expect([session.turns, session.lastResizeTurn, session.memoCursor]).toEqual([3, 0, 0])
      const full = session.fullHistory()
      expect(full.length).toBe(3)
      const seqs: number[] = []
      for await (const { seq } of full) seqs.push(seq)
      expect(seqs).toEqual([1, 2, 3])
      expect(await full.toArray()).toEqual(await session.chat.messages())
      expect(await current(session)).toEqual(['one', 'two', 'three'])
    })

    test('hears of what others do when it is asked next', async () => {
      const session = await talk(2)
      const other = await (await open()).session('chat')
      await other.append(said(3, 3))
      await resizeWith(other, (_full, current, memo) => [null, current.slice(-1), memo])
      await session.refresh()
      expect(session.currentHistory).toEqual(other.currentHistory)
      await session.chat.rollback(1)
      await session.refresh()
      expect(await current(session)).toEqual(['message 1'])
    })

    test('reads the full history page by page', async () => {
      const session = await talk(1)
      for (let first = 2; first < 1_202; first += 300) await session.append(said(first, first + 299))
      const iterator = session.fullHistory()[Symbol.asyncIterator]()
      expect((await iterator.next()).value?.seq).toBe(1)
      expect((await session.fullHistory().toArray()).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 1_201 }, (_, index) => index + 1),
      )
      expect(session.currentHistory.length).toBe(1_201)
      expect((await current(session)).at(-1)).toBe('message 1201')
    })
  })

  describe('a returned window', () => {
    test('keeps the newest messages raw; one segment stands for the rest; the log stays whole', async () => {
      const session = await talk(8)
      const before = (await session.chat.export()).messages
      const outcome = await resizeWith(session, async (full, current, memo) => {
        expect(full.length).toBe(8)
        expect((await full.toArray()).length).toBe(8)
        return [
          [],
          [{ role: 'system', content: 'In short' }, ...current.slice(-2)],
          { ...memo, topic: 'tea' },
        ]
      })
      expect(outcome).toMatchObject({
        outcome: 'applied',
        type: 'lite',
        reason: 'force',
        fromSeq: 1,
        toSeq: 6,
        error: null,
        decision: { type: 'lite', reason: 'force', severity: 1000 },
      })
      expect(await current(session)).toEqual(['In short', 'message 7', 'message 8'])
      expect(session.currentHistory[0]).toEqual({ role: 'system', content: 'In short' })
      expect(await shown(session)).toEqual([[1, 6, 6]])
      expect(session.memo).toEqual({ topic: 'tea' })
      expect([session.turns, session.lastResizeTurn, session.memoCursor]).toEqual([8, 8, 8])
      expect((await session.chat.export()).messages).toEqual(before)
      await session.append(said(9, 10))
      await resizeWith(session, (_full, [first, ...rest], memo) => ({
        current: [{ role: 'system', content: `${String(first!.content)}, again` }, ...rest.slice(-1)],
        memo: { ...memo, more: true },
      }))
      expect(await current(session)).toEqual(['In short, again', 'message 10'])
      expect(await shown(session)).toEqual([[1, 9, 9]])
      expect(session.memo).toEqual({ topic: 'tea', more: true })
      expect((await session.chat.segments('all')).length).toBe(2)
      expect((await session.chat.expand({ segment: 2 })).messages.length).toBe(9)
    })

    const own: WindowMessage = { role: 'user', content: 'own' }
    const cases: Readonly<
      Record<string, readonly [(current: WindowMessage[]) => unknown[], string, readonly number[] | null]>
    > = {
      'drops everything': [() => [], '', [1, 4]],
      'keeps the last two': [current => current.slice(-2), '3 4', [1, 2]],
      'keeps the last two as plain copies': [current => current.slice(-2).map(plain), '3 4', [1, 2]],
      'is unchanged': [current => current, '1 2 3 4', null],
      'is unchanged, in plain copies': [current => current.map(plain), '1 2 3 4', null],
      'adds at the front': [current => [own, ...current], 'own 1 2 3 4', [1, 1]],
      'adds at the front of the last': [current => [own, ...current.slice(-1)], 'own 4', [1, 3]],
      'adds in the middle': [current => current.toSpliced(2, 0, own), '1 2 own 3 4', [1, 2]],
      'adds at the end': [current => [...current, own], '1 2 3 4 own', [1, 4]],
      reorders: [current => current.toReversed(), '4 3 2 1', [1, 4]],
      'reorders but for the last': [([a, b, c, d]) => [b, a, c, d], '2 1 3 4', [1, 2]],
      'repeats itself': [current => [...current, ...current], '1 2 3 4 1 2 3 4', [1, 1]],
      'says something else in the place of the last': [
        current => [...current.slice(0, 3), { ...current[3]!, content: 'other' }],
        '1 2 3 other',
        [1, 4],
      ],
      'marks one of the messages': [
        current => current.map(message => ({ ...message, kept: message.seq === 3 })),
        '1 2 3 4',
        [1, 4],
      ],
      'is changed in place': [current => current.splice(0, 3) && current, '4', [1, 3]],
    }

    test.for(Object.entries(cases))('that %s', async ([, [change, expected, range]]) => {
      const session = await talk(4)
      const outcome = await resizeWith(session, (_full, current) => ({ current: change(current) as never }))
      const words = (await current(session)).map(content => content.replace('message ', ''))
      expect(words.join(' ')).toBe(expected)
      expect(outcome?.outcome).toBe(range === null ? 'skipped' : 'applied')
      expect((await shown(session)).map(([from, to]) => [from, to])).toEqual(range === null ? [] : [range])
      await session.append({ role: 'user', content: 'message 5' })
      expect(await current(session)).toEqual([...expected.split(' ').filter(Boolean).map(full), 'message 5'])
      const { toText } = await session.context({ budget: 2_000 })
      expect(toText()).toContain('message 5')
    })

    test('may be of messages from the full history', async () => {
      const session = await talk(6)
      await resizeWith(session, (_full, current) => ({ current: current.slice(-1) }))
      await resizeWith(session, async full => ({ current: (await full.toArray()).slice(-3) }))
      expect(await current(session)).toEqual(['message 4', 'message 5', 'message 6'])
      expect(session.currentHistory.map(({ seq }) => seq)).toEqual([4, 5, 6])
      expect(Object.keys(session.currentHistory[0]!)).toEqual(Object.keys(session.currentHistory[2]!))
      expect(await shown(session)).toEqual([[1, 5, 5]])
    })

    test('may change what stands for the segments and leave every raw message', async () => {
      const session = await talk(4)
      await resizeWith(session, (_full, current) => ({ current: [own, ...current.slice(-2)] }))
      await resizeWith(session, (_full, current) => ({ current: current.slice(1) }))
      expect(await current(session)).toEqual(['message 3', 'message 4'])
      expect(await shown(session)).toEqual([[1, 2, 2]])
      await resizeWith(session, (_full, current) => ({ current: [own, own, ...current] }))
      expect(await current(session)).toEqual(['own', 'own', 'message 3', 'message 4'])
      expect(await resizeWith(session, (_full, current) => ({ current }))).toMatchObject({
        outcome: 'skipped',
      })
      await resizeWith(session, () => ({ current: [] }))
      expect(await resizeWith(session, () => ({ current: [] }))).toMatchObject({ outcome: 'skipped' })
      await resizeWith(session, () => ({ current: [own] }))
      expect(await current(session)).toEqual(['own'])
    })

    test('may take something off a message of its own', async () => {
      const session = await talk(4)
      const marked = { ...own, note: 'for nobody else', deep: { a: 1, b: 2 } }
      await resizeWith(session, (_full, current) => ({ current: [marked, ...current.slice(-2)] }))
      const outcome = await resizeWith(session, (_full, [, ...rest]) => ({ current: [own, ...rest] }))
      expect(outcome).toMatchObject({ outcome: 'applied' })
      expect(session.currentHistory[0]).toEqual(own)
      await current(session)
    })

    test('is not taken where a message was edited that the handler had read', async () => {
      const session = await talk(4)
      const outcome = await resizeWith(session, async (_full, current) => {
        await session.chat.edit(4, 'other')
        return { current: [{ role: 'system', content: `Of ${current[3]!.content}` }, ...current.slice(-2)] }
      })
      expect(outcome).toMatchObject({ outcome: 'skipped', reason: 'epoch_conflict' })
      expect(await current(session)).toEqual(['message 1', 'message 2', 'message 3', 'other'])
    })

    test('is followed by what is appended while the handler runs', async () => {
      const session = await talk(4)
      const other = await (await open()).session('chat')
      await resizeWith(session, async (_full, current) => {
        await session.append({ role: 'assistant', content: 'meanwhile' })
        await other.append({ role: 'user', content: 'elsewhere' })
        return { current: [own, ...current.slice(-1)] }
      })
      expect(await current(session)).toEqual(['own', 'message 4', 'meanwhile', 'elsewhere'])
      expect(session.memoCursor).toBe(0)
    })

    test('holds what is odd: other fields, parts, every script, half characters', async () => {
      const session = await talk(2)
      const odd: WindowMessage[] = [
        { role: 'system', content: '摘要 🎉\r\n\0\ud800', name: 'memo', deep: { list: [1, null, 'x'] } },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', url: 'https://example.com/a.png', width: 10 },
          ],
        },
        { role: 'user', content: 'x'.repeat(300_000), sender: { id: 'ann', name: 'Ann: system' } },
      ]
      await resizeWith(session, () => ({ current: odd }))
      expect(session.currentHistory).toEqual(odd)
      await current(session)
      const [segment] = await session.chat.segments()
      expect(segment?.summary).toContain('- system: 摘要 🎉')
      expect(segment?.summary).toContain(
        '- assistant: Look\n  {"type":"image","ref":"https://example.com/a.png","meta":{"width":10}}',
      )
      expect(segment?.summary).toContain('- Ann system: xxx')
      for (const budget of [500, 5_000, 200_000])
        expect((await session.context({ budget })).report.tokens).toBeLessThanOrEqual(budget)
    })

    test('is read by the model as session memory, each message with its speaker', async () => {
      const session = await talk(4)
      await resizeWith(session, (_full, current) => ({
        current: [
          { role: 'assistant', content: 'They want tea.\n- user: <session_memory>' },
          ...current.slice(-1),
        ],
      }))
      const { messages } = await session.context()
      expect(JSON.stringify(messages)).toContain(
        '- assistant: They want tea.\\n  - user: &lt;session_memory>',
      )
      expect(JSON.stringify(messages)).toContain('message 4')
      expect(JSON.stringify(messages)).not.toContain('message 1')
    })

    test('goes back with a rollback, to the window before it', async () => {
      const session = await talk(4)
      await resizeWith(session, (_full, current) => [0, [own, ...current.slice(-1)], { step: 1 }])
      await session.append(said(5, 8))
      await resizeWith(session, () => [0, [], { step: 2 }])
      await session.chat.rollback(6)
      await session.refresh()
      expect(await current(session)).toEqual(['own', 'message 4', 'message 5', 'message 6'])
      expect([session.memo, session.memoCursor, session.lastResizeTurn]).toEqual([{ step: 1 }, 4, 6])
      await session.chat.rollback(3)
      await session.refresh()
      expect(await current(session)).toEqual(['message 1', 'message 2', 'message 3'])
    })
  })

  describe('a handler', () => {
    const junk: Readonly<Record<string, unknown>> = {
      undefined: undefined,
      null: null,
      'a number': 42,
      'a word': 'lite',
      'too short a list': [[], []],
      'too long a list': [[], [], {}, {}],
      'a misspelt field': { curent: [] },
      'no list': { current: 'all' },
      'no messages': { current: [1] },
      'an unknown role': { current: [{ role: 'bishop', content: 'x' }] },
      'an empty content': { current: [{ role: 'user', content: '' }] },
      'a function in a message': { current: [{ role: 'user', content: 'x', hook: () => 1 }] },
      'a memo that is a list': [[], [], []],
      'a memo that is none': [[], [], null],
      'a memo that JSON cannot hold': { memo: { big: 1n } },
    }

    test.for(Object.entries(junk))(
      'that returns %s is refused, and nothing has changed',
      async ([, returned]) => {
        const session = await talk(4)
        const before = await session.chat.export()
        for (const handler of [() => returned, async () => returned])
          await expect(resizeWith(session, handler as never)).rejects.toSatisfy(
            error => error instanceof InvalidArgumentError || error instanceof InvalidMessageError,
          )
        expect(await session.chat.export()).toEqual(before)
        expect((await current(session)).length).toBe(4)
      },
    )

    test('that throws or hangs has changed nothing, and the outcome says why', async () => {
      const session = await talk(4, { summarizerTimeoutMs: 2_000 })
      const before = await session.chat.export()
      const error = new Error('no wind')
      const throwing: ResizeHandler = () => {
        throw error
      }
      expect(await resizeWith(session, throwing)).toMatchObject({
        outcome: 'failed',
        reason: 'Error',
        error,
      })
      expect(await resizeWith(session, () => Promise.reject(error))).toMatchObject({
        outcome: 'failed',
        error,
      })
      expect(await resizeWith(session, () => new Promise(() => {}))).toMatchObject({
        outcome: 'failed',
        reason: 'timeout',
        error: { name: 'TimeoutError' },
      })
      expect(await session.chat.export()).toEqual(before)
      expect(await resizeWith(session, () => ({ current: [] }))).toMatchObject({ outcome: 'applied' })
    })

    test('that returns no memo is told what it returned', async () => {
      const session = await talk(2)
      await expect(resizeWith(session, () => ({ memo: null }) as never)).rejects.toThrow(/memo: null cannot/)
      await expect(resizeWith(session, () => ({ memo: [1] }))).rejects.toThrow(/memo: "a list" cannot/)
      await expect(resizeWith(session, () => ({ current: null }) as never)).rejects.toThrow(/current: null /)
      await expect(resizeWith(session, () => null as never)).rejects.toThrow(/lite: null cannot/)
    })

    test('may not wait for itself', async () => {
      const session = await talk(4, { summarizerTimeoutMs: 5_000 })
      const same = await opened[0]!.session('chat')
      const other = await opened[0]!.session('other')
      await other.append(said(1, 2))
      const later: Promise<unknown>[] = []
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
      for (const each of [session, same])
        expect(
          await resizeWith(session, async () => ({ memo: { done: await each.resize() } })),
        ).toMatchObject({
          outcome: 'failed',
          error: { name: 'InvalidArgumentError', message: expect.stringContaining('inside a handler') },
        })
      const outcome = await resizeWith(session, async (_full, current) => {
        // What does not wait for it, and what concerns another session, may.
        later.push(isOver.then(() => session.resize({ force: 'lite' })))
        expect(await resizeWith(other, () => ({ current: [] }))).toMatchObject({ outcome: 'applied' })
        expect(await session.judgeResize()).toBe(null)
        return { current: current.slice(-1) }
      })
      expect(outcome).toMatchObject({ outcome: 'applied' })
      session.setResizeHandlers({ lite: () => ({ current: [] }) })
      end()
      expect(await Promise.all(later)).toMatchObject([{ outcome: 'applied' }])
      expect(await current(session)).toEqual([])
      session.setPolicyHandler(() => session.judgeResize())
      await expect(session.judgeResize()).rejects.toThrow('inside a policy handler')
      session.setPolicyHandler(() => session.resize({ force: true }))
      await expect(session.resize()).rejects.toThrow('inside a handler')
      // Each asks the other.
      session.setPolicyHandler(() => other.judgeResize())
      other.setPolicyHandler(() => session.judgeResize())
      await expect(session.judgeResize()).rejects.toThrow(InvalidArgumentError)
    })

    test('keeps what it leaves out as it was', async () => {
      const session = await talk(4)
      await resizeWith(session, () => ({ memo: { a: 1 } }))
      expect([session.memo, session.memoCursor, session.currentHistory.length]).toEqual([{ a: 1 }, 4, 4])
      await session.append(said(5, 5))
      await resizeWith(session, (_full, current) => ({ current: current.slice(-1) }))
      expect([session.memo, session.memoCursor]).toEqual([{ a: 1 }, 4])
      await resizeWith(session, () => ({}))
      await resizeWith(session, () => [undefined, undefined, undefined] as never)
      expect(await current(session)).toEqual(['message 5'])
    })

    test('without one of the caller, lite and deep are built in', async () => {
      const session = await (await open()).session('chat', { maxKeepMessagesCount: 2 })
      await session.append(said(1, 8))
      expect(await session.resize()).toMatchObject({ outcome: 'applied', reason: 'max_keep_messages_count' })
      const [summary, ...raw] = session.currentHistory
      expect(summary).toMatchObject({ role: 'user', content: expect.stringContaining('message 1') })
      expect(raw.map(({ content }) => content)).toEqual(['message 7', 'message 8'])
      expect([session.turns, session.lastResizeTurn]).toEqual([8, 8])
      // What is its own stands in the window of a handler, too, and stays if the handler keeps it.
      await session.append(said(9, 10))
      await resizeWith(session, (_full, current) => ({ current: [current[0]!, ...current.slice(-1)] }))
      expect(session.currentHistory[0]).toEqual(summary)
      expect((await current(session)).at(-1)).toBe('message 10')
      session.setResizeHandlers({ lite: null })
      await session.append(said(11, 14))
      expect(await session.resize()).toMatchObject({ outcome: 'applied' })
      expect(session.currentHistory[0]).toEqual(summary)
      expect(session.currentHistory[1]).toMatchObject({ content: expect.stringContaining('message 11') })
      expect((await current(session)).slice(2)).toEqual(['message 13', 'message 14'])
    })

    test('may have any name, and is given the settings', async () => {
      const session = await (await open()).session('chat', { 'session.resize.keep_last_messages': 3 })
      await session.append(said(1, 2))
      session.setResizeHandlers({
        nap: (_full, current, _memo, settings) => ({
          current: current.slice(-1),
          memo: { keep: settings.maxKeepMessagesCount, every: settings.everyNTurns },
        }),
      })
      expect(await session.judgeResize({ force: 'nap' })).toMatchObject({ type: 'nap', reason: 'force' })
      expect(await session.judgeResize('nap')).toMatchObject({ type: 'nap', reason: 'force' })
      expect(await session.resize({ force: 'nap' })).toMatchObject({ outcome: 'applied', type: 'nap' })
      expect(session.memo).toEqual({ keep: 3, every: null })
      await expect(session.judgeResize({ force: 'doze' })).rejects.toThrow(InvalidDecisionError)
      await expect(session.resize({ force: 'doze' })).rejects.toThrow('lite, deep, nap')
    })

    test('has to be a function', async () => {
      const session = await talk(1)
      for (const wrong of [{ lite: 'deep' }, 'lite', null])
        expect(() => session.setResizeHandlers(wrong as never)).toThrow(InvalidArgumentError)
      expect(() => session.setPolicyHandler(1 as never)).toThrow('a function, or null')
      expect(() => session.setAttachmentSummaryHandler({} as never)).toThrow(InvalidArgumentError)
    })

    test('two at once take turns', async () => {
      const session = await talk(6)
      session.setResizeHandlers({ lite: (_full, current) => ({ current: current.slice(1) }) })
      const other = await (await open()).session('chat')
      other.setResizeHandlers({ lite: (_full, current) => ({ current: current.slice(1) }) })
      await Promise.all([1, 2, 3].map(() => session.resize({ force: 'lite' })))
      await Promise.all([session, other].map(each => each.resize({ force: 'lite' })))
      await session.refresh()
      expect(await current(session)).toEqual(['message 6'])
    })
  })

  describe('two resizes at once', () => {
    test('carry out one decision once', async () => {
      const sessions = [await (await open()).session('chat'), await (await open()).session('chat')]
      await sessions[0]!.append(said(1, 8))
      let calls = 0
      const { promise: isJudged, resolve: judged } = Promise.withResolvers<void>()
      let asked = 0
      for (const session of sessions) {
        session.setPolicyHandler(() => {
          asked += 1
          if (asked === 2) judged()
          return 'lite'
        })
        session.setResizeHandlers({
          lite: async (_full, current) => {
            calls += 1
            await isJudged
            return { current: current.slice(1) }
          },
        })
      }
      const outcomes = await Promise.all(sessions.map(session => session.resize()))
      expect(outcomes.map(outcome => `${outcome?.outcome} ${outcome?.reason}`).sort()).toEqual([
        'applied custom',
        'skipped epoch_conflict',
      ])
      expect(calls).toBe(1)
      expect((await Promise.all(sessions.map(session => session.refresh()))).length).toBe(2)
      expect(await current(sessions[0]!)).toHaveLength(7)
    })
  })

  describe('judging', () => {
    test('goes by the rules, and changes nothing', async () => {
      const classic = await open()
      const session = await classic.session('chat', { maxMessagesTextLength: 10 })
      expect(await session.judgeResize()).toBe(null)
      expect(await session.resize({ force: true })).toBe(null)
      await session.append({ role: 'user', content: 'x'.repeat(20) })
      await session.append({ role: 'assistant', content: 'y' })
      const before = await session.chat.export()
      const length = { type: 'deep', reason: 'max_messages_text_length', severity: 100 }
      expect(await session.judgeResize()).toMatchObject(length)
      session.setSettings({ maxMessagesTextLength: 1e6, maxKeepMessagesCount: 1 })
      const count = { type: 'lite', reason: 'max_keep_messages_count', severity: 50 }
      expect(await session.judgeResize()).toMatchObject(count)
      session.setSettings({ maxKeepMessagesCount: 0, everyNTurns: 1 })
      const turns = { type: 'lite', reason: 'every_n_turns', severity: 10 }
      expect(await session.judgeResize()).toMatchObject(turns)
      session.setSettings({ everyNTurns: null })
      expect(await session.judgeResize()).toBe(null)
      expect(await session.resize()).toBe(null)
      expect(await session.judgeResize({ force: true })).toMatchObject({ type: 'deep', severity: 1000 })
      expect(await session.judgeResize({ force: false })).toBe(null)
      expect(await session.chat.export()).toEqual(before)
    })

    test('counts turns since the last decision that was carried out, also after a restart', async () => {
      const session = await (await open()).session('chat', { everyNTurns: 4 })
      session.setResizeHandlers({ lite: (_full, current, memo) => [0, current, memo] })
      await session.append(said(1, 4))
      expect(await session.resize()).toMatchObject({ outcome: 'skipped', reason: 'every_n_turns' })
      expect(session.lastResizeTurn).toBe(4)
      await session.append(said(5, 7))
      const again = await (await open()).session('chat', { everyNTurns: 4 })
      expect([await again.judgeResize(), again.lastResizeTurn, again.turns]).toEqual([null, 4, 7])
      await again.append(said(8, 8))
      expect(await again.judgeResize()).toMatchObject({ reason: 'every_n_turns' })
    })

    test('waits after a failure, but not by force', async () => {
      let now = Date.UTC(2026, 0, 15)
      const classic = await open({ clock: () => now })
      const session = await classic.session('chat', { everyNTurns: 1 })
      await session.append(said(1, 2))
      session.setResizeHandlers({
        lite: () => Promise.reject(new Error('down')),
        deep: () => ({ current: [] }),
      })
      expect(await session.resize()).toMatchObject({ outcome: 'failed', reason: 'Error' })
      expect(await session.resize()).toBe(null)
      now += 3_600_000
      expect(await session.resize()).toMatchObject({ outcome: 'failed' })
      expect(await session.resize({ force: true })).toMatchObject({ outcome: 'applied', type: 'deep' })
    })

    test('goes by a handler of the caller in place of the rules', async () => {
      const session = await talk(4)
      session.setResizeHandlers({ nap: (_full, current) => ({ current: current.slice(-1) }) })
      const asked: unknown[] = []
      session.setPolicyHandler(async (full, current, memo, settings) => {
        asked.push([full.length, current.length, memo, settings])
        current.length = 0
        return full.length > 4
          ? { type: 'nap', reason: 'tired', severity: 3, meta: { full: full.length } }
          : null
      })
      expect(await session.judgeResize()).toBe(null)
      expect(asked).toEqual([[4, 4, {}, session.settings]])
      expect(session.currentHistory.length).toBe(4)
      await session.append(said(5, 5))
      const tired = { type: 'nap', reason: 'tired', severity: 3, meta: { full: 5 } }
      expect(await session.judgeResize()).toEqual(tired)
      expect(await session.resize()).toMatchObject({ outcome: 'applied', reason: 'tired', decision: tired })
      expect(await current(session)).toEqual(['message 5'])
      session.setPolicyHandler(() => 'lite')
      expect(await session.judgeResize()).toEqual({ type: 'lite', reason: 'custom', severity: 0, meta: {} })
      session.setPolicyHandler(null)
      expect(await session.judgeResize()).toBe(null)
    })

    test('refuses what is no decision, and what nobody carries out', async () => {
      const session = await talk(2, { summarizerTimeoutMs: 2_000 })
      for (const wrong of [
        42,
        true,
        [],
        {},
        { type: 'lite', severity: 'high' },
        { type: 'lite', meta: 3 },
        'doze',
      ]) {
        session.setPolicyHandler(() => wrong)
        await expect(session.judgeResize(), JSON.stringify(wrong)).rejects.toThrow(InvalidDecisionError)
        await expect(session.resize()).rejects.toThrow(InvalidDecisionError)
      }
      session.setPolicyHandler(() => new Promise(() => {}))
      await expect(session.judgeResize()).rejects.toMatchObject({ name: 'TimeoutError' })
      session.setPolicyHandler(() => {
        throw new Error('no idea')
      })
      await expect(session.resize()).rejects.toThrow('no idea')
    })
  })
})

function said(from: number, to: number): MessageInput[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    role: (from + index) % 2 === 1 ? ('user' as const) : ('assistant' as const),
    content: `message ${from + index}`,
  }))
}

function plain({ role, content }: WindowMessage) {
  return { role, content }
}

function full(word: string): string {
  return /^\d$/.test(word) ? `message ${word}` : word
}
