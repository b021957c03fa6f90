import { describe, expect, test } from 'vitest'
import { PLACES } from '../stores.ts'
import { open, say } from './search-kit.ts'

describe.each(Object.entries(PLACES))('on %s', (_, place) => {
  test('what cannot be an id or a number is refused by name', async () => {
    const palimpsest = await open(place())
    const chat = palimpsest.session('chat')
    await chat.append(say('hello'))
    for (const options of [
      { sessions: 'a' },
      { sessions: [5] },
      { sessions: [''] },
      { user: 7 },
      { scope: '' },
    ])
      await expect(palimpsest.search('x', options as never)).rejects.toMatchObject({
        code: 'invalid_argument',
      })
    for (const options of [
      { segment: 1.5 },
      { segment: Number.NaN },
      { segment: 'x' },
      { fromSeq: 1, after: 'x' },
    ])
      await expect(chat.expand(options as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(chat.expand(undefined as never)).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})
