import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Role } from './message.ts'
import { completeTurns, nextTurnPosition, type SessionKind, type TurnPosition } from './turns.ts'

/** `u` user, `a` reply, `c` assistant with an open call, `t` tool, `s` system. */
function positions(text: string, kind: SessionKind = 'private'): TurnPosition[] {
  const roles: Record<string, Role> = { u: 'user', a: 'assistant', c: 'assistant', t: 'tool', s: 'system' }
  const all: TurnPosition[] = []
  for (const letter of text)
    all.push(
      nextTurnPosition(
        all.at(-1) ?? null,
        { role: roles[letter]!, isReply: letter === 'a' },
        { kind, groupTurnMessages: 12 },
      ),
    )
  return all
}

const turns = (text: string, kind?: SessionKind) => positions(text, kind).map(position => position.turn)
const complete = (text: string, kind?: SessionKind) => completeTurns(positions(text, kind).at(-1)!)

describe('turns', () => {
  test.each([
    ['ua', [1, 1], 1],
    ['uaua', [1, 1, 2, 2], 2],
    ['uau', [1, 1, 2], 1],
    // One or more user messages.
    ['uuua', [1, 1, 1, 1], 1],
    // Calls and results belong to the turn; it is complete with the reply.
    ['uct', [1, 1, 1], 0],
    ['uctcta', [1, 1, 1, 1, 1, 1], 1],
    ['uaa', [1, 1, 1], 1],
    // Before the first user message: turn 1.
    ['sau', [1, 1, 1], 0],
    ['saua', [1, 1, 1, 1], 1],
    ['aua', [1, 1, 1], 1],
    // Interrupted: what a later turn followed is over.
    ['ucu', [1, 1, 2], 1],
    ['usua', [1, 1, 1, 1], 1],
    ['uasu', [1, 1, 1, 2], 1],
    // Opened again by another call.
    ['uac', [1, 1, 1], 0],
  ])('%s', (text, expected, count) => {
    expect(turns(text)).toEqual(expected)
    expect(complete(text)).toBe(count)
  })

  test('a group without any reply goes on in turns of twelve', () => {
    expect(complete('u'.repeat(11), 'group')).toBe(0)
    expect(complete('u'.repeat(12), 'group')).toBe(1)
    expect(turns('u'.repeat(13), 'group').at(-1)).toBe(2)
    expect(complete('u'.repeat(36), 'group')).toBe(3)
    expect(complete('u'.repeat(100), 'private')).toBe(0)
    expect(turns('uuuauuu', 'group')).toEqual([1, 1, 1, 1, 2, 2, 2])
  })

  test('never go back, and grow by one', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'uacts'), maxLength: 60 })
    fc.assert(
      fc.property(texts, fc.constantFrom('private' as const, 'group' as const), (text, kind) => {
        let previous: TurnPosition | null = null
        for (const position of positions(text, kind)) {
          const step = position.turn - (previous?.turn ?? 1)
          expect(step).toBeOneOf([0, 1])
          expect(position.position).toBe(previous === null || step === 1 ? 1 : previous.position + 1)
          previous = position
        }
      }),
    )
  })
})
