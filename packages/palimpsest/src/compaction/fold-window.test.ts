import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type StorePlace, sqlitePlace } from '../../../../test/stores.ts'
import { InvalidDecisionError } from '../errors.ts'
import { createPalimpsest, type Palimpsest } from '../palimpsest.ts'
import { count, type Decision } from '../policy/index.ts'
import type { Session } from '../session.ts'
import type { FoldHandler, WindowHandler, WindowInput, WindowResult } from './index.ts'

let place: StorePlace
let palimpsest: Palimpsest
let chat: Session

beforeEach(async () => {
  place = sqlitePlace()
  palimpsest = await createPalimpsest({
    store: await place.open(),
    folding: 'manual',
    indexing: 'off',
    policy: count({ threshold: 4, keepLast: 2 }),
  })
  chat = palimpsest.session()
  for (let index = 1; index <= 6; index++)
    await chat.append({ role: index % 2 === 1 ? 'user' : 'assistant', content: `message ${index}` })
})

afterEach(async () => {
  await palimpsest.close()
  await place.remove()
})

const decision: Decision = { type: 'nap', reason: 'tired', severity: 1, meta: {} }

function window(messages: number | null, memo: WindowResult['memo'] = null): WindowHandler {
  const fold = messages === null ? null : { messages, window: [], summary: `over ${messages}` }
  return { window: () => ({ fold, memo }) }
}

describe('handlers for one fold', () => {
  const fold: FoldHandler = ({ range, messages, decision }) => ({
    segments: [
      {
        ...{ fromSeq: range.fromSeq, toSeq: range.toSeq, messageCount: messages.length, summary: 'by hand' },
        ...{ events: [], details: [], level: 1, state: 'live', type: decision.type, reason: decision.reason },
        ...{ summarizer: 'hand', promptVersion: '1', tokensBefore: 9, tokensAfter: 1, absorbs: [] },
      },
    ],
    memo: null,
  })

  test('are merged over those of the engine, and known as types', async () => {
    await expect(chat.compact({ force: 'nap' })).rejects.toThrow(InvalidDecisionError)
    const outcome = await chat.compact({ force: 'nap', handlers: { nap: fold } })
    expect(outcome).toMatchObject({ outcome: 'applied', type: 'nap', reason: 'force' })
    expect(await chat.segments()).toMatchObject([{ summary: 'by hand' }])
    await expect(chat.compact({ force: 'nap' })).rejects.toThrow('lite, deep')
    await expect(chat.compact({ decision })).rejects.toThrow('lite, deep')
  })

  test('carry out what was decided, once', async () => {
    const outcome = await chat.compact({ decision, handlers: { nap: window(1, { a: 1 }) } })
    expect(outcome).toMatchObject({ outcome: 'applied', type: 'nap', reason: 'tired', fromSeq: 1, toSeq: 1 })
    expect(await chat.info()).toMatchObject({
      compactedThrough: 1,
      rawMessages: 5,
      memo: { a: 1, last_resize: { type: 'nap', turn: 3, reason: 'tired' } },
    })
  })
})

describe('a window', () => {
  test('is given all that is raw, and folds from nothing to everything of it', async () => {
    for (const [folded, cursor, segments] of [
      [null, 0, 0],
      [2, 2, 1],
      [0, 2, 1],
      [1, 3, 1],
      [3, 6, 1],
      [0, 6, 1],
    ] as const) {
      const inputs: WindowInput[] = []
      const handler: WindowHandler = {
        window: input => {
          inputs.push(input)
          return window(folded).window(input)
        },
      }
      const before = (await chat.info())!
      const outcome = await chat.compact({ decision, handlers: { nap: handler } })
      expect(outcome.outcome).toBe(folded === null ? 'skipped' : 'applied')
      expect(await chat.info()).toMatchObject({ compactedThrough: cursor, segments })
      expect(inputs.length).toBe(1)
      expect(inputs[0]!.messages.map(({ seq }) => seq)).toEqual(
        [1, 2, 3, 4, 5, 6].filter(seq => seq > before.compactedThrough),
      )
      expect(inputs[0]!.segments.length).toBe(before.segments)
      expect((await chat.snapshot())?.raw.messages).toBe(6 - cursor)
    }
    const [last] = await chat.segments()
    expect(last).toMatchObject({
      fromSeq: 1,
      toSeq: 6,
      messageCount: 6,
      level: 1,
      window: [],
      windowThrough: 6,
    })
    expect((await chat.segments('all')).length).toBe(5)
  })

  test('that stands for what there is not changes nothing', async () => {
    for (const messages of [0, -1, 7, 1.5, Number.NaN])
      expect(await chat.compact({ decision, handlers: { nap: window(messages) } })).toMatchObject({
        outcome: 'failed',
        reason: 'invalid_argument',
      })
    expect(await chat.info()).toMatchObject({ compactedThrough: 0, segments: 0 })
  })

  test('is void where history changed meanwhile', async () => {
    const handler: WindowHandler = {
      window: async input => {
        await chat.edit(1, 'edited')
        return window(2).window(input)
      },
    }
    expect(await chat.compact({ decision, handlers: { nap: handler } })).toMatchObject({
      outcome: 'skipped',
      reason: 'epoch_conflict',
    })
    expect(await chat.segments()).toEqual([])
  })

  test('is folded once, however much it stands for', async () => {
    for (let round = 0; round < 12; round++)
      await chat.append(
        Array.from({ length: 1_000 }, () => ({ role: 'user' as const, content: 'words '.repeat(12) })),
      )
    let calls = 0
    const handler: WindowHandler = {
      window: ({ messages }) => {
        calls += 1
        return {
          fold: { messages: messages.length - 1, window: [], summary: 'x '.repeat(400_000) },
          memo: null,
        }
      },
    }
    expect(await chat.compact({ force: 'nap', handlers: { nap: handler } })).toMatchObject({ toSeq: 12_005 })
    expect(calls).toBe(1)
    const [segment] = await chat.segments()
    expect(segment!.tokensAfter).toBeLessThan(33_000)
    expect((await chat.snapshot())?.raw.messages).toBe(1)
  })
})
