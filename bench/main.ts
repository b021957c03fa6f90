import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { appendConcurrent } from './append-concurrent.ts'
import { appendLone } from './append-lone.ts'
import { appendPostgres } from './append-postgres.ts'
import { type Benchmark, type Result, reachesAim } from './benchmark.ts'
import { bytes } from './bytes.ts'
import { context } from './context.ts'
import { Fixtures } from './fixtures.ts'
import { folding } from './folding.ts'
import { growth } from './growth.ts'
import { runGuard } from './guard.ts'
import { importing } from './import.ts'
import { inspector } from './inspector.ts'
import { memory } from './memory.ts'
import { modelTokens } from './model-tokens.ts'
import { readContext } from './read-context.ts'
import { replaying } from './replay.ts'
import { toTable } from './report.ts'
import { runtime } from './runtime.ts'
import { scale } from './scale.ts'
import { search } from './search.ts'
import { server } from './server.ts'
import { snapshot } from './snapshot.ts'
import { stalls } from './stalls.ts'
import { start } from './start.ts'
import { year } from './year.ts'

/**
 * `npm run bench -- [NAME]… [--quick | --large] [--json]`. Figures go to stdout, progress to stderr. Speeds are
 * ratios to bare work in the same run: compare those between machines, not the rates.
 *
 * `npm run bench -- guard [--quick] [--update]` compares such ratios with those in the repository.
 */
const BENCHMARKS: readonly Benchmark[] = [
  appendLone,
  appendConcurrent,
  readContext,
  context,
  folding,
  modelTokens,
  replaying,
  bytes,
  importing,
  start,
  memory,
  snapshot,
  search,
  runtime,
  server,
  inspector,
  appendPostgres,
  scale,
  stalls,
  growth,
  year,
]

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.log('npm run bench -- [NAME]… [--quick | --large] [--json]')
  console.log(`Benchmarks: ${BENCHMARKS.map(({ name }) => name).join(', ')}`)
  console.log('npm run bench -- guard [--quick] [--update] [--json]: ratios beside those in the repository')
  process.exit(0)
}
const progress = (message: string) => console.error(message)
if (positionals[0] === 'guard') process.exit(await runGuard({ ...options, progress }))
const chosen = [...options.only, ...positionals]
const unknown = chosen.find(name => !BENCHMARKS.some(benchmark => benchmark.name === name))
if (unknown !== undefined) {
  console.error(`Unknown benchmark "${unknown}". One of: ${BENCHMARKS.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

const fixtures = new Fixtures(progress)
const results: Record<string, Result> = {}
let hasFailed = false
try {
  for (const benchmark of BENCHMARKS)
    if (chosen.length === 0 ? !benchmark.onlyByName : chosen.includes(benchmark.name)) {
      const { quick, large } = options
      const result = await benchmark.run({ quick, large, fixtures, progress })
      results[benchmark.name] = result
      hasFailed ||=
        benchmark.mustReachAims === true && result.figures.some(each => reachesAim(each) === false)
    }
} finally {
  fixtures.remove()
}

if (options.json) {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: availableParallelism() }
  console.log(JSON.stringify({ machine, quick: options.quick, results }))
} else {
  console.log(toTable(results))
}
if (hasFailed) process.exitCode = 1
