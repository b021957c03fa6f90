import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, release, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from '../measure.ts'
import { drawCharts } from './chart.ts'
import type { Contestant } from './contestant.ts'
import { CONTESTANTS, oursBeside } from './contestants.ts'
import { type Database, startDatabase } from './database.ts'
import { toFactors } from './factors.ts'
import type { Entrant, Figures } from './figures.ts'
import { toReport } from './report.ts'
import { runSize, type SizeRun } from './run.ts'

const USAGE = `node main.ts [--quick] [--only NAME]… [--size MESSAGES]… [--json] [--out FILE] [--svg FOLDER]

Palimpsest beside others on the same work, interleaved, each in a process of its own.
Build the library first: npm run build, in the root of the repository.

  --quick         100 and 10,000 messages, fewer rounds: for a look, not for a verdict
  --only NAME     these and ours alone; may be given several times
  --size MESSAGES instead of 100, 10,000 and 100,000; may be given several times
  --json          one object to standard output instead of tables; progress goes to standard error
  --out FILE      that object into a file
  --svg FOLDER    pictures of it into a folder

Contestants: ${CONTESTANTS.map(({ name }) => name).join(', ')}`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    size: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    out: { type: 'string' },
    svg: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.log(USAGE)
  process.exit(0)
}
const unknown = options.only.find(name => !CONTESTANTS.some(contestant => contestant.name === name))
const sizes =
  options.size.length > 0 ? options.size.map(Number) : [100, 10_000, ...(options.quick ? [] : [100_000])]
if (unknown !== undefined || sizes.some(size => !Number.isInteger(size) || size < 50)) {
  console.error(unknown === undefined ? 'A size is a whole number from 50 on.' : `There is no "${unknown}".`)
  console.error(USAGE)
  process.exit(2)
}
if (!existsSync(join(import.meta.dirname, '../../dist/node_modules/palimpsest/dist/index.js'))) {
  console.error('There is no dist: run `npm run build` in the root of the repository first.')
  process.exit(2)
}

const progress = (message: string) => console.error(message)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop.abort(new Error(`Ended by ${signal}.`)))
const contestants = CONTESTANTS.filter(({ name }) => isChosen(name))
const [load = 0] = loadavg()
const database = await databaseFor(contestants)
const runs: SizeRun[] = []
try {
  for (const size of sizes)
    runs.push(
      await runSize({
        contestants,
        size,
        rounds: options.quick ? 3 : 7,
        starts: options.quick ? 3 : 5,
        database,
        progress,
        signal: stop.signal,
      }),
    )
} catch (error) {
  if (!stop.signal.aborted) throw error
  progress((error as Error).message)
  process.exitCode = 130
} finally {
  await database?.stop()
}
if (stop.signal.aborted) process.exit()

const [loadAfter = 0] = loadavg()
const startTimes = runs.flatMap(({ nodeMs }) => nodeMs ?? [])
const measured: Omit<Figures, 'factors'> = {
  date: new Date().toISOString(),
  machine: {
    node: process.version,
    cpu: cpus()[0]?.model ?? '',
    cores: availableParallelism(),
    system: `${type()} ${release()} ${arch()}`,
    load,
    loadAfter,
  },
  quick: options.quick,
  contestants: contestants.map(toEntrant),
  sizes: runs.map(({ figures }) => figures),
  nodeMs: startTimes.length === 0 ? null : median(startTimes),
}
const figures: Figures = { ...measured, factors: toFactors(measured) }
if (options.out !== undefined) writeFileSync(options.out, `${JSON.stringify(figures, rounded, 1)}\n`)
if (options.svg !== undefined) {
  mkdirSync(options.svg, { recursive: true })
  for (const { file, svg } of drawCharts(figures)) writeFileSync(join(options.svg, file), svg)
}
console.log(options.json ? JSON.stringify(figures, rounded) : toReport(figures))

/** Nobody can measure more digits than these. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value
}

/** Whoever is looked at alone is still compared with ours. */
function isChosen(name: string): boolean {
  if (options.only.length === 0 || options.only.includes(name)) return true
  return CONTESTANTS.some(
    contestant => options.only.includes(contestant.name) && oursBeside(contestant.durability) === name,
  )
}

async function databaseFor(chosen: readonly Contestant[]): Promise<Database | null> {
  if (!chosen.some(({ durability }) => durability === 'server')) return null
  progress('Starting a PostgreSQL that syncs to the disk')
  try {
    return await startDatabase()
  } catch (error) {
    progress(`There is no PostgreSQL here: ${(error as Error).message}`)
    return null
  }
}

function toEntrant({ name, label, role, durability, packages, notes }: Contestant): Entrant {
  const durabilityRead = runs.map(run => run.durability[name]).find(read => read) ?? ''
  return { name, label, role, durability, durabilityRead, versions: versionsOf(packages), notes }
}

function versionsOf(packages: readonly string[]): Record<string, string> {
  const versionOf = (name: string) => {
    const file = join(import.meta.dirname, 'node_modules', name, 'package.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  }
  return Object.fromEntries(packages.map(name => [name, versionOf(name)]))
}
