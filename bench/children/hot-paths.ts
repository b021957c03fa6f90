// What users wait for, measured on the sources of one version: `hot-paths.ts ROOT FOLDER POSTGRES_URL SCHEMA`. Asked
// over IPC for one path at a time, it does the work of one round and answers with the microseconds that one call took, or
// where they went.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Library from '../../packages/palimpsest/src/index.ts'
import type { HotPath } from '../before-after.ts'
import { messageAt, messagesFrom } from '../corpus.ts'
import { atOnce, median, timeEach } from '../measure.ts'
import { profile } from '../profile.ts'

const [root, folder, postgresUrl, schema] = process.argv.slice(2) as [string, string, string, string]
/** Revisions before the packages have their sources in one folder. */
const entry = ['packages/palimpsest/src/index.ts', 'src/index.ts']
  .map(path => join(root, path))
  .find(path => existsSync(path))!
const { createPalimpsest, postgres, sqlite, tokens } = (await import(
  pathToFileURL(entry).href
)) as typeof Library

const MESSAGES = 10_000
const AT_ONCE = 100
const CALLERS = 32
const SESSIONS = 200
const INSTRUCTIONS = 'You are the assistant of a small travel agency. Be brief, and never invent a price.'

/** Folded by the extractive summariser, as it would be in use. */
async function openFilled(store: Library.Store, messages: number) {
  const palimpsest = await createPalimpsest({ store, policy: tokens({ budget: 8_000 }) })
  const chat = palimpsest.session('bench')
  for (let from = 0; from < messages; from += AT_ONCE) {
    await chat.append(messagesFrom(from, AT_ONCE))
    await palimpsest.settled()
  }
  let next = messages
  return { palimpsest, chat, still: await openStill(palimpsest), next: () => messageAt(next++) }
}

/** One that nobody appends to, and that is the same in all versions, wherever the other has come to between two folds. */
async function openStill(palimpsest: Library.Palimpsest) {
  const still = palimpsest.session('still')
  for (let from = 0; from < 1_000; from += AT_ONCE) {
    await still.append(messagesFrom(from, AT_ONCE))
    await palimpsest.settled()
  }
  return still
}

const full = await openFilled(sqlite(join(folder, 'full.db'), { durability: 'full' }), MESSAGES)
const normal = await openFilled(sqlite(join(folder, 'normal.db'), { durability: 'normal' }), MESSAGES)
const remote = await openFilled(postgres(postgresUrl, { schema, connections: 10 }), 1_000)

async function microseconds(calls: number, action: () => Promise<unknown>): Promise<number> {
  return 1_000 * median(await timeEach(calls, action))
}

/** With what else the process does meanwhile: a mean, not a median. */
async function meanMicroseconds(calls: number, action: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await action()
  return ((performance.now() - begin) * 1_000) / calls
}

async function appendLone({ chat, next, palimpsest }: typeof full, calls: number): Promise<number> {
  const mean = await meanMicroseconds(calls, async () => {
    for (let call = 0; call < calls; call++) await chat.append(next())
  })
  await palimpsest.settled()
  return mean
}

let appended = 0
let odd = 0

async function appendTogether(calls: number): Promise<number> {
  const append = () => remote.palimpsest.session(`chat-${appended % SESSIONS}`).append(messageAt(appended++))
  const mean = await meanMicroseconds(calls, () => atOnce(CALLERS, calls, append))
  await remote.palimpsest.settled()
  return mean
}

/** After each message, as in a conversation. */
async function contextAfterAppend({ chat, next }: typeof full, calls: number): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    await chat.append(next())
    times.push(...(await timeEach(1, () => chat.context({ instructions: INSTRUCTIONS }))))
  }
  return 1_000 * median(times)
}

/** Another budget has nothing in memory. */
function contextAnew({ still }: typeof full, calls: number): Promise<number> {
  return microseconds(calls, () => {
    odd = (odd % 500) + 1
    return still.context({ instructions: INSTRUCTIONS, budget: 8_000 - odd })
  })
}

const QUERIES = ['water people place', 'every good name', '"little only"', 'm-100042', 'sound']

async function search({ chat, palimpsest }: typeof full, calls: number): Promise<number> {
  await palimpsest.settled()
  let query = 0
  return microseconds(calls, () => chat.search(QUERIES[query++ % QUERIES.length]!))
}

let folded = 0

/** What a fold takes from decision to commit: of 100 messages, by the extractive summariser. */
async function fold(calls: number): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const chat = normal.palimpsest.session(`fold-${folded++}`)
    await chat.append(messagesFrom(0, AT_ONCE))
    times.push(...(await timeEach(1, () => chat.compact({ force: 'lite' }))))
  }
  await normal.palimpsest.settled()
  return 1_000 * median(times)
}

const PATHS: Readonly<Record<HotPath, () => Promise<number>>> = {
  'append, SQLite FULL': () => appendLone(full, 300),
  'append, SQLite NORMAL': () => appendLone(normal, 2_000),
  'append, PostgreSQL': () => appendLone(remote, 200),
  'append, PostgreSQL, 32 callers': () => appendTogether(1_500),
  'context, SQLite': () => contextAfterAppend(normal, 200),
  'context anew, SQLite': () => contextAnew(normal, 100),
  'context, PostgreSQL': () => contextAfterAppend(remote, 100),
  'context anew, PostgreSQL': () => contextAnew(remote, 100),
  'search, SQLite': () => search(normal, 60),
  'search, PostgreSQL': () => search(remote, 40),
  'fold of 100 messages, SQLite': () => fold(8),
}

process.on('message', async ({ path, isProfiled }: { path: HotPath; isProfiled: boolean }) => {
  process.send!(isProfiled ? await profile(PATHS[path]) : await PATHS[path]())
})
process.on('disconnect', () => process.exit(0))
process.send!('ready')
