import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { createPalimpsest, type Palimpsest, postgres } from '../../packages/palimpsest/src/index.ts'
import { count } from '../../packages/palimpsest/src/policy/index.ts'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import type { BenchmarkOptions, Figure } from '../benchmark.ts'
import { atOnce, percentile } from '../measure.ts'

const MAIN = join(import.meta.dirname, '../../packages/cli/src/main.ts')
/** What a small model takes for a summary. */
const LATENCY_MS = 200
const AT_A_TIME = 4
const WORKERS = [1, 2, 4]
/** Of what the workers could do at most, for the time from trigger to commit: nobody runs them at their limit. */
const LOAD = 0.5
const MAX_INDEXING_MS = 300_000
const POLICY = { threshold: 20, keepLast: 10 }

/** How much more many workers fold than one, and how long a fold waits for one where there is room. */
export async function workerFigures(
  url: string,
  { quick, progress }: BenchmarkOptions,
): Promise<readonly Figure[]> {
  const model = await startModelServer({ reply: { text: SUMMARY, delayMs: LATENCY_MS } })
  const figures: Figure[] = []
  const rates: number[] = []
  try {
    for (const workers of WORKERS) {
      progress(`scale: ${workers} ${workers === 1 ? 'worker' : 'workers'}`)
      const most = (workers * AT_A_TIME * 1000) / LATENCY_MS
      const [full, half] = [await newDatabase(url), await newDatabase(url)]
      const saturated = await measure(
        { url: full, workers, model: model.url },
        { folds: most * (quick ? 4 : 20), rate: null },
      )
      const relaxed = await measure(
        { url: half, workers, model: model.url },
        { folds: most * LOAD * (quick ? 4 : 15), rate: most * LOAD },
      )
      rates.push(saturated.perSecond)
      figures.push(
        { name: `folds with ${workers} workers, saturated`, value: saturated.perSecond, unit: 'per second' },
        {
          name: `trigger to commit with ${workers} workers, half loaded: p50`,
          value: relaxed.p50,
          unit: 'ms',
        },
        {
          name: `trigger to commit with ${workers} workers, half loaded: p95`,
          value: relaxed.p95,
          unit: 'ms',
        },
      )
    }
  } finally {
    await model.close()
  }
  return [
    {
      name: 'folds with 2 workers / with 1',
      value: rates[1]! / rates[0]!,
      unit: 'ratio',
      aim: { atLeast: 1.8 },
    },
    {
      name: 'folds with 4 workers / with 1',
      value: rates[2]! / rates[0]!,
      unit: 'ratio',
      aim: { atLeast: 3.4 },
    },
    ...figures,
  ]
}

interface Setting {
  readonly url: string
  readonly workers: number
  readonly model: string
}

/**
 * So many sessions, each with one fold to make. `rate`: triggered so many a second while the workers run; `null`: all of
 * them wait already when the workers start.
 */
async function measure(
  { url, workers, model }: Setting,
  { folds, rate }: { readonly folds: number; readonly rate: number | null },
) {
  const palimpsest = await createPalimpsest({
    store: postgres(url, { queue: true }),
    policy: count(POLICY),
    folding: 'queue',
  })
  const children: ChildProcess[] = []
  try {
    const ids = Array.from({ length: Math.ceil(folds) }, (_, index) => `s${index}`)
    await inParallel(ids, 16, id => say(palimpsest, id, POLICY.threshold))
    const triggered = new Map<string, number>()
    const trigger = async (id: string) => {
      await say(palimpsest, id, 1)
      triggered.set(id, Date.now())
    }
    if (rate === null) await inParallel(ids, 16, trigger)
    // Whoever takes messages in indexes them, too; what is left of it would be the workers'.
    await palimpsest.settled({ timeoutMs: MAX_INDEXING_MS })
    children.push(...(await Promise.all(Array.from({ length: workers }, () => startWorker(url, model)))))
    if (rate !== null) await atRate(ids, rate, trigger)
    const committed = await waitForFolds(url, ids.length)
    const waits = ids.map(id => committed.get(id)! - triggered.get(id)!)
    const times = [...committed.values()].toSorted((one, other) => one - other)
    // Without the beginning and the end, when not all of them have something to do.
    const [from, to] = [Math.floor(times.length * 0.1), Math.floor(times.length * 0.9)]
    return {
      perSecond: (to - from) / ((times[to]! - times[from]!) / 1000),
      p50: percentile(waits, 0.5),
      p95: percentile(waits, 0.95),
    }
  } finally {
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(children.map(child => child.exitCode ?? once(child, 'exit')))
    await palimpsest.close()
  }
}

async function startWorker(url: string, model: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN, 'worker', '--store', url, '--json'], {
    env: {
      ...process.env,
      PALIMPSEST_POLICY: 'count',
      PALIMPSEST_FOLD_WORKERS: String(AT_A_TIME),
      PALIMPSEST_MODEL: 'openai-compatible:scripted',
      PALIMPSEST_MODEL_BASE_URL: `${model}/v1`,
      PALIMPSEST_MODEL_API_KEY: 'test',
      PALIMPSEST_EXTRACT: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout!, 'data')
  return child
}

let databases = 0

async function newDatabase(url: string): Promise<string> {
  const name = `scale_${++databases}`
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return url.replace(/[^/]*$/, name)
}

/** Long enough that a fold asks the model. */
const TEXT =
  'We went through the plan for the harbour once more, counted what is left of the budget, and moved the opening to the second week of June.'
const SUMMARY = 'They went through the plan for the harbour and moved the opening to June.'

async function say(palimpsest: Palimpsest, id: string, messages: number): Promise<void> {
  await palimpsest
    .session(id)
    .append(
      Array.from({ length: messages }, (_, index) => ({ role: 'user' as const, text: `${index} ${TEXT}` })),
    )
}

async function inParallel<T>(
  items: readonly T[],
  width: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items]
  await atOnce(width, items.length, () => action(left.pop()!))
}

async function atRate(
  ids: readonly string[],
  perSecond: number,
  action: (id: string) => Promise<void>,
): Promise<void> {
  const start = performance.now()
  const running: Promise<void>[] = []
  for (const [index, id] of ids.entries()) {
    const wait = start + (index * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    running.push(action(id))
  }
  await Promise.all(running)
}

/**
 * When each session's fold was committed. Asked of the database in one short statement: a look at every session,
 * again and again, would share the processor with the folds that it waits for.
 */
async function waitForFolds(url: string, folds: number): Promise<ReadonlyMap<string, number>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const found = async () => {
      const { rows } = await client.query(
        'SELECT count(DISTINCT session_id)::int AS count FROM palimpsest.segments',
      )
      return rows[0].count
    }
    while ((await found()) < folds) await new Promise(resolve => setTimeout(resolve, 500))
    const { rows } = await client.query(
      'SELECT s.name, min(g.created_at) AS at FROM palimpsest.segments g JOIN palimpsest.sessions s ON s.id = g.session_id GROUP BY s.name',
    )
    return new Map(rows.map(({ name, at }) => [name, Number(at)]))
  } finally {
    await client.end()
  }
}
