import { createPalimpsest, postgres } from '../../packages/palimpsest/src/index.ts'
import { INSERT_MESSAGE } from '../../packages/palimpsest/src/store/sql/append.ts'
import { rowAt } from '../bare-sqlite.ts'
import type { BenchmarkOptions, Figure } from '../benchmark.ts'
import { messageAt } from '../corpus.ts'
import { atOnce, interleave, median, medianRatio, perSecond } from '../measure.ts'
import { NEVER } from '../policies.ts'

const CONNECTIONS = 10
const CALLERS = 32
const SESSIONS = 200

/** Many sessions at once, as a server has them, beside bare inserts of the same rows through a pool of the same size. */
export async function measureRates(
  url: string,
  { quick, progress }: Pick<BenchmarkOptions, 'quick' | 'progress'>,
): Promise<Figure[]> {
  progress(`scale: appends of ${CALLERS} callers to ${SESSIONS} sessions, beside bare inserts`)
  const ours = await openOurs(url)
  const bare = await openBare(url)
  const appends = quick ? 320 : 960
  // Short rounds and many of them: what else the machine does then meets both sides of a ratio.
  const rates = await interleave(quick ? 5 : 21, {
    ours: () => perSecond(appends, () => atOnce(CALLERS, appends, ours.append)),
    bare: () => perSecond(appends, () => atOnce(CALLERS, appends, bare.insert)),
  })
  await ours.close()
  await bare.close()
  return [
    {
      name: `${CALLERS} callers: appends / bare inserts`,
      value: medianRatio(rates.ours, rates.bare),
      unit: 'ratio',
      aim: { atLeast: 0.6 },
    },
    { name: `${CALLERS} callers: appends`, value: median(rates.ours), unit: 'per second' },
    { name: `${CALLERS} callers: bare inserts`, value: median(rates.bare), unit: 'per second' },
  ]
}

async function openOurs(url: string) {
  const store = postgres(url, { schema: 'rates', connections: CONNECTIONS })
  const palimpsest = await createPalimpsest({ store, policy: NEVER, folding: 'manual', indexing: 'off' })
  let appended = 0
  const append = () => palimpsest.session(`chat-${appended % SESSIONS}`).append(messageAt(appended++))
  // Sessions and senders are there before the first round.
  await Promise.all(Array.from({ length: 2 * SESSIONS }, append))
  return { append, close: () => palimpsest.close() }
}

async function openBare(url: string) {
  const store = postgres(url, { schema: 'bare' })
  await store.open()
  await store.close()
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, options: '-c search_path=bare' })
  pool.on('error', () => {})
  const text = INSERT_MESSAGE.replace(/\?(\d+)/g, '$$$1')
  let inserted = 0
  return {
    insert: () => pool.query({ name: 'insert', text, values: rowAt(inserted++) }),
    close: () => pool.end(),
  }
}
