import { createPalimpsest, sqlite } from 'palimpsest'
import { expect, test } from 'vitest'
import { readSession } from './read-session.ts'
import { recognize } from './recognize.ts'

test('an exported session is read with its times and senders, without what was rolled back', async () => {
  await using palimpsest = await createPalimpsest({ store: sqlite(':memory:') })
  const chat = palimpsest.session('telegram:42')
  const at = Date.UTC(2026, 0, 15, 8)
  const ann = { id: '7', name: 'Ann' }
  await chat.append([
    { role: 'user', content: 'Shall we?', sender: ann, at, externalId: 'm-1' },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'Or no.' },
  ])
  await chat.rollback(2)
  const file = JSON.parse(JSON.stringify(await chat.export()))
  expect(recognize(file)).toBe('palimpsest-session')
  const [conversation] = readSession(file)
  expect(conversation).toMatchObject({
    id: 'telegram:42',
    messages: [
      {
        place: 'message 1',
        input: {
          role: 'user',
          content: 'Shall we?',
          sender: ann,
          externalId: 'm-1',
          at: '2026-01-15T08:00:00.000Z',
        },
      },
      { place: 'message 2', input: { role: 'assistant', content: 'Yes.' } },
    ],
  })
  expect(conversation!.messages).toHaveLength(2)
})
