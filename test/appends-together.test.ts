import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PalimpsestError } from '../packages/palimpsest/src/errors.ts'
import { count, type Policy, resize, tokens } from '../packages/palimpsest/src/policy/index.ts'
import type {
  AppendReceipt,
  AppendRequest,
  MeasuredMessage,
  Store,
} from '../packages/palimpsest/src/store/index.ts'
import { runs } from './runs.ts'
import { sizeOf } from './store-model.ts'
import { postgresPlace, sqlitePlace } from './stores.ts'

const POLICIES: readonly Policy[] = [
  count({ threshold: 3, keepLast: 1 }),
  resize({ maxMessagesTextLength: 60, maxKeepMessagesCount: 4, everyNTurns: 3 }),
  tokens({ budget: 120, lowWater: 0.4 }),
]
const TEXTS = [
  'hi',
  'on Friday?',
  '周五发布吗 🎉',
  "'; DROP TABLE messages; --",
  'nul \0 and \ud800 alone',
  '{"p1": 1}',
]
const NAMES = [...Array.from({ length: 9 }, (_, index) => `chat ${index}`), '群聊 "a\\b"', 'x'.repeat(300)]

const draft = fc.record({
  role: fc.constantFrom('user' as const, 'user' as const, 'assistant' as const),
  text: fc.constantFrom(...TEXTS),
  // Few, and without regard to the text: repeats and conflicts.
  externalId: fc.option(
    fc.integer({ min: 0, max: 5 }).map(id => `m${id}`),
    { freq: 2 },
  ),
  sender: fc.option(fc.integer({ min: 0, max: 4 }).map(id => ({ id: `user ${id}` }))),
})
const call = fc.record({
  session: fc.constantFrom(...NAMES),
  drafts: fc.array(draft, { maxLength: 3 }),
  awaits: fc.boolean(),
  replaces: fc.constantFrom(true, false, false, false),
})
/** What is called in one go; then the next. */
const waves = fc.array(fc.array(call, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 4 })
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never

const places = [sqlitePlace(), postgresPlace()] as const
let oneByOne: Store
let together: Store

beforeAll(async () => {
  oneByOne = await places[0].open()
  together = await places[1].open()
})

afterAll(async () => {
  await oneByOne.close()
  await together.close()
  for (const place of places) await place.remove()
})

test('appends of many sessions at once do what the same appends do one by one', async () => {
  await fc.assert(
    fc.asyncProperty(waves, fc.constantFrom(...POLICIES), async (waves, policy) => {
      const namespace = randomUUID()
      let now = Date.UTC(2026, 0, 1)
      for (const calls of waves) {
        now += 1000
        const requests = calls.map(call => requestOf(call, { namespace, policy, now }))
        const expected: unknown[] = []
        for (const request of requests) expected.push(await outcomeOf(append(oneByOne, request)))
        const seen = await Promise.all(requests.map(request => outcomeOf(append(together, request))))
        expect(seen).toEqual(expected)
      }
      for (const id of NAMES) {
        const [a, b] = [
          await stateOf(together, { namespace, id }),
          await stateOf(oneByOne, { namespace, id }),
        ]
        expect(a).toEqual(b)
      }
    }),
    { numRuns: runs(10, 60) },
  )
})

type Request = { readonly append: AppendRequest; readonly replaces: boolean }

function append(store: Store, { append, replaces }: Request): Promise<AppendReceipt> {
  return replaces
    ? store.log.replaceTail({ ...append, expected: [], operation: null })
    : store.log.append(append)
}

function requestOf(
  { session, drafts, awaits, replaces }: Call,
  common: { namespace: string; policy: Policy; now: number },
): Request {
  const { namespace, policy, now } = common
  return {
    replaces,
    append: {
      key: { namespace, id: session },
      traits: { kind: 'private', user: null, scope: null },
      messages: drafts.map(messageOf),
      policy,
      groupTurnMessages: 12,
      ...(awaits && !replaces && { awaits: { burst: '1', address: { chat: 1 } } }),
      now,
    },
  }
}

function messageOf({ role, text, externalId, sender }: Draft): MeasuredMessage {
  return { role, content: text, externalId, sender, at: null, zone: null, replyTo: null, size: sizeOf(text) }
}

/** Without the number of the session, which is given in the order in which sessions are made. */
async function outcomeOf(done: Promise<AppendReceipt>): Promise<unknown> {
  try {
    const { session, ...receipt } = await done
    return { ...receipt, epoch: session.epoch }
  } catch (error) {
    if (PalimpsestError.isInstance(error)) return error.code
    throw error
  }
}

async function stateOf(store: Store, key: { namespace: string; id: string }) {
  const record = await store.sessions.readSession(key)
  return record && { record: { ...record, number: 0 }, file: await store.transfer.exportSession(key) }
}
