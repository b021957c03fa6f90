import type { AgentInputItem } from '@openai/agents'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyItem } from '../../../../../test/openai-agents/arbitrary-items.ts'
import { runs } from '../../../../../test/runs.ts'
import { fitInput, NOTHING_LEFT_OUT } from './fit-input.ts'
import { clipItem, measureItem, stubResult } from './shorten-item.ts'
import { toMessage } from './to-message.ts'
import { validItems } from './valid-items.ts'

const words = (count: number) => 'these are words. '.repeat(count)

function user(text: string): AgentInputItem {
  return { type: 'message', role: 'user', content: text }
}
function assistant(text: string): AgentInputItem {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}
function call(callId: string): AgentInputItem {
  return { type: 'function_call', callId, name: 'f', arguments: '{}', status: 'completed' }
}
function result(callId: string, output: string): AgentInputItem {
  return { type: 'function_call_result', callId, name: 'f', status: 'completed', output }
}

function total(items: readonly AgentInputItem[]): number {
  return items.reduce((sum, item) => sum + measureItem(item), 0)
}

function callIds(items: readonly AgentInputItem[], type: string): readonly string[] {
  return items.flatMap(item => (item.type === type ? (item as { callId: string }).callId : []))
}

const WHERE = { seq: 1, language: 'en' } as const

const MEMORY = user('<session_memory>\nA summary.\n</session_memory>')

/** Turns of the past, and a run under way with so many calls. */
const conversation = fc
  .record({
    hasMemory: fc.boolean(),
    turns: fc.array(fc.record({ words: fc.nat(60), results: fc.array(fc.nat(120), { maxLength: 3 }) }), {
      maxLength: 8,
    }),
    asked: fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }),
    run: fc.array(fc.array(fc.nat(200), { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
  })
  .map(({ hasMemory, turns, asked, run }) => {
    let number = 0
    const step = (results: readonly number[]) => {
      const ids = results.map(() => `c${number++}`)
      return [...ids.map(call), ...ids.map((id, index) => result(id, words(results[index]!)))]
    }
    const history = [
      ...(hasMemory ? [MEMORY] : []),
      ...turns.flatMap((turn, index) => [
        user(`turn ${index}: ${words(turn.words)}`),
        ...(turn.results.length > 0 ? step(turn.results) : []),
        assistant(words(turn.words)),
      ]),
    ]
    const input = asked.map((count, index) => user(`asked ${index}: ${words(count)}`))
    return { history, input, steps: run.map(step) }
  })

describe('input that is too large', () => {
  test('is made to fit, with every pair whole, and what is asked as it is', () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 300, max: 3_000 }), ({ history, input, steps }, room) => {
        const items = [...history, ...input, ...steps.flat()]
        const options = { room, history: history.length, earlier: NOTHING_LEFT_OUT, language: 'en' as const }
        const { items: fitted, leftOut } = fitInput(items, options)
        if (total(items) <= room) expect(fitted).toEqual(items)
        for (const item of input) expect(fitted).toContain(item)
        expect(callIds(fitted, 'function_call_result')).toEqual(callIds(fitted, 'function_call'))
        expect(validItems(fitted)).toEqual(fitted)
        const ids = callIds(steps.flat(), 'function_call')
        const shown = callIds(fitted, 'function_call')
        expect(shown.slice(shown.length - ids.length)).toEqual(ids)
        if (history[0] === MEMORY) expect(fitted[0]).toBe(MEMORY)
        // The same once more, and nothing changes.
        expect(fitInput(items, { ...options, earlier: leftOut }).items).toEqual(fitted)
        const calls = steps.flat().filter(({ type }) => type === 'function_call_result').length
        const least = total(input) + 120 + calls * 260
        if (room > least) expect(total(fitted)).toBeLessThanOrEqual(room)
      }),
      { numRuns: runs(100, 1_000) },
    )
  })

  test('loses the oldest results of the run first, then those before, then turns', () => {
    const history = [
      user('q'),
      call('a'),
      result('a', words(100)),
      assistant('answer'),
      user('r'),
      assistant('s'),
    ]
    const steps = [call('b'), result('b', words(100)), call('c'), result('c', words(100))]
    const items = [...history, user('now'), ...steps]
    const options = { history: history.length, earlier: NOTHING_LEFT_OUT, language: 'en' as const }
    const fitted = (room: number) => fitInput(items, { ...options, room }).items
    const stubbed = (room: number) =>
      fitted(room).flatMap(item => {
        if (item.type !== 'function_call_result') return []
        return /left out here\)/.test(String(item.output)) ? [item.callId] : []
      })
    const all = total(items)
    expect(stubbed(all)).toEqual([])
    expect(stubbed(all - 1)).toEqual(['b'])
    expect(stubbed(all * 0.8)).toEqual(['a', 'b'])
    const small = fitted(all * 0.35)
    expect(small).not.toContainEqual(user('q'))
    expect(small).toContainEqual(user('now'))
  })

  test('of the same run grows by what is added, most of the time', () => {
    const history = Array.from({ length: 20 }, (_, turn) => [
      user(`q${turn} ${words(10)}`),
      assistant(words(10)),
    ]).flat()
    let before: readonly AgentInputItem[] = []
    let earlier = NOTHING_LEFT_OUT
    let growing = 0
    for (let steps = 0; steps < 60; steps++) {
      const run = Array.from({ length: steps }, (_, step) => [
        call(`c${step}`),
        result(`c${step}`, words(30)),
      ]).flat()
      const input = [...history, user('now'), ...run]
      const fitted = fitInput(input, { room: 3_000, history: history.length, earlier, language: 'en' })
      if (JSON.stringify(fitted.items.slice(0, before.length)) === JSON.stringify(before)) growing += 1
      before = fitted.items
      earlier = fitted.leftOut
    }
    expect(growing).toBeGreaterThan(50)
  })
})

describe('an item made shorter', () => {
  test('is still one of its kind, and no larger than before', () => {
    fc.assert(
      fc.property(anyItem, fc.integer({ min: 20, max: 200 }), (item, tokens) => {
        for (const short of [clipItem(item, tokens, WHERE), stubResult(item, WHERE)]) {
          expect(short.type).toBe(item.type)
          expect(toMessage(short).role).toBe(toMessage(item).role)
          expect(measureItem(short)).toBeLessThanOrEqual(Math.max(measureItem(item), tokens))
        }
      }),
      { numRuns: runs(200, 2_000) },
    )
  })

  test.each<[string, AgentInputItem]>([
    ['a text', user(words(500))],
    [
      'entries',
      {
        role: 'user',
        content: [
          { type: 'input_text', text: words(300) },
          { type: 'input_text', text: words(300) },
        ],
      },
    ],
    [
      'arguments',
      { type: 'function_call', callId: 'c', name: 'f', arguments: JSON.stringify({ text: words(500) }) },
    ],
    ['a result', result('c', words(500))],
    [
      'a result of entries',
      {
        type: 'function_call_result',
        callId: 'c',
        name: 'f',
        status: 'completed',
        output: [
          { type: 'input_text', text: words(500) },
          { type: 'input_image', image: 'x' },
        ],
      },
    ],
    [
      'the output of a shell',
      {
        type: 'shell_call_output',
        callId: 'c',
        output: [{ stdout: words(500), stderr: '', outcome: { type: 'timeout' } }],
      },
    ],
    [
      'a picture',
      {
        role: 'user',
        content: [
          { type: 'input_image', image: 'https://example.com/a.png' },
          { type: 'input_text', text: 'look' },
        ],
      },
    ],
  ])('fits: %s', (_, item) => {
    const short = clipItem(item, 150, { seq: 7, language: 'en' })
    expect(measureItem(short)).toBeLessThanOrEqual(160)
    expect(JSON.stringify(short)).toMatch(/message 7|\(image\)/)
    if (short.type === 'function_call') expect(JSON.parse(short.arguments)).toHaveProperty('clipped')
  })
})
