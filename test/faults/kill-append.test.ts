import { expect, test } from 'vitest'
import type { Message } from '../../packages/palimpsest/src/log/index.ts'
import { stride } from '../runs.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { type Acknowledgement, startWriter } from './children.ts'

const MESSAGES = 2
const STRIDE = stride(3, 1)

async function readAll(place: StorePlace): Promise<readonly Message[]> {
  const store = await place.open()
  try {
    return await store.log.readMessages(
      { namespace: 'default', id: 'shared' },
      { limit: 10_000, from: 'oldest' },
    )
  } finally {
    await store.close()
  }
}

function expectAcknowledged(messages: readonly Message[], acknowledged: readonly Acknowledgement[]): void {
  expect(messages.map(message => message.seq)).toEqual(messages.map((_, index) => index + 1))
  expect(new Set(messages.map(message => message.externalId)).size).toBe(messages.length)
  for (const { externalId, seq } of acknowledged)
    expect(messages[seq - 1]).toMatchObject({ externalId, content: `from ${externalId}` })
}

/** Dies at step 3, 6, 9 …, in a long run at each, until a step comes that is never reached. */
async function dieAtEveryStep(place: StorePlace): Promise<number> {
  for (let dieAt = STRIDE; ; dieAt += STRIDE) {
    const writer = `w${dieAt}`
    const { acknowledged, signal, stderr } = await startWriter({
      address: place.address,
      writer,
      messages: MESSAGES,
      dieAt,
    }).ended
    const messages = await readAll(place)
    expectAcknowledged(messages, acknowledged)
    const own = messages.filter(message => message.externalId!.startsWith(`${writer}-`))
    // At most the one that was committed but not yet acknowledged.
    expect(own.length - acknowledged.length).toBeOneOf([0, 1])
    if (signal === null) {
      expect(stderr).toBe('')
      expect(own).toHaveLength(MESSAGES)
      return dieAt - STRIDE
    }
  }
}

test.each(Object.entries(PLACES))(
  '%s: kill -9 at every step of an append loses and doubles nothing',
  async (_, place) => {
    const here = place()
    await (await here.open()).close()
    const steps = await dieAtEveryStep(here)
    expect(steps).toBeGreaterThan(MESSAGES * 5)
    // Whoever comes after repeats what was not acknowledged, and all is there once.
    const { acknowledged } = await startWriter({ address: here.address, writer: 'w3', messages: 5 }).ended
    expect(acknowledged).toHaveLength(5)
    expectAcknowledged(await readAll(here), acknowledged)
    await here.remove()
  },
)

test.each(Object.entries(PLACES))('%s: kill -9 at any moment loses and doubles nothing', async (_, place) => {
  const here = place()
  await (await here.open()).close()
  for (let round = 1; round <= 4; round++) {
    const writer = startWriter({ address: here.address, writer: `r${round}`, messages: 100_000 })
    // Once some were stored: then in the middle of whatever it is doing.
    const before = (await readAll(here)).length
    while ((await readAll(here)).length < before + 5 * round)
      await new Promise(resolve => setImmediate(resolve))
    writer.kill()
    const { acknowledged, signal } = await writer.ended
    expect(signal).toBe('SIGKILL')
    expectAcknowledged(await readAll(here), acknowledged)
  }
  await here.remove()
})
