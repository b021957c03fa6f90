import { expect, test } from 'vitest'
import { runHere } from '../cli/run.ts'
import { scripted } from '../folding-kit.ts'
import { Crowd, say } from './kit.ts'

const FORCED = { type: 'lite', reason: 'force', severity: 1000, meta: {} } as const

/** A model that is down until the outage is over, and a clock that is put forward past the back-off of a failure. */
class Outage {
  isOver = false
  #aheadMs = 0
  readonly model = scripted({ summarize: () => (this.isOver ? {} : new Error('the model is down')) })
  readonly clock = () => Date.now() + this.#aheadMs

  passBackOff(): void {
    this.#aheadMs += 3_600_000
  }
}

test('what fails is tried again, then put aside; doctor shows it and puts it back', async () => {
  await using crowd = await Crowd.gatherApart({ retryLimit: 2, retryDelay: 1 })
  const { place } = crowd
  const server = await crowd.server()
  const outage = new Outage()
  const { model } = outage
  const { errors } = await crowd.worker({
    summarizer: model.summarizer,
    clock: outage.clock,
    // The session's own back-off is over whenever the queue tries again.
    onFold: ({ outcome }) => {
      if (outcome === 'failed') outage.passBackOff()
    },
  })
  await say(server, 'a', 1, 11)
  await expect.poll(() => place.jobs('dead-folds')).toMatchObject([{ session: 'a' }])
  expect(model.summaries).toHaveLength(3)
  expect(errors).toHaveLength(3)
  expect(await server.session('a').info()).toMatchObject({
    messages: 11,
    segments: 0,
    compactedThrough: 0,
    lastOutcome: { outcome: 'failed' },
  })

  const doctor = (...flags: string[]) => runHere(['doctor', '--store', place.url, ...flags])
  const shown = await doctor()
  expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('1 given up') })
  expect(shown.stdout).toMatch(/BAD +queue: [\s\S]* default a: the last fold failed: /)
  expect(JSON.parse((await doctor('--json')).stdout)).toMatchObject({
    isWell: false,
    findings: expect.arrayContaining([
      expect.objectContaining({
        what: 'queue',
        isWell: false,
        details: expect.objectContaining({ deadCount: 1 }),
      }),
    ]),
  })

  outage.isOver = true
  // The server's clock was set forward here, of which it tells as well.
  expect((await doctor('--replay')).stdout).toMatch(/^ok +queue: .*\n1 put back$/m)
  await expect.poll(async () => (await server.session('a').info())!.segments).toBe(1)
  await expect.poll(() => place.openJobs()).toEqual([])
  expect((await doctor()).stdout).toMatch(/^ok +queue: .*0 given up/m)
})

test('what was given up is forgotten once a later fold has done it', async () => {
  await using crowd = await Crowd.gather({ retryLimit: 0, retryDelay: 1 })
  const { place } = crowd
  const server = await crowd.server()
  const outage = new Outage()
  const { model } = outage
  await crowd.worker({ summarizer: model.summarizer, clock: outage.clock })
  await say(server, 'a', 1, 11)
  await say(server, 'b', 1, 11)
  await expect.poll(() => place.jobs('dead-folds')).toHaveLength(2)
  outage.isOver = true
  outage.passBackOff()
  const store = await place.open()
  crowd.onClose(() => store.close())
  await store.schedule.setPending({ namespace: 'default', id: 'a' }, FORCED)
  await expect.poll(async () => (await server.session('a').info())!.segments).toBe(1)
  await expect.poll(() => place.jobs('dead-folds')).toMatchObject([{ session: 'b' }])
})

test('in the back-off nobody is asked, and a job that waits for its end is brought forward by what cannot wait', async () => {
  await using crowd = await Crowd.gather({ retryLimit: 5, retryDelay: 300 })
  const { place } = crowd
  const server = await crowd.server()
  const outage = new Outage()
  const { model } = outage
  await crowd.worker({ summarizer: model.summarizer, clock: outage.clock })
  await say(server, 'a', 1, 11)
  await expect.poll(() => place.openJobs()).toMatchObject([{ state: 'retry' }])
  expect(model.summaries).toHaveLength(1)
  outage.isOver = true
  outage.passBackOff()
  // From outside the rules, so the back-off does not hold for it; the queue would have tried again in five minutes.
  const store = await place.open()
  crowd.onClose(() => store.close())
  await store.schedule.setPending({ namespace: 'default', id: 'a' }, FORCED)
  await expect.poll(async () => (await server.session('a').info())!.segments).toBe(1)
  expect(model.summaries).toHaveLength(2)
  await expect.poll(() => place.openJobs()).toEqual([])
})

test('workers that die again and again use up no more than their own tries', async () => {
  await using crowd = await Crowd.gather({ retryLimit: 3, retryDelay: 1 })
  const { place } = crowd
  const server = await crowd.server()
  await say(server, 'a', 1, 11)
  const table = `${place.schema}_jobs.job`
  // As if a worker had taken it and died, and the next one too, with a sweep in between.
  const store = await place.open()
  crowd.onClose(() => store.close())
  for (let death = 1; death <= 2; death += 1) {
    await place.query(`UPDATE ${table} SET state = 'retry', retry_count = $1, started_on = now()`, [death])
    await store.jobs.enqueuePending({ after: null, limit: 100 })
    expect(await place.openJobs()).toHaveLength(1)
  }
  await crowd.worker({ summarizer: scripted().summarizer })
  await expect.poll(async () => (await server.session('a').info())!.segments).toBe(1)
  await expect.poll(() => place.openJobs()).toEqual([])
  expect(await place.jobs('dead-folds')).toEqual([])
})
