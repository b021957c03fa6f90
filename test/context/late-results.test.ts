import { expect, test } from 'vitest'
import { tokens } from '../../packages/palimpsest/src/index.ts'
import { openChat } from './open-chat.ts'

test('a result that comes when its call is long out of reach does not take up the whole context', async () => {
  const chat = await openChat({ policy: tokens({ budget: 1_000 }) })
  const call = { type: 'tool-call', toolCallId: 'late', toolName: 'f', input: {} } as const
  const result = {
    type: 'tool-result',
    toolCallId: 'late',
    toolName: 'f',
    output: { type: 'text', value: 'done' },
  } as const
  await chat.append([
    { role: 'user', content: 'Begin.' },
    { role: 'assistant', content: [call] },
    ...Array.from({ length: 60 }, (_, turn) => ({
      role: 'user' as const,
      content: `${turn} ${'word '.repeat(60)}`,
    })),
    { role: 'tool', content: [result] },
  ])
  const shown = JSON.stringify((await chat.context()).messages)
  expect(shown).toContain('done')
  expect(shown).toContain('59 word')
})

test('a result of a long past turn moves no beginning: what was shown before it is shown after it', async () => {
  const chat = await openChat({ policy: tokens({ budget: 2_000 }) })
  const call = { type: 'tool-call', toolCallId: 'late', toolName: 'f', input: {} } as const
  await chat.append([
    { role: 'user', content: 'Begin.' },
    { role: 'assistant', content: [call] },
  ])
  const say = (turn: number) =>
    chat.append([
      { role: 'user', content: `question ${turn} ${'word '.repeat(30)}` },
      { role: 'assistant', content: `answer ${turn} ${'word '.repeat(30)}` },
    ])
  for (let turn = 1; turn <= 20; turn++) await say(turn)
  const shown = async () => (await chat.context()).messages.map(message => JSON.stringify(message))
  const before = await shown()
  const output = { type: 'text', value: 'done' } as const
  await chat.append([
    { role: 'user', content: 'And now?' },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'late', toolName: 'f', output }] },
  ])
  const after = await shown()
  await chat.append({ role: 'assistant', content: 'It is done.' })
  const later = await shown()
  // The last is a note that there is nothing new.
  expect(before.length).toBeGreaterThan(10)
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
  expect(later.slice(0, after.length)).toEqual(after)
  expect(later.join()).toContain('done')
})
