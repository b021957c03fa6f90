import { expect, test } from 'vitest'
import { count, createPalimpsest, type Palimpsest, window } from '../../packages/palimpsest/src/index.ts'
import type { SessionKey } from '../../packages/palimpsest/src/store/index.ts'
import { messages, scripted } from '../folding-kit.ts'
import { Crowd, HeldSummarizer, POLICY, say } from './kit.ts'

const segments = async (server: Palimpsest, id: string) => (await server.session(id).info())!.segments

test('however many appends, a session has one job, and a trigger during the fold is part of it', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const [server, other] = [await crowd.server(), await crowd.server()]
  const sayMuch = async (from: number, to: number) => {
    for (let next = from; next < to; next += 4)
      await Promise.all([say(server, 'a', next, next + 1), say(other, 'a', next + 2, next + 3)])
  }
  await sayMuch(1, 40)
  expect(await place.openJobs()).toMatchObject([{ session: 'a', state: 'created' }])
  const held = new HeldSummarizer()
  await crowd.worker({ summarizer: held.summarizer })
  await expect.poll(() => held.calls).toBe(1)
  await sayMuch(41, 80)
  // As once a minute: what is pending gets a job, unless it has one.
  const store = await place.open()
  await store.jobs.enqueuePending({ after: null, limit: 100 })
  await store.close()
  expect(await place.openJobs()).toMatchObject([{ session: 'a', state: 'active' }])
  held.release()
  await expect.poll(() => place.openJobs()).toEqual([])
  expect(await server.session('a').info()).toMatchObject({
    pending: false,
    compactedThrough: 78,
    segments: 2,
  })
  expect(held.calls).toBe(2)
  expect(await place.jobs()).toHaveLength(1)
})

test('a slow fold with a trigger behind it keeps no worker from the others', async () => {
  await using crowd = await Crowd.gather()
  const server = await crowd.server()
  const [slow, quick] = [new HeldSummarizer(), scripted()]
  let isFirst = true
  const summarizer: typeof quick.summarizer = {
    ...quick.summarizer,
    summarize: request => {
      const asked = isFirst ? slow.summarizer : quick.summarizer
      isFirst = false
      return asked.summarize(request)
    },
  }
  await crowd.worker({ summarizer })
  await say(server, 'slow', 1, 11)
  await expect.poll(() => slow.calls).toBe(1)
  await say(server, 'slow', 12, 30)
  for (const id of ['one', 'two', 'three']) await say(server, id, 1, 11)
  for (const id of ['one', 'two', 'three']) await expect.poll(() => segments(server, id)).toBe(1)
  expect(await segments(server, 'slow')).toBe(0)
  slow.release()
  await expect.poll(() => segments(server, 'slow')).toBe(2)
})

test('no trigger falls between the last look and the end of a job', async () => {
  await using crowd = await Crowd.gather()
  const server = await crowd.server()
  const { worker } = await crowd.worker({ summarizer: scripted().summarizer })
  expect(worker).toBeDefined()
  // Each round's trigger comes about when the job of the round before ends.
  for (let from = 1; from <= 270; from += 9) {
    await say(server, 'a', from, from + 8)
    if (from > 1) await expect.poll(() => segments(server, 'a'), { interval: 5 }).toBe((from - 1) / 9)
  }
  await expect.poll(() => crowd.place.openJobs()).toEqual([])
  expect(await server.session('a').info()).toMatchObject({ pending: false })
})

test('an append that is undone leaves no job', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const server = await crowd.server()
  await say(server, 'a', 1, 5)
  // The commit itself fails: everything before it was done.
  await place.query(`CREATE FUNCTION ${place.schema}.refuse() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)
  await place.query(`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON ${place.schema}.messages
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${place.schema}.refuse()`)
  await expect(say(server, 'a', 6, 12)).rejects.toThrow('refused')
  expect(await place.jobs()).toEqual([])
  expect(await server.session('a').info()).toMatchObject({ messages: 5, pending: false })
  await place.query(`DROP TRIGGER refuse ON ${place.schema}.messages`)
  await say(server, 'a', 6, 12)
  expect(await place.jobs()).toMatchObject([{ session: 'a', state: 'created' }])
})

test('what comes in from a file, or of many namespaces, gets its job like anything else', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const quiet = await crowd.server({ policy: count({ threshold: 1_000, keepLast: 2 }) })
  await say(quiet, 'a', 1, 20)
  const server = await crowd.server()
  await server.import(await quiet.session('a').export(), { id: 'b' })
  expect(await place.openJobs()).toMatchObject([{ session: 'b' }])
  // In the order of the database and in that of JavaScript: not the same.
  const names = ['a', 'Ab', 'Z', 'é', '\uFF5E', '\u{1F34B}']
  for (const namespace of names) {
    const each = await createPalimpsest({
      store: await place.open(),
      policy: POLICY,
      namespace,
      folding: 'queue',
    })
    await say(each, 'c', 1, 11)
    await each.close()
  }
  await place.query(`DELETE FROM ${place.schema}_jobs.job WHERE name = 'folds'`)
  const store = await place.open()
  crowd.onClose(() => store.close())
  let after: SessionKey | null = null
  do after = await store.jobs.enqueuePending({ after, limit: 1 })
  while (after !== null)
  const found = (await place.openJobs()).map(({ namespace }) => namespace)
  expect(found.toSorted()).toEqual(['default', ...names].toSorted())
})

test('a policy for one append that folds later makes no job of it', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const server = await crowd.server()
  const chat = server.session('a')
  const later = count({ threshold: 1_000, keepLast: 2 })
  const { decision } = await chat.append(messages(1, 20), { policy: later })
  expect(decision).toBeNull()
  expect(await chat.compact({ policy: later })).toMatchObject({ outcome: 'skipped' })
  expect(await place.jobs()).toEqual([])
  expect(await chat.info()).toMatchObject({ pending: false, compactedThrough: 0 })
  await say(server, 'a', 21, 21)
  expect(await place.openJobs()).toMatchObject([{ session: 'a' }])
})

test('a silent session is folded by the sweep, once; a lost job is found by it', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  let ahead = 0
  const clock = () => Date.now() + ahead
  const policy = window({
    contextSize: 75,
    tailKeepSize: 2,
    compressionWindowSize: 12,
    compressionCooldownSec: 900,
  })
  const summaries = scripted()
  const server = await crowd.server({ policy, clock })
  const work = { policy, clock, summarizer: summaries.summarizer }
  const first = await crowd.worker(work, { clock })
  await say(server, 'a', 1, 14)
  await expect.poll(() => segments(server, 'a')).toBe(1)
  await say(server, 'a', 15, 20)
  await expect.poll(() => place.openJobs()).toEqual([])
  expect(await server.session('a').info()).toMatchObject({ pending: false, segments: 1 })
  // Nobody says anything any more; two look at once.
  ahead = 1_000_000
  const second = await crowd.worker(work, { clock })
  await Promise.all([first.worker.sweep(), second.worker.sweep()])
  await expect.poll(() => segments(server, 'a')).toBe(2)
  await expect.poll(() => place.openJobs()).toEqual([])
  await Promise.all([first.worker.sweep(), second.worker.sweep()])
  expect(await place.openJobs()).toEqual([])
  expect(summaries.summaries).toHaveLength(2)

  await Promise.all([first.close(), second.close()])
  await say(server, 'lost', 1, 20)
  await place.query(`DELETE FROM ${place.schema}_jobs.job WHERE name = 'folds'`)
  await say(server, 'lost', 21, 22)
  expect(await place.openJobs()).toEqual([])
  // At its start, and once a minute.
  await crowd.worker(work, { clock })
  await expect.poll(() => segments(server, 'lost')).toBe(1)
})

test('a due time from a clock that was a month ahead becomes a job, once', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  await say(await crowd.server(), 'a', 1, 3)
  const now = Date.now()
  await place.query(`UPDATE ${place.schema}.sessions SET due_at = ${now + 30 * 86_400_000}`)
  const store = await place.open()
  crowd.onClose(() => store.close())
  expect(await store.jobs.enqueueDue({ now, limit: 10 })).toBe(1)
  expect(await place.openJobs()).toMatchObject([{ session: 'a' }])
  expect(await store.jobs.enqueueDue({ now, limit: 10 })).toBe(0)
})

test('namespaces with the same session ids do not mix, and the job of a server that is gone is done', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const [one, other] = [await crowd.server({ namespace: 'one' }), await crowd.server({ namespace: 'other' })]
  for (const server of [one, other]) await say(server, 'same', 1, 11)
  expect(await place.openJobs()).toMatchObject([{ namespace: 'one' }, { namespace: 'other' }])
  await say(one, 'only', 1, 11)
  await one.close()
  await crowd.worker({ summarizer: scripted().summarizer })
  await expect.poll(() => place.openJobs()).toEqual([])
  expect(await other.session('same').info()).toMatchObject({ segments: 1, compactedThrough: 9 })
  expect(await other.session('only').info()).toBeNull()
  const again = await crowd.server({ namespace: 'one' })
  for (const id of ['same', 'only'])
    expect(await again.session(id).info()).toMatchObject({ segments: 1, compactedThrough: 9 })
})

test('a worker that stops gives back what it has at once, and what it had begun is no failure', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const server = await crowd.server()
  const held = new HeldSummarizer()
  const { close, errors } = await crowd.worker({ summarizer: held.summarizer }, { stopMs: 50 })
  await say(server, 'a', 1, 11)
  await expect.poll(() => held.calls).toBe(1)
  await close()
  expect(errors).toEqual([])
  expect(await place.openJobs()).toMatchObject([{ session: 'a', state: 'created', tries: 0 }])
  expect(await server.session('a').info()).toMatchObject({ segments: 0, pending: true, lastOutcome: null })
  await crowd.worker({ summarizer: scripted().summarizer })
  await expect.poll(() => segments(server, 'a')).toBe(1)
})
