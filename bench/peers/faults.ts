import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CONTESTANTS } from './faults/contestant.ts'
import { toDetails, toMarkdown, toTable } from './faults/report.ts'
import { FAULTS, type FaultName } from './faults/rows.ts'
import { endProbes, type Measured, runProbe } from './faults/run-probe.ts'
import { putIntoPage } from './page-part.ts'

const HELP = `npm run faults -- [--only FAULT]… [--thorough] [--json] [--markdown]

What is lost or wrong with Palimpsest and with others when things go wrong. Takes about two minutes; needs no key,
and nothing leaves this machine.

  --only FAULT   one of: ${FAULTS.join(', ')}; may be repeated
  --thorough     kills before each write of a compaction, not before seven of them; takes ten minutes
  --json         one object on standard output
  --markdown     puts the table into docs/benchmarks.md, too

Exit codes: 0; 1 where Palimpsest loses anything or gets it wrong; 2 for an option that cannot be taken.`

const AT_ONCE = 2

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    thorough: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const unknown = options.only.find(name => !FAULTS.includes(name as FaultName))
if (unknown !== undefined) {
  console.error(`Unknown fault "${unknown}". One of: ${FAULTS.join(', ')}`)
  process.exit(2)
}
if (!existsSync(new URL('../../dist/node_modules/palimpsest/dist/index.js', import.meta.url))) {
  console.error('Palimpsest is used here as its users do, from dist: run `npm run build` in the root first.')
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-faults-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endProbes()
    rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  })

const effort = options.thorough ? ('thorough' as const) : ('usual' as const)
const tasks = FAULTS.filter(fault => options.only.length === 0 || options.only.includes(fault)).flatMap(
  fault => CONTESTANTS.map(contestant => ({ contestant, fault, folder, effort })),
)
const results: Measured[] = []
try {
  // The slowest first, so that nobody waits for it alone at the end.
  const queue = [...tasks.entries()].sort(
    ([, one], [, other]) => Number(other.contestant === 'mastra') - Number(one.contestant === 'mastra'),
  )
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [place, task] = next
      results[place] = await runProbe(task)
      console.error(`${task.fault}: ${task.contestant}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
} finally {
  endProbes()
  rmSync(folder, { recursive: true, force: true })
}

if (options.json) console.log(JSON.stringify({ results }))
else console.log(`${toTable(results)}\n${toDetails(results)}`)
if (options.markdown) {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
  putIntoPage('faults', toMarkdown(results, dependencies))
}

const ours = results
  .filter(({ contestant }) => contestant === 'palimpsest')
  .flatMap(({ findings }) => findings)
const bad = ours.filter(({ verdict }) => verdict !== 'kept')
for (const { row, short, detail } of bad) console.error(`Palimpsest: ${row}: ${short}. ${detail}`)
process.exitCode = bad.length > 0 ? 1 : 0
