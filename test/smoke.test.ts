import { expect, test } from 'vitest'
import { count, createPalimpsest } from '../packages/palimpsest/src/index.ts'
import { PLACES } from './stores.ts'

test.each(Object.entries(PLACES))(
  '%s appends, edits, rolls back, forks, exports and imports',
  async (_, place) => {
    const here = place()
    const palimpsest = await createPalimpsest({
      store: await here.open(),
      folding: 'manual',
      policy: count(),
    })
    const chat = palimpsest.session('telegram:42')
    for (let i = 1; i <= 21; i++)
      await chat.append({
        role: i % 2 ? 'user' : 'assistant',
        content: `message ${i}`,
        externalId: `m${i}`,
        sender: 'bob',
      })
    expect(await chat.append({ role: 'user', content: 'message 1', externalId: 'm1' })).toMatchObject({
      messages: [{ seq: 1, duplicate: true }],
    })
    await expect(chat.append({ role: 'user', content: 'other', externalId: 'm1' })).rejects.toThrow(
      'other content',
    )
    expect((await chat.plan())?.range).toMatchObject({ fromSeq: 1, toSeq: 11 })
    await chat.edit(3, 'edited 🎉')
    expect(await chat.versions(3)).toHaveLength(2)
    await chat.rollback(10)
    expect((await chat.append({ role: 'user', content: 'again\0\ud800' })).messages[0]?.seq).toBe(22)
    expect((await chat.messages({ from: 'newest', limit: 2 })).map(message => message.content)).toEqual([
      'message 10',
      'again\0\ud800',
    ])
    expect(await (await chat.fork('x', 5)).info()).toMatchObject({ messages: 5, origin: { seq: 5 } })
    const file = await chat.export()
    const { session } = await palimpsest.import(JSON.parse(JSON.stringify(file)), { id: 'copy' })
    expect({ ...(await session.export()), id: file.id }).toEqual(file)
    await palimpsest.close()
    await here.remove()
  },
)
