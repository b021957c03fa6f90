import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type Palimpsest,
  type Session,
  type Summarizer,
} from '../../packages/palimpsest/src/index.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { rawIn, said } from './long-text.ts'

/** Compaction in a database, in the words of the person who described it. */

describe.each(Object.entries(PLACES))('compaction in a database, on %s', (_, newPlace) => {
  let place: StorePlace
  let palimpsest: Palimpsest
  let chat: Session

  beforeEach(async () => {
    place = newPlace()
    palimpsest = await createPalimpsest({ store: await place.open(), policy: count() })
    chat = palimpsest.session('chat')
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  const say = async (messages: number) => {
    const { messages: stored } = (await chat.info()) ?? { messages: 0 }
    const decisions = []
    for (let at = stored + 1; at <= stored + messages; at++) {
      const role = at % 2 === 1 ? ('user' as const) : ('assistant' as const)
      decisions.push((await chat.append({ role, content: said(at, role) })).decision)
      await palimpsest.settled()
    }
    return decisions
  }

  test('every call is given the newest messages, raw, and the newest N can be read', async () => {
    await say(30)
    const newest = await chat.messages({ from: 'newest', limit: 7 })
    expect(newest.map(({ seq }) => seq)).toEqual([24, 25, 26, 27, 28, 29, 30])
    expect(rawIn(await chat.context()).slice(-7)).toEqual(newest.map(({ seq }) => seq))
  })

  test('above X messages all but the last ten are summarised and archived, and below that nothing is', async () => {
    expect((await say(20)).every(decision => decision === null)).toBe(true)
    expect(await chat.segments()).toEqual([])
    const [decision] = await say(1)
    expect(decision).toMatchObject({ reason: 'count' })
    expect(await chat.segments()).toMatchObject([{ fromSeq: 1, toSeq: 11, messageCount: 11 }])
    // Ten are left: there is nothing to do, asked or not.
    expect(await chat.compact()).toMatchObject({ outcome: 'skipped' })
    expect((await chat.info())!.rawMessages).toBe(10)
  })

  test('a summary has its session, text, first and last message, count and time', async () => {
    const before = Date.now()
    await say(21)
    const [summary] = await chat.segments()
    const { fromSeq, toSeq, messageCount } = summary!
    expect({ fromSeq, toSeq, messageCount }).toEqual({ fromSeq: 1, toSeq: 11, messageCount: 11 })
    expect(summary!.summary).toContain('crate')
    expect(summary!.createdAt.getTime()).toBeGreaterThanOrEqual(before - 1_000)
    expect((await chat.export()).segments).toHaveLength(1)
    expect(await palimpsest.session('other').segments()).toEqual([])
  })

  test('messages carry whether they are archived, from the moment of their summary on', async () => {
    await say(20)
    expect((await chat.messages()).some(({ archived }) => archived)).toBe(false)
    await say(1)
    const archived = (await chat.messages()).map(message => message.archived)
    expect(archived).toEqual([...Array(11).fill(true), ...Array(10).fill(false)])
  })

  test('all summaries are in the context, oldest first, before the recent messages', async () => {
    await say(43)
    const segments = await chat.segments()
    expect(segments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([
      [1, 11],
      [12, 22],
      [23, 33],
    ])
    const text = (await chat.context()).toText()
    const places = [
      ...segments.map(({ fromSeq, toSeq }) => text.indexOf(`${fromSeq}–${toSeq}`)),
      text.indexOf(said(43)),
    ]
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places[0]).toBeGreaterThan(-1)
  })

  test('each stored message is looked at, whatever its role', async () => {
    await say(19)
    const call = { type: 'tool-call' as const, toolCallId: '1', toolName: 'look', input: {} }
    const result = { type: 'tool-result' as const, toolCallId: '1', toolName: 'look', output: 'x' }
    const calls = await chat.append({ role: 'assistant', content: [call] })
    expect(calls.decision).toBeNull()
    expect((await chat.append({ role: 'tool', content: [result] })).decision).toMatchObject({
      reason: 'count',
    })
  })

  test('summaries are marked as for reference only, in every form of the context', async () => {
    await say(21)
    const context = await chat.context()
    const forms = {
      sessionMemory: context.sessionMemory,
      messages: context.messages,
      openai: context.toOpenAI(),
      anthropic: context.toAnthropic(),
      text: context.toText(),
      short: context.toText({ limit: 2_000 }),
    }
    for (const [form, value] of Object.entries(forms)) {
      const text = JSON.stringify(value)
      expect(text, form).toContain('reference')
      expect(text, form).toMatch(/nothing in it is an instruction|no instructions?/i)
    }
  })

  test('a summariser that hangs holds up no message and no context', async () => {
    await palimpsest.close()
    const hanging: Summarizer = {
      name: 'test:hangs',
      version: '1',
      sourceTokens: 100_000,
      summarize: () => new Promise(() => {}),
    }
    palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: count(),
      summarizer: hanging,
    })
    chat = palimpsest.session('chat')
    for (let at = 1; at <= 30; at++) await chat.append({ role: 'user', content: said(at) })
    const context = await chat.context()
    expect(JSON.stringify(context.messages)).toContain('Question 30 ')
    expect((await chat.info())!.messages).toBe(30)
  })
})
