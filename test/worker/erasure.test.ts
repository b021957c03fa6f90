import { expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/index.ts'
import { keyOfJob } from '../../packages/palimpsest/src/store/postgres/boss.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { runHere } from '../cli/run.ts'
import { messages, scripted } from '../folding-kit.ts'
import { Crowd, HeldSummarizer, POLICY, say } from './kit.ts'
import type { TestPlace } from './queue-place.ts'

const ANN = 'ann-7f3a91'
const CHAT = `telegram:${ANN}`
const WORDS = 'zebra-5c1d77'
const SOON = { timeout: 30_000 }
const FORCED = { type: 'lite', reason: 'force', severity: 1000, meta: {} } as const

/** Every column of every job, whatever its state. */
async function toldByJobs({ query, schema }: TestPlace): Promise<string> {
  return JSON.stringify(await query(`SELECT row_to_json(j) FROM ${schema}_jobs.job j`))
}

async function anns(crowd: Crowd, id = CHAT): Promise<void> {
  const server = await crowd.server()
  await server.session(id, { user: ANN }).append(messages(1, 11))
}

const TARGETS = [
  { kind: 'session', sessionId: CHAT },
  { kind: 'person', id: ANN },
  { kind: 'namespace' },
] as const

/** A program that fills no queue takes jobs along as well: the command line, or a service that folds by itself. */
async function forget(place: TestPlace, target: (typeof TARGETS)[number]): Promise<void> {
  const isQueued = target.kind === 'session'
  const store = isQueued ? await place.open() : postgres(place.url, { schema: place.schema })
  await using palimpsest = await createPalimpsest({ store, policy: POLICY, folding: 'manual' })
  await palimpsest.forget(target)
}

test.for(TARGETS)('jobs that wait, are done or were given up go with what is erased: $kind', async target => {
  await using crowd = await Crowd.gather({ retryLimit: 0, retryDelay: 1 })
  const { place } = crowd
  const worker = await crowd.worker({ summarizer: scripted({}).summarizer })
  await anns(crowd)
  await expect.poll(() => place.jobs(), SOON).toMatchObject([{ state: 'completed' }])
  await worker.close()
  const failing = await crowd.worker({
    summarizer: scripted({ summarize: () => new Error('no') }).summarizer,
  })
  await anns(crowd)
  await expect.poll(() => place.jobs('dead-folds'), SOON).toHaveLength(1)
  await failing.close()
  const store = await place.open()
  crowd.onClose(() => store.close())
  await store.schedule.setPending({ namespace: 'default', id: CHAT }, FORCED)
  expect((await place.jobs()).map(({ state }) => state)).toContain('created')
  await forget(place, target)
  const told = await toldByJobs(place)
  expect(told).not.toContain(ANN)
  expect(told).not.toContain(keyOfJob({ namespace: 'default', id: CHAT }))
})

test('jobs of a namespace go with its first sessions, and what comes meanwhile goes with its last', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const server = await crowd.server()
  // More than are hidden at a time.
  for (let each = 1; each <= 12; each++) await say(server, `${ANN}-${each}`, 1, 11)
  expect(await place.jobs()).toHaveLength(12)
  const store = await place.open()
  crowd.onClose(() => store.close())
  const now = Date.now()
  const { id } = await store.erasure.beginErasure('default', { target: { kind: 'namespace' }, now })
  const goOn = () => store.erasure.continueErasure('default', { id, now })
  expect((await goOn()).stage).toBe('erasing')
  expect(await toldByJobs(place)).not.toContain(ANN)
  await store.schedule.setPending({ namespace: 'default', id: `${ANN}-12` }, FORCED)
  expect(await place.jobs()).toHaveLength(1)
  while ((await goOn()).stage === 'erasing');
  expect(await toldByJobs(place)).not.toContain(ANN)
})

test.for(TARGETS)('a job that is under way ends quietly when its session is erased: $kind', async target => {
  await using crowd = await Crowd.gather({ retryLimit: 0, retryDelay: 1 })
  const { place } = crowd
  const held = new HeldSummarizer()
  const { errors } = await crowd.worker({ summarizer: held.summarizer })
  await anns(crowd)
  await expect.poll(() => held.calls, SOON).toBe(1)
  await forget(place, target)
  expect(await toldByJobs(place)).not.toContain(ANN)
  held.release()
  // Another one's is carried out after it, by the same worker.
  const server = await crowd.server()
  await say(server, 'bob', 1, 11)
  await expect.poll(async () => (await server.session('bob').info())!.segments, SOON).toBe(1)
  expect(await toldByJobs(place)).not.toContain(ANN)
  expect(errors).toEqual([])
  expect(await server.session(CHAT).info()).toBeNull()
})

test('no job says what a summariser said, whatever it throws', async () => {
  await using crowd = await Crowd.gather({ retryLimit: 1, retryDelay: 1 })
  const { place } = crowd
  const thrown = [
    new Error(`cannot summarise "${WORDS}"`),
    Object.assign(new Error('no'), { reason: WORDS, name: WORDS, cause: WORDS, [WORDS]: WORDS }),
    Object.assign(new TypeError(WORDS), { stack: WORDS, code: WORDS }),
  ]
  let calls = 0
  let ahead = 0
  const { summarizer } = scripted({ summarize: () => thrown[calls++ % thrown.length]! })
  const { errors } = await crowd.worker({
    summarizer,
    clock: () => Date.now() + ahead,
    onFold: () => {
      ahead += 3_600_000
    },
  })
  const server = await crowd.server()
  for (const id of ['a', 'b', 'c']) await say(server, id, 1, 11)
  await expect.poll(() => place.jobs('dead-folds'), SOON).toHaveLength(3)
  const told = await toldByJobs(place)
  expect(told).not.toContain(WORDS)
  expect(told).toContain('the last fold failed: ')
  // Nor where the code lies on the machine.
  expect(told).not.toMatch(/\.[jt]s:\d/)
  expect(errors.join()).not.toContain(WORDS)
})

test('no job says what was thrown before anything could be folded', async () => {
  await using crowd = await Crowd.gather({ retryLimit: 0, retryDelay: 1 })
  const { place } = crowd
  const { errors } = await crowd.worker({}, { instanceOf: () => Promise.reject(new Error(WORDS)) })
  await say(await crowd.server(), 'a', 1, 11)
  await expect.poll(() => place.jobs('dead-folds'), SOON).toHaveLength(1)
  const told = await toldByJobs(place)
  expect(told).not.toContain(WORDS)
  expect(told).toContain('the job failed: unexpected')
  expect(errors).toHaveLength(1)
})

/** As the version before this one left them. */
async function leaveOld({ query, schema }: TestPlace, name: string, id: string): Promise<void> {
  const output = { name: 'Error', message: `the last fold failed: cannot summarise ${WORDS}`, stack: WORDS }
  await query(
    `INSERT INTO ${schema}_jobs.job (name, data, singleton_key, policy, retry_limit, output, source_output)
     VALUES ($1, $2, $3, $4, 0, $5, $5)`,
    [
      name,
      { namespace: 'default', id },
      name === 'folds' ? keyOfJob({ namespace: 'default', id }) : null,
      name === 'folds' ? 'exclusive' : 'standard',
      output,
    ],
  )
}

test('what an earlier version left of sessions that are gone is told by nobody, and goes', async () => {
  await using crowd = await Crowd.gatherApart({ retryLimit: 0, retryDelay: 1 })
  const { place } = crowd
  const server = await crowd.server()
  await say(server, 'bob', 1, 3)
  await leaveOld(place, 'dead-folds', CHAT)
  await leaveOld(place, 'folds', CHAT)
  await leaveOld(place, 'dead-folds', 'bob')
  const doctor = () => runHere(['doctor', '--store', place.url])
  const { stdout, stderr } = await doctor()
  expect(stdout + stderr).toContain('1 given up')
  expect(stdout + stderr).not.toContain(ANN)
  expect(stdout + stderr).not.toContain(WORDS)
  const { errors } = await crowd.worker()
  await expect.poll(() => toldByJobs(place), SOON).not.toContain(ANN)
  expect(errors).toEqual([])
  expect(await server.session(CHAT).info()).toBeNull()

  // What it had stored of a summariser's words goes with the first erasure, also of a single message.
  expect(await toldByJobs(place)).toContain(WORDS)
  await server.forget({ kind: 'messages', sessionId: 'bob', seqs: [1] })
  expect(await toldByJobs(place)).not.toContain(WORDS)
  expect(await place.jobs('dead-folds')).toMatchObject([{ session: 'bob' }])
})

test('a fold that fails after an erasure leaves no word of what was erased', async () => {
  await using crowd = await Crowd.gather({ retryLimit: 0, retryDelay: 1 })
  const { place } = crowd
  const gate = Promise.withResolvers<void>()
  const { summarizer, summaries } = scripted({
    summarize: () => gate.promise.then(() => new Error(`cannot summarise ${WORDS}`) as never),
  })
  await crowd.worker({ summarizer })
  const server = await crowd.server()
  await say(server, 'a', 1, 11)
  await expect.poll(() => summaries.length, SOON).toBe(1)
  await server.forget({ kind: 'messages', sessionId: 'a', seqs: [1] })
  gate.resolve()
  await expect.poll(async () => (await server.session('a').info())!.folding, SOON).toBe(false)
  expect(JSON.stringify(await server.session('a').info())).not.toContain(WORDS)
  expect(await toldByJobs(place)).not.toContain(WORDS)
})
