import { createPalimpsest, postgres } from '../packages/palimpsest/src/index.ts'
import { INSERT_MESSAGE } from '../packages/palimpsest/src/store/sql/append.ts'
import { startPostgres } from '../test/postgres/server.ts'
import { rowAt } from './bare-sqlite.ts'
import type { Benchmark, BenchmarkOptions, Figure } from './benchmark.ts'
import { messageAt, messagesFrom } from './corpus.ts'
import { SESSION } from './fixtures.ts'
import { atOnce, interleave, median, medianRatio, perSecond } from './measure.ts'
import { NEVER } from './policies.ts'

const START = 10_000
const CONNECTIONS = 10
const CALLERS = 16

/** As `append-lone`, on a server that syncs to the disk, beside bare inserts through a pool of the same size. */
export const appendPostgres: Benchmark = {
  name: 'append-postgres',
  async run(options) {
    options.progress('append-postgres: starting a server')
    const server = await startPostgres({ durable: true })
    try {
      return { figures: await compare(server.url, options) }
    } finally {
      await server.stop()
    }
  },
}

async function compare(url: string, { quick, progress }: BenchmarkOptions): Promise<Figure[]> {
  const ours = await openOurs(url, 'ours')
  await (await openOurs(url, 'bare')).close()
  const bare = await openBare(url)
  const figures: Figure[] = []
  for (const callers of [1, CALLERS]) {
    progress(`append-postgres: ${callers} at once`)
    const appends = (callers === 1 ? 300 : 1_600) / (quick ? 5 : 1)
    const rates = await interleave(quick ? 3 : 7, {
      ours: () => perSecond(appends, () => atOnce(callers, appends, ours.append)),
      bare: () => perSecond(appends, () => atOnce(callers, appends, bare.insert)),
    })
    figures.push(
      { name: `${callers} at once: ours / bare`, value: medianRatio(rates.ours, rates.bare), unit: 'ratio' },
      { name: `${callers} at once: ours`, value: median(rates.ours), unit: 'per second' },
      { name: `${callers} at once: bare`, value: median(rates.bare), unit: 'per second' },
    )
  }
  await ours.close()
  await bare.close()
  return figures
}

async function openOurs(url: string, schema: string) {
  const store = postgres(url, { schema, connections: CONNECTIONS })
  const palimpsest = await createPalimpsest({ store, policy: NEVER })
  const chat = palimpsest.session(SESSION)
  let appended = 0
  while (appended < START) {
    await chat.append(messagesFrom(appended, 1_000))
    appended += 1_000
  }
  return { append: () => chat.append(messageAt(appended++)), close: () => palimpsest.close() }
}

async function openBare(url: string) {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, options: '-c search_path=bare' })
  // The server may end before the pool has seen its last connection close.
  pool.on('error', () => {})
  const text = INSERT_MESSAGE.replace(/\?(\d+)/g, '$$$1')
  let inserted = START
  return { insert: () => pool.query(text, rowAt(inserted++)), close: () => pool.end() }
}
