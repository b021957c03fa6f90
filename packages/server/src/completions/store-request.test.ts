import fc from 'fast-check'
import { MessageConflictError } from 'palimpsest/internals/errors'
import { contentText, interruptionOf } from 'palimpsest/internals/log/index'
import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { LogStore, Store } from 'palimpsest/internals/store/index'
import { storeWith } from 'palimpsest/internals/store/store-with'
import { afterEach, expect, test } from 'vitest'
import { sqlitePlace } from '../../../../test/stores.ts'
import { MARK } from './history.ts'
import type { Sent } from './read-messages.ts'
import { storeRequest } from './store-request.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(change: (store: Store) => Store = store => store): Promise<Palimpsest> {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: change(await place.open()), folding: 'manual' })
  cleanups.push(
    () => place.remove(),
    () => palimpsest.close(),
  )
  return palimpsest
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('says' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('asks again' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('edits' as const), turn: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('goes back' as const), branch: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('others speak' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('breaks off' as const) }) },
)

/** A client with a tree of conversations, as chat pages have it, that knows one name for all of it. */
test('whatever a client does with its history, the session that it is told has it, once', async () => {
  const palimpsest = await start()
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async steps => {
      runs += 1
      const named = { id: `chat ${runs}`, options: {} }
      let number = 0
      let list: readonly Sent[] = []
      const branches: (readonly Sent[])[] = []
      const ask = async (messages: readonly Sent[], isWhole = true) => {
        const answered = messages.findLastIndex(({ role }) => role === 'assistant') + 1
        const request = { named, messages, answered, history: 'whole' as const, isRetry: false }
        const session = await storeRequest(palimpsest, {
          ...request,
          policy: null,
          redact: false,
          forkKey: async () => 'k',
        })
        number += 1
        const text = `answer ${number}`
        const interrupted = isWhole ? {} : { interrupted: 'aborted' as const }
        await session.append({
          role: 'assistant',
          content: [{ type: 'text', text, ...interrupted }],
          externalId: `turn:${number}`,
        })
        list = isWhole ? [...messages, { role: 'assistant', content: text }] : messages
        if (isWhole) branches.push(list)
        const log = await session.messages({ limit: 1_000 })
        const seen = log.filter(
          ({ content, externalId }) => externalId !== null && interruptionOf(content) === null,
        )
        expect(seen.map(({ content }) => contentText(content))).toEqual(
          list.map(({ content }) => contentText(content)),
        )
      }
      const question = (): Sent => {
        number += 1
        return { role: 'user', content: `question ${number}` }
      }
      for (const each of steps)
        switch (each.type) {
          case 'says':
            await ask([...list, question()])
            break
          case 'asks again':
            if (list.length > 2 && list.at(-1)?.role === 'assistant') await ask(list.slice(0, -1))
            break
          case 'edits': {
            const places = [...list.keys()].filter(place => list[place]!.role === 'user' && place > 0)
            const place = places[each.turn % Math.max(1, places.length)]
            if (place !== undefined) await ask([...list.slice(0, place), question()])
            break
          }
          case 'goes back': {
            const branch = branches[each.branch % Math.max(1, branches.length)]
            if (branch) await ask([...branch, question()])
            break
          }
          case 'others speak':
            number += 1
            await palimpsest.session(named.id).append({ role: 'user', content: `from elsewhere ${number}` })
            break
          case 'breaks off':
            if (list.length > 0) await ask([...list, question()], false)
            break
        }
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('what another process adds at the same place is stored once, and anything else after it', async () => {
  const palimpsest = await start()
  const named = { id: 's', options: {} }
  const send = (text: string) =>
    storeRequest(palimpsest, {
      named,
      messages: [{ role: 'user', content: text }],
      answered: 0,
      history: 'new',
      isRetry: false,
      policy: null,
      redact: false,
      forkKey: async () => 'k',
    })
  await Promise.all(['one', 'one', 'two', 'three'].map(send))
  const log = await palimpsest.session('s').messages()
  expect(log.map(({ content }) => content).toSorted()).toEqual(['one', 'three', 'two'])
  expect(log.every(({ externalId }) => externalId?.startsWith(MARK))).toBe(true)
})

test('whoever is slower at every try is told to send it again', async () => {
  let tries = 0
  const append: LogStore['append'] = async ({ key }) => {
    tries += 1
    throw new MessageConflictError({ sessionId: key.id, externalId: 'x', seq: 1 })
  }
  const palimpsest = await start(store => storeWith(store, { log: { ...store.log, append } }))
  const messages = [{ role: 'user' as const, content: 'one' }]
  const request = { named: { id: 's', options: {} }, messages, answered: 0, history: 'new' as const }
  const storing = storeRequest(palimpsest, {
    ...request,
    isRetry: false,
    policy: null,
    redact: false,
    forkKey: async () => 'k',
  })
  await expect(storing).rejects.toMatchObject({
    code: 'store_busy',
    message: expect.stringContaining('send it again'),
  })
  expect(tries).toBe(20)
})
