import { describe, expect, test } from 'vitest'
import { count, createPalimpsest } from '../../packages/palimpsest/src/index.ts'
import { PLACES } from '../stores.ts'
import { Clock, extractor } from './kit.ts'

const NO_ABORT = new AbortController().signal
const CHATTER = 'We talked about the weather and forty crates of lemons that sail to Porto. '.repeat(5)

describe.each(Object.entries(PLACES))('what memory learned from an edited message, on %s', (_, place) => {
  test('goes at once from history, daily log and user memory, and is learned anew', async () => {
    const here = place()
    const clock = new Clock()
    const store = await here.open()
    const palimpsest = await createPalimpsest({
      store,
      folding: 'manual',
      policy: count({ threshold: 8, keepLast: 2 }),
      clock: clock.read,
      memory: { extract: 'turn' },
    })
    try {
      const chat = palimpsest.session('s', { kind: 'private', user: 'ann' })
      const ann = { id: 'ann', name: 'Ann' }
      await chat.append({ role: 'user', sender: ann, content: 'My name is Ann and I live in Elmstadt.' })
      clock.pass({ minutes: 1 })
      await chat.append({ role: 'assistant', content: 'Noted.' })
      clock.pass({ minutes: 1 })
      await chat.append({ role: 'user', sender: ann, content: 'I am allergic to peanuts, remember that.' })
      for (let number = 4; number <= 12; number++) {
        clock.pass({ minutes: 1 })
        await chat.append({ role: number % 2 ? 'user' : 'assistant', content: `${number}: ${CHATTER}` })
      }
      const extract = extractor({ store, clock: clock.read })
      await extract('s')
      await chat.compact({ force: true })
      const read = async (layer: 'user' | 'chat' | 'daily', key: string) =>
        (await store.documents.readDocument({ namespace: 'default', layer, key }))?.content ?? ''
      const documents = async () => ({
        user: await read('user', 'ann'),
        chat: await read('chat', 's'),
        daily: await read('daily', '2026-03-02/s'),
      })
      const before = await documents()
      for (const content of [before.user, before.chat]) expect(content).toContain('Elmstadt')
      await chat.edit(1, 'My name is Ann and I live in Oakville.')
      const told = await documents()
      for (const content of Object.values(told)) expect(content).not.toContain('Elmstadt')
      expect(told.user).toContain('peanuts')
      expect(told.chat.includes('peanuts')).toBe(before.chat.includes('peanuts'))
      clock.pass({ minutes: 6 })
      await palimpsest.foldThrough('s', { signal: NO_ABORT })
      await extract('s')
      const after = await documents()
      expect(after.user).toContain('Oakville')
      expect(after.chat).toContain('Oakville')
      for (const content of Object.values(after)) expect(content).not.toContain('Elmstadt')
      expect(after.user).toContain('peanuts')
      const { instructions, messages } = await chat.context()
      expect(JSON.stringify([instructions, messages])).not.toContain('Elmstadt')
    } finally {
      await palimpsest.close()
      await here.remove()
    }
  })
})
