import { expect, test } from 'vitest'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { sqlitePlace } from '../stores.ts'
import { openChat } from './open-chat.ts'

/** What a process knows of a session already, and what it reads again. */

test('what a context shows does not hang on which process makes it, or what was asked before', async () => {
  const place = sqlitePlace()
  const policy = tokens({ budget: 3_000 })
  const long = await openChat({ policy }, place)
  const fresh = async () => {
    const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', policy })
    const context = await palimpsest.session('s').context({ outputReserve: 100 })
    await palimpsest.close()
    return context
  }
  for (let turn = 1; turn <= 40; turn++) {
    await long.append({ role: 'user', content: `Look up number ${turn}.` })
    await long.append({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: `c${turn}`, toolName: 'look', input: { turn } }],
    })
    await long.append({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: `c${turn}`,
          toolName: 'look',
          output: `row ${turn} `.repeat((turn % 7) * 30),
        },
      ],
    })
    await long.append({ role: 'assistant', content: `Number ${turn} is there.` })
    await long.context({ outputReserve: 101 })
    const { messages, report } = await long.context({ outputReserve: 100 })
    const other = await fresh()
    expect(other.report).toEqual(report)
    expect(other.messages).toEqual(messages)
  }
})

test('a message far larger than the window is read once', async () => {
  const chat = await openChat({ policy: tokens({ budget: 4_000 }) })
  await chat.append({ role: 'user', content: 'lorem ipsum '.repeat(100_000) })
  const first = await chat.context()
  const second = await chat.context()
  expect(second.messages[0]).toBe(first.messages[0])
})

test('what was appended meanwhile is read only as far as it can be shown', async () => {
  const chat = await openChat({ policy: tokens({ budget: 2_000 }) })
  const talk = smallTalk()
  await chat.append(talk.next().value)
  await chat.context()
  for (let batch = 0; batch < 5; batch++)
    await chat.append(Array.from({ length: 1_000 }, () => talk.next().value))
  const { report } = await chat.context()
  expect(report.tokens).toBeLessThanOrEqual(2_000)
  expect(report.omitted[0]).toMatchObject({ what: 'messages', fromSeq: 1 })
})

test('whoever changes a message of a context is told, and harms no other', async () => {
  const chat = await openChat()
  await chat.append({ role: 'user', content: 'hello' })
  const { messages } = await chat.context()
  expect(() => Object.assign(messages[0]!, { content: 'changed' })).toThrow(TypeError)
  expect((await chat.context()).messages[0]!.content).toBe('hello')
})
