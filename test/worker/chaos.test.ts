import { expect, test } from 'vitest'
import { chaos } from './chaos.ts'

/** A small one; the whole one is `node test/worker/run-chaos.ts`. Another seed: PALIMPSEST_CHAOS_SEED. */
const seed = Number(process.env['PALIMPSEST_CHAOS_SEED'] ?? 1)

test(`processes are killed and PostgreSQL is restarted: nothing is lost, nothing is twice (seed ${seed})`, async () => {
  const report = await chaos({
    seed,
    servers: 2,
    workers: 2,
    sessions: 20,
    appends: 1_000,
    talkers: 10,
    killEveryMs: 1_000,
    restarts: 1,
    modelMs: 50,
    longestMs: 180_000,
  })
  expect(report.problems, `seed ${seed}: ${JSON.stringify(report)}`).toEqual([])
  expect(report.appends).toBe(1_000)
  expect(report.folds).toBeGreaterThan(20)
})
