import type { MastraDBMessage, MastraMessagePart } from '@mastra/core/agent/message-list'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logRecords } from './log-records.ts'

interface Step {
  readonly thought: string | null
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly fails: boolean }[]
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    thought: fc.option(fc.string({ minLength: 1 })),
    text: fc.string({ unit: 'binary' }),
    calls: fc.array(fc.record({ name: fc.string({ minLength: 1 }), fails: fc.boolean() }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
)

function message(parts: readonly unknown[]): MastraDBMessage {
  return {
    id: 'reply',
    role: 'assistant',
    createdAt: new Date(0),
    content: { format: 2, parts: parts as MastraMessagePart[] },
  }
}

/** The parts of a message as Mastra's loop leaves them after a step: with its calls open, or answered. */
function partsAfter(done: readonly Step[], areAnswered: boolean): unknown[] {
  return done.flatMap(({ thought, text, calls }, step) => [
    ...(step > 0 ? [{ type: 'step-start' }] : []),
    ...(thought === null ? [] : [{ type: 'reasoning', reasoning: thought, details: [] }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ name, fails }, call) => {
      const toolInvocation = { toolCallId: `call-${step}-${call}`, toolName: name, args: { call } }
      const answer = fails
        ? { state: 'output-error', errorText: 'broken' }
        : { state: 'result', result: call }
      const isOpen = step === done.length - 1 && !areAnswered
      return {
        type: 'tool-invocation',
        toolInvocation: { ...toolInvocation, ...(isOpen ? { state: 'call' } : answer) },
      }
    }),
  ])
}

test('however often a growing message is read, each step and each result is stored once, in order', () => {
  fc.assert(
    fc.property(steps, all => {
      const log = new Map<string, unknown>()
      for (const [index] of all.entries())
        for (const areAnswered of [false, true])
          for (const record of logRecords(message(partsAfter(all.slice(0, index + 1), areAnswered))))
            if (!log.has(record.externalId)) log.set(record.externalId, record)
      const whole = logRecords(message(partsAfter(all, true)))
      expect([...log.values()]).toEqual(whole)
      const spoken = all.filter(
        ({ thought, text, calls }) => thought !== null || text !== '' || calls.length > 0,
      )
      expect(whole.filter(({ role }) => role === 'assistant')).toHaveLength(spoken.length)
      expect(whole.filter(({ role }) => role === 'tool')).toHaveLength(
        all.flatMap(({ calls }) => calls).length,
      )
    }),
  )
})

test('what a client sends back has a mark at its beginning, and the same ids', () => {
  fc.assert(
    fc.property(steps, all => {
      const parts = partsAfter(all, true)
      const sentBack = logRecords(message([{ type: 'step-start' }, ...parts, { type: 'data-note', data: 1 }]))
      expect(sentBack).toEqual(logRecords(message(parts)))
    }),
  )
})

test('a message of which nothing can be said is there all the same', () => {
  const empty = { ...message([{ type: 'data-click', data: {} }]), role: 'user' as const }
  expect(logRecords(empty)).toMatchObject([{ role: 'user', content: [{ type: 'text', text: '' }] }])
})

test('a time that no message can have is left to the log', () => {
  const said = (createdAt: Date) =>
    logRecords({ ...message([{ type: 'text', text: 'Hello' }]), role: 'user', createdAt })[0]!
  expect(said(new Date(1_000)).at).toBe(1_000)
  for (const at of ['9999-12-31T20:00:00Z', '0001-01-01T00:00:00Z', 'never'])
    expect([at, said(new Date(at)).at]).toEqual([at, null])
})
