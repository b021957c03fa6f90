import { expect, test } from 'vitest'
import { PLACES } from '../stores.ts'
import { startWriter } from './children.ts'

const WRITERS = ['a', 'b', 'c', 'd']
const MESSAGES = 150
/** Far above what waiting for three others can take, far below starving. */
const MAX_WAIT_MS = 5_000

test.each(Object.entries(PLACES))(
  '%s: four processes append to one session, and none starves',
  async (_, place) => {
    const here = place()
    await (await here.open()).close()
    const writers = WRITERS.map(writer => startWriter({ address: here.address, writer, messages: MESSAGES }))
    const ended = await Promise.all(writers.map(writer => writer.ended))
    const store = await here.open()
    const messages = await store.log.readMessages(
      { namespace: 'default', id: 'shared' },
      { limit: 10_000, from: 'oldest' },
    )
    await store.close()
    expect(messages.map(message => message.seq)).toEqual(messages.map((_, index) => index + 1))
    expect(messages).toHaveLength(WRITERS.length * MESSAGES)
    for (const [index, writer] of WRITERS.entries()) {
      const { acknowledged, code, stderr } = ended[index]!
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      // Each in its own order, every one where it was said to be.
      expect(acknowledged.map(({ externalId }) => externalId)).toEqual(
        Array.from({ length: MESSAGES }, (_, place) => `${writer}-${place + 1}`),
      )
      for (const { externalId, seq } of acknowledged) expect(messages[seq - 1]!.externalId).toBe(externalId)
      expect(Math.max(...acknowledged.map(({ waited }) => waited))).toBeLessThan(MAX_WAIT_MS)
    }
    await here.remove()
  },
)

test.each(Object.entries(PLACES))(
  '%s: the same ids from two processes at once are stored once',
  async (_, place) => {
    const here = place()
    await (await here.open()).close()
    const writers = [1, 2].map(() =>
      startWriter({ address: here.address, writer: 'same', messages: MESSAGES }),
    )
    const [one, two] = await Promise.all(writers.map(writer => writer.ended))
    expect(one!.stderr + two!.stderr).toBe('')
    const seqs = (ended: typeof one) => ended!.acknowledged.map(({ externalId, seq }) => [externalId, seq])
    expect(seqs(one)).toEqual(seqs(two))
    expect(new Set(seqs(one).map(([, seq]) => seq)).size).toBe(MESSAGES)
    await here.remove()
  },
)
