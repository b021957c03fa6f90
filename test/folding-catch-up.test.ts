import { expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type Policy,
  rounds,
  type Store,
  tokens,
  window,
} from '../packages/palimpsest/src/index.ts'
import type { FoldStore } from '../packages/palimpsest/src/store/index.ts'
import { storeWith } from '../packages/palimpsest/src/store/store-with.ts'
import { sqlitePlace } from './stores.ts'

const turn = (number: number) => [
  { role: 'user' as const, content: `Question ${number}: where are the forty crates of lemons now?` },
  { role: 'assistant' as const, content: `Answer ${number}: they sail to Porto on Friday, says Ann.` },
]

/** Counts the rows that planning reads. */
function counting(store: Store) {
  const pages: number[] = []
  const readPlan: FoldStore['readPlan'] = async (...request) => {
    const source = await store.folds.readPlan(...request)
    pages.push(source?.raw.length ?? 0)
    return source
  }
  return { store: storeWith(store, { folds: { ...store.folds, readPlan } }), pages }
}

async function catchUp(policy: Policy, turns: number) {
  const place = sqlitePlace()
  const before = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  const chat = before.session('s')
  for (let from = 0; from < turns; from += 250)
    await chat.append(Array.from({ length: 250 }, (_, index) => turn(from + index + 1)).flat())
  await before.close()
  const { store, pages } = counting(await place.open())
  let folds = 0
  const palimpsest = await createPalimpsest({
    store,
    policy,
    onFold: ({ outcome }) => {
      if (outcome === 'applied') folds += 1
    },
  })
  expect(await palimpsest.settled({ timeoutMs: 200_000 })).toBe(true)
  const info = (await palimpsest.session('s').info())!
  const segments = await palimpsest.session('s').segments()
  await palimpsest.close()
  await place.remove()
  let covered = 0
  for (const { fromSeq, toSeq } of segments) {
    expect(fromSeq).toBe(covered + 1)
    covered = toSeq
  }
  expect(covered).toBe(info.compactedThrough)
  return { info, folds, pages }
}

test.each([
  ['tokens', tokens({ budget: 8000, idleSec: 0 })],
  ['count', count()],
  ['rounds', rounds()],
  ['window', window()],
])('%s: a long backlog is worked off without reading all of it again and again', async (_, policy) => {
  const turns = 10_000
  const { info, folds, pages } = await catchUp(policy, turns)
  const read = pages.reduce((sum, rows) => sum + rows, 0)
  // Every row about once, and a look ahead for each fold; all of it each time would be ten times as much.
  expect(folds).toBeGreaterThan(3)
  expect(read).toBeLessThan(2 * turns * 2.5)
  expect(Math.max(...pages)).toBeLessThanOrEqual(1024)
  expect(info.rawMessages).toBeLessThan(500)
})

test('rounds catch up to the same cursor as if they had never been behind', async () => {
  const { info, folds } = await catchUp(rounds(), 1000)
  expect(info).toMatchObject({ compactedThroughTurn: 996, compactedThrough: 1992, rawMessages: 8 })
  expect(folds).toBeLessThan(10)
})

test('a dry run tells what the fold will do', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy: count(), folding: 'manual' })
  const chat = palimpsest.session('s')
  for (let from = 0; from < 3000; from += 250)
    await chat.append(Array.from({ length: 250 }, (_, index) => turn(from + index + 1)).flat())
  const plan = await chat.plan()
  const forced = await chat.plan({ force: true })
  expect(plan?.range).toEqual(forced?.range)
  const { foldSession } = await import('../packages/palimpsest/src/compaction/fold-session.ts')
  expect(typeof foldSession).toBe('function')
  const outcome = await chat.compact()
  expect(outcome.fromSeq).toBe(plan!.range!.fromSeq)
  expect(outcome.toSeq).toBe(5990)
  expect((await chat.segments('all')).some(({ toSeq }) => toSeq === plan!.range!.toSeq)).toBe(true)
  await palimpsest.close()
  await place.remove()
})

test('a group longer than a fold is folded whole, and a call nobody answered holds up nothing', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy: count(), folding: 'manual' })
  const chat = palimpsest.session('s')
  const call = (id: string) => ({
    role: 'assistant' as const,
    content: [{ type: 'tool-call' as const, toolCallId: id, toolName: 'look' }],
  })
  await chat.append([turn(1)[0]!, call('a')])
  for (let from = 0; from < 2500; from += 250)
    await chat.append(Array.from({ length: 250 }, (_, index) => turn(from + index + 2)).flat())
  // 5,002 messages lie between the call and its result: more than one fold takes in.
  await chat.append([
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', output: 'x' }] },
    call('b'),
  ])
  for (let from = 0; from < 2500; from += 250)
    await chat.append(Array.from({ length: 250 }, (_, index) => turn(from + index + 3000)).flat())
  const outcome = await chat.compact()
  expect(outcome).toMatchObject({ outcome: 'applied', fromSeq: 1 })
  expect((await chat.info())!.rawMessages).toBe(10)
  await palimpsest.close()
  await place.remove()
})
