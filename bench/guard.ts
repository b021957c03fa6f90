import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Table from 'cli-table3'
import { appendConcurrent } from './append-concurrent.ts'
import { appendLone } from './append-lone.ts'
import { appendPostgres } from './append-postgres.ts'
import type { Benchmark } from './benchmark.ts'
import { bytes } from './bytes.ts'
import { context } from './context.ts'
import { Fixtures } from './fixtures.ts'
import { search } from './search.ts'

/** A figure that must not get worse: a ratio of two sides of one run, or a size. Never a time. */
interface Guarded {
  readonly benchmark: Benchmark
  readonly figure: string
  readonly better: 'higher' | 'lower'
  /** How many times worse than in the repository is past bearing. */
  readonly tolerance: number
  /** In the short form too, which runs with the tests, where the machine has other work. */
  readonly isShort?: true
}

/** In the short form a ratio of times may be this much worse again: what else the machine does meets one side only. */
const SHORT_TOLERANCE = 2.5
/** What is past bearing is measured again: a regression stays, a bad moment does not. */
const MAX_TRIES = 3
const FILE = join(import.meta.dirname, 'guard.json')

const GUARDED: readonly Guarded[] = [
  { benchmark: bytes, figure: 'per message', better: 'lower', tolerance: 1.05, isShort: true },
  { benchmark: appendLone, figure: 'full: ours / bare', better: 'higher', tolerance: 1.8 },
  { benchmark: appendLone, figure: 'normal: ours / bare', better: 'higher', tolerance: 1.8, isShort: true },
  {
    benchmark: appendLone,
    figure: 'normal: default policy, overdue / bare',
    better: 'higher',
    tolerance: 1.8,
    isShort: true,
  },
  {
    benchmark: appendConcurrent,
    figure: '16 callers, full / one caller, normal',
    better: 'higher',
    tolerance: 2,
  },
  {
    benchmark: context,
    figure: '8k: p50 of 100,000 / of 1,000 messages',
    better: 'lower',
    tolerance: 1.8,
    isShort: true,
  },
  { benchmark: search, figure: '20,000 messages: p50 / FTS5', better: 'lower', tolerance: 2 },
  { benchmark: search, figure: '20,000 messages: index per message', better: 'lower', tolerance: 1.1 },
  { benchmark: appendPostgres, figure: '1 at once: ours / bare', better: 'higher', tolerance: 1.8 },
  { benchmark: appendPostgres, figure: '16 at once: ours / bare', better: 'higher', tolerance: 2 },
]

interface Checked extends Omit<Guarded, 'benchmark' | 'isShort'> {
  readonly benchmark: string
  readonly known: number | null
  readonly limit: number | null
  readonly value: number
  readonly isWell: boolean
}

export interface GuardOptions {
  readonly quick: boolean
  /** Takes what is measured for what is known from now on. */
  readonly update: boolean
  readonly json: boolean
  readonly progress: (message: string) => void
}

/** The exit code: 1 where something is past bearing. */
export async function runGuard({ quick, update, json, progress }: GuardOptions): Promise<number> {
  const known = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Record<string, number>>
  const guarded = GUARDED.filter(({ isShort }) => !quick || isShort)
  const checked: Checked[] = []
  for (const [benchmark, figures] of Map.groupBy(guarded, each => each.benchmark)) {
    let latest = await measure(benchmark, figures, { known, quick, progress })
    for (let tries = 1; tries < MAX_TRIES && !update && latest.some(({ isWell }) => !isWell); tries++) {
      progress(`${benchmark.name}: once more`)
      const again = await measure(benchmark, figures, { known, quick, progress })
      latest = latest.map((each, index) => (each.isWell ? each : again[index]!))
    }
    checked.push(...latest)
  }
  if (update) {
    for (const { benchmark, figure, value } of checked)
      known[benchmark] = { ...known[benchmark], [figure]: Number(value.toPrecision(3)) }
    writeFileSync(FILE, `${JSON.stringify(known, null, 2)}\n`)
  }
  console.log(json ? JSON.stringify({ checked }) : toTable(checked))
  return update || checked.every(({ isWell }) => isWell) ? 0 : 1
}

async function measure(
  benchmark: Benchmark,
  figures: readonly Guarded[],
  options: {
    known: Record<string, Record<string, number>>
    quick: boolean
    progress: GuardOptions['progress']
  },
): Promise<readonly Checked[]> {
  const fixtures = new Fixtures(options.progress)
  try {
    // Their short form, in either case: ratios of it are good enough, and nobody waits long.
    const result = await benchmark.run({ quick: true, large: false, fixtures, progress: options.progress })
    return figures.map(({ figure, better, tolerance: usual }) => {
      const measured = result.figures.find(({ name }) => name === figure)
      if (measured === undefined) throw new Error(`${benchmark.name} has no figure "${figure}".`)
      const { value, unit } = measured
      const known = options.known[benchmark.name]?.[figure] ?? null
      const tolerance = options.quick && unit === 'ratio' ? usual * SHORT_TOLERANCE : usual
      const limit = known === null ? null : better === 'higher' ? known / tolerance : known * tolerance
      const isWell = limit !== null && (better === 'higher' ? value >= limit : value <= limit)
      return { benchmark: benchmark.name, figure, better, tolerance, known, limit, value, isWell }
    })
  } finally {
    fixtures.remove()
  }
}

function toTable(checked: readonly Checked[]): string {
  const head = ['', 'figure', 'in the repository', 'now', 'at least / at most', '']
  const table = new Table({ head, style: { head: [], border: [] } })
  const show = (value: number | null) => (value === null ? 'none' : value.toPrecision(3))
  for (const { benchmark, figure, better, known, limit, value, isWell } of checked)
    table.push([
      benchmark,
      figure,
      show(known),
      show(value),
      `${better === 'higher' ? '≥' : '≤'} ${show(limit)}`,
      known === null ? 'not known' : isWell ? 'well' : 'WORSE',
    ])
  return table.toString()
}
