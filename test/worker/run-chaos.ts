/**
 * The whole simulation, by hand: node test/worker/run-chaos.ts [--appends 50000] [--seed 1]
 */
import { parseArgs } from 'node:util'
import { stopSignal } from '../../packages/cli/src/stop-signal.ts'
import { chaos } from './chaos.ts'

const { values } = parseArgs({
  options: {
    appends: { type: 'string', default: '50000' },
    sessions: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '30' },
  },
})
const log = (text: string) => process.stderr.write(`${text}\n`)
log(`seed ${values.seed}`)
const report = await chaos({
  seed: Number(values.seed),
  servers: 3,
  workers: 4,
  sessions: Number(values.sessions),
  appends: Number(values.appends),
  talkers: 50,
  killEveryMs: 1_000,
  restarts: 2,
  modelMs: 100,
  longestMs: Number(values.minutes) * 60_000,
  signal: stopSignal().signal,
  log,
})
process.stdout.write(`${JSON.stringify({ seed: Number(values.seed), ...report }, null, 2)}\n`)
process.exitCode = report.problems.length === 0 ? 0 : 1
