import { describe, expect, test } from 'vitest'
import type { ContextAnswer } from '../../../api/types.ts'
import { compareContexts } from './compare-contexts.ts'
import { readBlocks } from './read-blocks.ts'

interface Made {
  readonly persona?: string
  readonly memory?: string
  readonly raw: readonly number[]
  readonly volatile?: readonly ('recent_changes' | 'recall')[]
  readonly current?: readonly number[]
  readonly isClosed?: boolean
  readonly stable?: number
  readonly epoch?: number
  readonly ratio?: number
}

/** Ten tokens a message. */
function context({
  persona,
  memory,
  raw,
  volatile = [],
  current = [],
  isClosed = false,
  stable,
  epoch = 1,
  ratio = 1,
}: Made): ContextAnswer {
  const lastSeq = current.at(-1) ?? raw.at(-1) ?? 0
  const sent = [
    ...(memory === undefined ? [] : [{ role: 'user' as const, content: memory, seq: 0 }]),
    ...raw.map(seq => ({
      role: seq % 2 ? ('user' as const) : ('assistant' as const),
      content: `m${seq}`,
      seq,
    })),
    ...volatile.map(name => ({
      role: 'user' as const,
      content: `<${name}>\n…\n</${name}>`,
      seq: raw.at(-1) ?? 0,
    })),
    ...current.map(seq => ({ role: 'user' as const, content: `m${seq}`, seq })),
    ...(isClosed ? [{ role: 'user' as const, content: '[system]: (no new message)', seq: lastSeq }] : []),
  ]
  const blocks = [
    ...(persona === undefined ? [] : [{ name: 'persona', tokens: 5 * ratio }]),
    ...(memory === undefined ? [] : [{ name: 'session_memory', tokens: 10 * ratio }]),
    ...(raw.length === 0 ? [] : [{ name: 'raw', tokens: 10 * raw.length * ratio }]),
    ...volatile.map(name => ({ name, tokens: 10 * ratio })),
    ...(current.length === 0 && !isClosed
      ? []
      : [{ name: 'current', tokens: 10 * (current.length + (isClosed ? 1 : 0)) * ratio }]),
  ]
  const memories = memory === undefined ? 0 : 1
  return {
    instructions: persona === undefined ? '' : `<persona>\n${persona}\n</persona>`,
    messages: sent.map(({ role, content }) => ({ role, content })),
    messageTokens: sent.map(() => 10),
    messageSeqs: sent.map(({ seq }) => seq),
    report: {
      tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
      budget: 1_000,
      blocks,
      prefixHash: '',
      omitted: [],
      epoch,
      view: '',
      stableMessages: stable ?? memories + raw.length + (volatile.length > 0 ? 0 : current.length),
      throughSeq: lastSeq,
    },
  }
}

const names = (blocks: readonly { key: string; messages: readonly { seq: number }[] }[]) =>
  blocks.map(({ key, messages }) => [key, ...messages.map(({ seq }) => seq)])

describe('the blocks of a context', () => {
  test('are told apart, and parted where the cache ends', () => {
    const shown = readBlocks(
      context({
        persona: 'P',
        memory: 'M',
        raw: [1, 2],
        volatile: ['recent_changes', 'recall'],
        current: [3],
      }),
    )
    expect(names(shown.stable)).toEqual([['persona'], ['session_memory', 0], ['raw', 1, 2]])
    expect(names(shown.changing)).toEqual([
      ['recent_changes-changing', 0],
      ['recall-changing', 0],
      ['current-changing', 3],
    ])
    expect(shown.stable[0]!.text).toBe('<persona>\nP\n</persona>')
    expect(shown.stableTokens).toBe(35)
  })

  test('a note at the end is no message that was said', () => {
    expect(names(readBlocks(context({ raw: [1, 2], isClosed: true })).changing)).toEqual([
      ['current-changing', 0],
    ])
    const shown = readBlocks(context({ raw: [1, 2], volatile: ['recall'], isClosed: true }))
    expect(names(shown.changing)).toEqual([
      ['recall-changing', 0],
      ['current-changing', 0],
    ])
  })

  test('one that is stable only in part is shown in two', () => {
    const shown = readBlocks(context({ raw: [1, 2, 3], stable: 1, ratio: 2 }))
    expect(names(shown.stable)).toEqual([['raw', 1]])
    expect(names(shown.changing)).toEqual([['raw-changing', 2, 3]])
    expect([shown.stable[0]!.tokens, shown.changing[0]!.tokens]).toEqual([20, 40])
  })
})

describe('how a context goes on from another', () => {
  test('the same', () => {
    const one = context({ memory: 'M', raw: [1], current: [3] })
    expect(compareContexts(one, one)).toMatchObject({ change: 'same', sameTokens: 30, partsAt: null })
  })

  test('grown: a reply came, and all before it is found again', () => {
    const one = context({ memory: 'M', raw: [1, 2], current: [3] })
    const other = context({ memory: 'M', raw: [1, 2, 3, 4], isClosed: true })
    expect(compareContexts(one, other)).toEqual({
      change: 'grown',
      sameTokens: 40,
      tokens: 60,
      partsAt: { block: 'raw', seq: 4 },
      isNewEpoch: false,
    })
    // What stood at the volatile end is no loss.
    expect(compareContexts(other, context({ memory: 'M', raw: [1, 2, 3, 4], current: [5] })).change).toBe(
      'grown',
    )
  })

  test('parted by a fold: the session memory is another', () => {
    const one = context({ persona: 'P', memory: 'M', raw: [1, 2, 3], epoch: 1 })
    const other = context({ persona: 'P', memory: 'M and 1', raw: [2, 3], epoch: 2 })
    expect(compareContexts(one, other)).toEqual({
      change: 'parted',
      sameTokens: 5,
      tokens: 35,
      partsAt: { block: 'session_memory', seq: 0 },
      isNewEpoch: true,
    })
  })

  test('parted by memory that was taken in anew: at the very start', () => {
    const one = context({ persona: 'P', raw: [1] })
    const other = context({ persona: 'Q', raw: [1], epoch: 2 })
    expect(compareContexts(one, other)).toMatchObject({ sameTokens: 0, partsAt: { block: 'persona' } })
  })
})
