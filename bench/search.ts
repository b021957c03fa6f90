import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createPalimpsest, type Palimpsest, sqlite } from '../packages/palimpsest/src/index.ts'
import type { Benchmark, BenchmarkOptions, Figure } from './benchmark.ts'
import { percentile } from './measure.ts'
import { NEVER } from './policies.ts'
import { messageAt, questionAt } from './search-corpus.ts'

const AT_ONCE = 1_000
const QUESTIONS = 300
const WARM_UP = 30
const APPENDS = 2_000

interface Shape {
  readonly name: string
  readonly sessions: number
  readonly messagesEach: number
  readonly aim: number
}

/** Questions of six words beside FTS5 with the same messages; what an index takes, and what it costs others. */
export const search: Benchmark = {
  name: 'search',
  async run(options) {
    const shapes: readonly Shape[] = options.quick
      ? [
          { name: '20,000 messages', sessions: 1, messagesEach: 20_000, aim: 10 },
          { name: '50,000 in 50 sessions', sessions: 50, messagesEach: 1_000, aim: 5 },
        ]
      : [
          { name: '100,000 messages', sessions: 1, messagesEach: 100_000, aim: 10 },
          { name: '1,000,000 in 1,000 sessions', sessions: 1_000, messagesEach: 1_000, aim: 5 },
        ]
    const figures: Figure[] = []
    for (const shape of shapes) figures.push(...(await measureShape(shape, options)))
    return { figures }
  },
}

async function measureShape(shape: Shape, { fixtures, progress }: BenchmarkOptions): Promise<Figure[]> {
  const { name, sessions, messagesEach } = shape
  const all = sessions * messagesEach
  const file = fixtures.newFile()
  const other = fixtures.newFile()
  progress(`search: filling ${name}`)
  await fill(file, shape)
  progress('search: indexing them')
  const palimpsest = await open(file)
  const before = statSync(file).size
  const start = performance.now()
  await indexAll(palimpsest, shape)
  const perMessage = (performance.now() - start) / all
  progress('search: filling FTS5')
  const fts = fillFts(other, shape)
  progress('search: asking')
  const chat = (question: number) => palimpsest.session(`s-${question % sessions}`)
  const within = (question: number) => chat(question).search(questionIn(question, shape))
  const ours = await ask(within)
  // Over a million messages each of its answers takes long.
  const theirs = await ask(
    async question => fts.ask(questionIn(question, shape), question % sessions),
    sessions > 1 ? 60 : QUESTIONS,
  )
  const figures: Figure[] = [
    { name: `${name}: p50 / FTS5`, value: percentile(ours, 0.5) / percentile(theirs, 0.5), unit: 'ratio' },
    { name: `${name}: p50`, value: percentile(ours, 0.5), unit: 'ms' },
    { name: `${name}: p99`, value: percentile(ours, 0.99), unit: 'ms', aim: { atMost: shape.aim } },
    { name: `${name}, FTS5: p50`, value: percentile(theirs, 0.5), unit: 'ms' },
    { name: `${name}, FTS5: p99`, value: percentile(theirs, 0.99), unit: 'ms' },
  ]
  if (sessions > 1) {
    const across = await ask(question => palimpsest.search(questionIn(question, shape)), 40)
    figures.push({ name: `${name}, across all: p50`, value: percentile(across, 0.5), unit: 'ms' })
  } else figures.push(...(await measureAppends(palimpsest, messagesEach)))
  await palimpsest.close()
  const { indexBytes } = sizesOf(file)
  figures.push(
    { name: `${name}: index per message`, value: indexBytes / all, unit: 'bytes', aim: { atMost: 150 } },
    { name: `${name}, FTS5: index per message`, value: fts.bytes() / all, unit: 'bytes' },
    { name: `${name}: to index a message`, value: perMessage, unit: 'ms', aim: { atMost: 0.35 } },
  )
  progress(`search: the database grew from ${before} to ${statSync(file).size} bytes`)
  fts.close()
  fixtures.discard(file)
  fixtures.discard(other)
  return figures
}

function questionIn(question: number, { sessions, messagesEach }: Shape): string {
  return questionAt(question, sessions * messagesEach)
}

async function open(file: string): Promise<Palimpsest> {
  return createPalimpsest({
    store: sqlite(file, { durability: 'normal' }),
    policy: NEVER,
    folding: 'manual',
  })
}

async function fill(file: string, { sessions, messagesEach }: Shape): Promise<void> {
  await using palimpsest = await createPalimpsest({
    store: sqlite(file, { durability: 'normal' }),
    policy: NEVER,
    folding: 'manual',
    indexing: 'off',
  })
  for (let session = 0; session < sessions; session++)
    for (let from = 0; from < messagesEach; from += AT_ONCE) {
      const first = session * messagesEach + from
      const length = Math.min(AT_ONCE, messagesEach - from)
      await palimpsest
        .session(`s-${session}`)
        .append(Array.from({ length }, (_, place) => messageAt(first + place)))
    }
}

/** One more message makes a session known to the indexer. */
async function indexAll(palimpsest: Palimpsest, { sessions }: Shape): Promise<void> {
  for (let session = 0; session < sessions; session++)
    await palimpsest.session(`s-${session}`).append({ role: 'user', content: 'the end' })
  while (!(await palimpsest.settled({ timeoutMs: 600_000 })));
}

async function ask(
  search: (question: number) => Promise<unknown>,
  questions = QUESTIONS,
): Promise<readonly number[]> {
  const times: number[] = []
  for (let question = 0; question < questions + WARM_UP; question++) {
    const start = performance.now()
    await search(question)
    if (question >= WARM_UP) times.push(performance.now() - start)
  }
  return times
}

/** What it costs to append while the index is made, and to find what was appended. */
async function measureAppends(palimpsest: Palimpsest, messages: number): Promise<Figure[]> {
  const idle = palimpsest.session('idle')
  const append = async (chat: ReturnType<Palimpsest['session']>, index: number) => {
    const start = performance.now()
    await chat.append(messageAt(messages + index))
    return performance.now() - start
  }
  const quiet: number[] = []
  for (let index = 0; index < APPENDS; index++) {
    quiet.push(await append(idle, index))
    // Whatever is to be indexed is, before the next one is timed.
    if (index % 50 === 49) await palimpsest.settled()
  }
  const busy = palimpsest.session('busy')
  await busy.append(Array.from({ length: AT_ONCE }, (_, place) => messageAt(place)))
  const noisy: number[] = []
  const beside = palimpsest.session('beside')
  for (let index = 0; index < APPENDS; index++) {
    if (index % 200 === 0)
      await busy.append(Array.from({ length: AT_ONCE }, (_, place) => messageAt(index + place)))
    noisy.push(await append(beside, index))
    await new Promise(resolve => setImmediate(resolve))
  }
  const found: number[] = []
  for (let index = 0; index < 50; index++) {
    await idle.append({ role: 'user', content: `zyx${index} is new` })
    const start = performance.now()
    const { results } = await idle.search(`zyx${index}`)
    found.push(performance.now() - start)
    if (!results[0]?.excerpt.includes(`zyx${index}`)) throw new Error('The newest message was not found.')
  }
  return [
    { name: 'append, idle: p99', value: percentile(quiet, 0.99), unit: 'ms' },
    { name: 'append while others are indexed: p99', value: percentile(noisy, 0.99), unit: 'ms' },
    {
      name: 'append p99, indexing / idle',
      value: percentile(noisy, 0.99) / percentile(quiet, 0.99),
      unit: 'ratio',
    },
    { name: 'to find the newest message: p50', value: percentile(found, 0.5), unit: 'ms' },
  ]
}

function sizesOf(file: string): { indexBytes: number } {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database
    .prepare(
      "SELECT sum(pgsize) AS size FROM dbstat WHERE name IN ('postings', 'index_blocks', 'index_changes')",
    )
    .get() as { size: number }
  database.close()
  return { indexBytes: row.size }
}

/** What people use otherwise: an index of SQLite's own over all sessions, without the texts, which are in the log. */
function fillFts(file: string, { sessions, messagesEach }: Shape) {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec("CREATE VIRTUAL TABLE docs USING fts5(text, content='', tokenize='porter unicode61')")
  const insert = database.prepare('INSERT INTO docs (rowid, text) VALUES (?, ?)')
  for (let index = 0; index < sessions * messagesEach; index++) {
    if (index % 10_000 === 0) database.exec(index === 0 ? 'BEGIN' : 'COMMIT; BEGIN')
    insert.run(index + 1, messageAt(index).text)
  }
  database.exec('COMMIT')
  // A session's messages are a range of rows, which is the kindest way to ask for it.
  const select = database.prepare(
    'SELECT rowid FROM docs WHERE docs MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rank LIMIT 10',
  )
  return {
    ask: (question: string, session: number) => {
      const words = question.split(' ').map(word => `"${word}"`)
      select.all(words.join(' OR '), session * messagesEach, (session + 1) * messagesEach)
    },
    bytes: () => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return statSync(file).size
    },
    close: () => database.close(),
  }
}
