import { expect, test } from 'vitest'
import { runs } from '../runs.ts'
import { chaos } from './chaos.ts'

const APPENDS = runs(300, 1_000)

/** A small one; the whole one is `node test/worker/run-chaos.ts`. Another seed: PALIMPSEST_CHAOS_SEED. */
const seed = Number(process.env['PALIMPSEST_CHAOS_SEED'] ?? 1)

test(`processes are killed and PostgreSQL is restarted: nothing is lost, nothing is twice (seed ${seed})`, async () => {
  const report = await chaos({
    seed,
    servers: 2,
    workers: 2,
    sessions: runs(10, 20),
    appends: APPENDS,
    talkers: runs(5, 10),
    killEveryMs: 1_000,
    restarts: 1,
    modelMs: 50,
    longestMs: 180_000,
  })
  expect(report.problems, `seed ${seed}: ${JSON.stringify(report)}`).toEqual([])
  expect(report.appends).toBe(APPENDS)
  expect(report.folds).toBeGreaterThan(runs(7, 20))
})
