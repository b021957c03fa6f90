import pg from 'pg'
import { createPalimpsest, type Palimpsest, postgres } from '../../packages/palimpsest/src/index.ts'
import type { BenchmarkOptions, Figure } from '../benchmark.ts'
import { messageAt } from '../corpus.ts'
import { interleave, percentile, timeEach } from '../measure.ts'
import { NEVER } from '../policies.ts'
import { loadSessions, MESSAGES_EACH, sessionName } from './load.ts'

const SCHEMA = 'large'
const MAX_LOAD_MS = 900_000
const FEW_SESSIONS = 500
const QUESTIONS = ['water people', 'good under name', 'what they said about time', 'round man year']

/** One call at a time in a database with very many sessions, beside one that was empty a moment ago. */
export async function measureLarge(
  url: string,
  { quick, progress }: Pick<BenchmarkOptions, 'quick' | 'progress'>,
): Promise<Figure[]> {
  const small = await open(url, 'small')
  const large = await open(url, SCHEMA)
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`SET search_path TO ${SCHEMA}`)
  const wanted = { sessions: quick ? 20_000 : 1_000_000, withinMs: MAX_LOAD_MS }
  const sessions = await loadSessions(client, wanted, progress)
  const messages = sessions * MESSAGES_EACH
  progress('scale: statistics and a checkpoint, as a server in use has had them')
  await client.query('VACUUM (ANALYZE)')
  const sizes = await sizesOf(client, messages)
  await client.query('CHECKPOINT')
  const figures: Figure[] = [
    { name: 'sessions in the large database', value: sessions, unit: 'rows' },
    { name: 'messages in the large database', value: messages, unit: 'rows' },
    ...sizes,
    ...(await measureAppends({ small, large, sessions, quick, progress })),
    ...(await measureReads({ small, large, sessions, quick, progress })),
  ]
  await client.end()
  await small.close()
  await large.close()
  return figures
}

function open(url: string, schema: string): Promise<Palimpsest> {
  const store = postgres(url, { schema, connections: 4 })
  return createPalimpsest({ store, policy: NEVER, folding: 'manual', indexing: 'off' })
}

interface Contest {
  readonly small: Palimpsest
  readonly large: Palimpsest
  readonly sessions: number
  readonly quick: boolean
  readonly progress: (message: string) => void
}

/** The same in every run; far from each other. */
function anyOf(sessions: number): () => number {
  let state = 12_345
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % sessions
  }
}

async function measureAppends({ small, large, sessions, quick, progress }: Contest): Promise<Figure[]> {
  progress('scale: appends, one at a time')
  let number = 1_000
  const appendTo = (palimpsest: Palimpsest, name: string) =>
    palimpsest.session(name).append({ ...messageAt(number++), sender: { id: 'user-1' } })
  for (let index = 0; index < FEW_SESSIONS; index++) await appendTo(small, sessionName(index))
  const any = anyOf(sessions)
  const few = anyOf(FEW_SESSIONS)
  const each = quick ? 100 : 250
  const times = await interleave(quick ? 5 : 20, {
    small: () => timeEach(each, () => appendTo(small, sessionName(few()))),
    large: () => timeEach(each, () => appendTo(large, sessionName(any()))),
  })
  return compareAppends(times)
}

/** Of sessions that this process has not seen before. */
async function measureReads({ large, sessions, quick, progress }: Contest): Promise<Figure[]> {
  progress('scale: contexts and searches, one at a time')
  const any = anyOf(sessions)
  const calls = quick ? 200 : 1_000
  const contexts = await timeEach(calls, () => large.session(sessionName(any())).context())
  let question = 0
  const searches = await timeEach(calls, () =>
    large.session(sessionName(any())).search(QUESTIONS[question++ % QUESTIONS.length]!),
  )
  return [
    { name: 'context p50: large', value: percentile(contexts, 0.5), unit: 'ms' },
    { name: 'context p99: large', value: percentile(contexts, 0.99), unit: 'ms' },
    { name: 'search of one session p50: large', value: percentile(searches, 0.5), unit: 'ms' },
    { name: 'search of one session p99: large', value: percentile(searches, 0.99), unit: 'ms' },
  ]
}

function compareAppends(
  times: Readonly<Record<'small' | 'large', readonly (readonly number[])[]>>,
): Figure[] {
  const [small, large] = [times.small.flat(), times.large.flat()]
  const ratio = percentile(large, 0.99) / percentile(small, 0.99)
  return [
    { name: 'append p99: large / empty', value: ratio, unit: 'ratio', aim: { atMost: 1.5 } },
    { name: 'append p99: large', value: percentile(large, 0.99), unit: 'ms' },
    { name: 'append p99: empty', value: percentile(small, 0.99), unit: 'ms' },
    { name: 'append p50: large', value: percentile(large, 0.5), unit: 'ms' },
    { name: 'append p50: empty', value: percentile(small, 0.5), unit: 'ms' },
  ]
}

async function sizesOf(client: pg.ClientBase, messages: number): Promise<Figure[]> {
  const { rows } = await client.query<{ name: string; size: string }>(
    `SELECT relname AS name, pg_relation_size(c.oid) AS size FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'i') ORDER BY 2 DESC`,
    [SCHEMA],
  )
  const each = rows.map(({ name, size }) => ({ name, value: Number(size) / messages }))
  const sum = each.reduce((total, { value }) => total + value, 0)
  return [
    { name: 'per message on disk, session and event included', value: sum, unit: 'bytes' },
    ...each
      .filter(({ value }) => value >= 1)
      .map(({ name, value }) => ({ name: `  ${name}`, value, unit: 'bytes' }) as const),
  ]
}
