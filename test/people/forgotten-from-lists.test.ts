import { describe, expect, test } from 'vitest'
import { count, createPalimpsest } from '../../packages/palimpsest/src/index.ts'
import { PLACES } from '../stores.ts'

/** A chat's memory lists who is there: of those who are forgotten it keeps nothing, however they were written there. */

const PEOPLE: readonly { readonly id: string; readonly name: string }[] = [
  { id: 'zorro', name: 'Plain' },
  { id: 'zorro,7;x', name: 'Zorro, Jr; X' },
  { id: 'zorro(7)', name: 'Zorro (7)' },
  { id: 'zorro-0', name: `Zorro ${'y'.repeat(300)}` },
  { id: `zorro-${'x'.repeat(150)}`, name: 'Zorro' },
  { id: 'zor\u200bro', name: 'Zorro\u200b' },
]

describe.each(Object.entries(PLACES))('on %s', (_, start) => {
  test.each(PEOPLE)('%j', async person => {
    const place = start()
    const palimpsest = await createPalimpsest({
      store: await place.open(),
      folding: 'manual',
      policy: count({ threshold: 6, keepLast: 2 }),
      memory: {},
    })
    try {
      const chat = palimpsest.session('g', { kind: 'group' })
      const senders = [{ id: 'u1', name: 'Ann' }, person]
      for (let n = 0; n < 12; n++)
        await chat.append({
          role: 'user',
          sender: senders[n % 2]!,
          content: `We agreed to pay ${n} euros for the ${n} red chairs`,
        })
      await chat.compact({ force: true })
      const list = async () =>
        (await palimpsest.memory.chat('g').read())!.content
          .split('\n')
          .filter(line => line.startsWith('- With: ') || /zor/i.test(line))
      expect((await list())[0]).toMatch(/Plain|Zorro/)
      const { id } = await palimpsest.forget({ kind: 'person', id: person.id })
      expect(await palimpsest.erased(id)).toMatchObject({ done: true })
      expect(await list()).toEqual([])
      expect(JSON.stringify(await chat.export())).not.toMatch(/zor|Plain/i)
    } finally {
      await palimpsest.close()
      await place.remove()
    }
  })
})
