import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { type Policy, presetFromSettings } from '../../packages/palimpsest/src/policy/index.ts'
import { runs } from '../runs.ts'
import { PLACES } from '../stores.ts'
import { openClient, talk } from './client.ts'

/** A is 4 and B is 3: at seven rounds the first three are folded. */
const ROUNDS = { policy: 'rounds' }
const MORE = { fullContextTurns: 20, cachedContextTurns: 20 }
const FEWER = { fullContextTurns: 1, cachedContextTurns: 1 }

describe.each(Object.entries(PLACES))('on %s', (_, newPlace) => {
  const place = newPlace()
  afterAll(() => place.remove())

  test('a request that raises A and B folds nothing and leaves nothing pending', async () => {
    await using client = await openClient(place, { environment: ROUNDS })
    const session = '/v1/sessions/more'
    const first = await client.call('POST', `${session}/messages`, { messages: talk(14), ...MORE })
    expect(first.json.decision).toBeNull()
    expect((await client.call('GET', session)).json).toMatchObject({ pending: false })
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({ pending: false, compactedThrough: 0 })
    const again = await client.call('POST', `${session}/messages`, { messages: talk(2), ...MORE })
    expect(again.json.decision).toBeNull()
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({ pending: false, compactedThrough: 0 })
    // The next one is judged by A and B as they are set.
    const plain = await client.call('POST', `${session}/messages`, { messages: talk(2) })
    expect(plain.json.decision).toMatchObject({ reason: 'rounds' })
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({ compactedThroughTurn: 3 })
  })

  test('so does one with an idempotency key, and a fold that is asked for', async () => {
    await using client = await openClient(place, { environment: ROUNDS })
    const session = '/v1/sessions/once'
    const body = { messages: talk(14), ...MORE }
    const first = await client.call('POST', `${session}/messages`, body, { 'idempotency-key': 'k1' })
    expect(first.json.decision).toBeNull()
    const fold = await client.call('POST', `${session}/compact`, MORE)
    expect(fold.json).toMatchObject({ outcome: 'skipped' })
    const shown = await client.call('POST', `${session}/context`, MORE)
    expect(shown.status).toBe(200)
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({ pending: false, compactedThrough: 0 })
  })

  test('a reply of the OpenAI drop-in is judged by its request, too', async () => {
    await using client = await openClient(place, { environment: ROUNDS })
    const session = '/v1/sessions/completions'
    const asked = { model: 'any', user: 'completions', ...MORE }
    for (let round = 1; round <= 8; round++) {
      const messages = [{ role: 'user', content: `question ${round} about the lemons of Porto` }]
      const headers = { 'x-palimpsest-session': 'completions', 'x-palimpsest-history': 'new' }
      expect(
        (await client.call('POST', '/v1/chat/completions', { ...asked, messages }, headers)).status,
      ).toBe(200)
    }
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({
      turns: 8,
      pending: false,
      compactedThrough: 0,
    })
  })

  test('one that lowers A and B folds by them, and the next one does not', async () => {
    await using client = await openClient(place, { environment: ROUNDS })
    const session = '/v1/sessions/fewer'
    const first = await client.call('POST', `${session}/messages`, { messages: talk(6), ...FEWER })
    expect(first.json.decision).toMatchObject({ reason: 'rounds' })
    await client.settled()
    const folded = (await client.call('GET', session)).json
    expect(folded).toMatchObject({ pending: false, compactedThroughTurn: 1 })
    const next = await client.call('POST', `${session}/messages`, { messages: talk(2) })
    expect(next.json.decision).toBeNull()
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({
      pending: false,
      compactedThroughTurn: 1,
    })
  })

  test('whatever policy a request asks for: without a decision of its own nothing is pending or due by it', async () => {
    const settings = fc.constantFrom<Policy>(
      presetFromSettings('rounds', { fullContextTurns: 1, cachedContextTurns: 2 }),
      presetFromSettings('rounds', { fullContextTurns: 30, cachedContextTurns: 30 }),
      presetFromSettings('count', { threshold: 3, keepLast: 1 }),
      presetFromSettings('window', { contextSize: 9, tailKeepSize: 2, compressionWindowSize: 3 }),
      presetFromSettings('tokens', { budget: 400, idleSec: 5 }),
      presetFromSettings('resize', { everyNTurns: 4 }),
    )
    const step = fc.record({ policy: fc.option(settings), messages: fc.integer({ min: 1, max: 5 }) })
    const store = await place.open()
    let count = 0
    try {
      await fc.assert(
        fc.asyncProperty(settings, fc.array(step, { maxLength: 8 }), async (policy, steps) => {
          const namespaces = [`property-${++count}`, `plain-${count}`] as const
          const rest = { store, policy, clock: () => 1_000_000, folding: 'manual', indexing: 'off' } as const
          const sessions = await Promise.all(
            namespaces.map(async namespace =>
              (await createPalimpsest({ ...rest, namespace })).session('chat'),
            ),
          )
          const [chat, plain] = [sessions[0]!, sessions[1]!]
          let isDecided = false
          for (const { policy, messages } of steps) {
            const said = talk(messages, 2).map(({ role, text }) => ({ role, content: text })) as never
            const { decision } = await chat.append(said, policy ? { policy } : {})
            await plain.append(said)
            isDecided ||= decision !== null
            expect((await chat.info())!.pending).toBe(isDecided)
            await chat.compact({ policy: presetFromSettings('count', { threshold: 1_000 }) })
            expect((await chat.info())!.pending).toBe(isDecided)
          }
          // When it is due the configured policy alone has said, as in the session where no other was ever asked.
          const [due, asUsual] = await Promise.all(
            namespaces.map(name => store.schedule.nextDueAt(name, 'judging')),
          )
          expect(due).toBe(asUsual)
        }),
        { numRuns: runs(12, 30) },
      )
    } finally {
      await store.close()
    }
  })
})
