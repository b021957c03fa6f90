import { DatabaseSync } from 'node:sqlite'
import { createPalimpsest, type MessageInput, sqlite } from '../packages/palimpsest/src/index.ts'
import type { BenchmarkOptions, Figure } from './benchmark.ts'
import { textOf } from './corpus.ts'
import { SESSION } from './fixtures.ts'
import { median, medianRatio, timeEach } from './measure.ts'
import { NEVER } from './policies.ts'

/** Compact, and as databases were before. */
const LAYOUTS = ['compact', 'before'] as const
type Layout = (typeof LAYOUTS)[number]

const SIZES = [
  ...[100, 200, 400, 600, 800, 900, 1_000, 1_200, 1_500, 2_000, 3_000, 4_000, 6_000],
  ...[10_000, 16_000, 30_000, 60_000, 100_000],
]
/** Below, what a row has beside its text is too much of it. */
const MIN_AIMED = 400
const AIM = 1.4
const OCTETS = 4_000_000
const AT_ONCE = 50

/** What is on disk for an octet of text: rows, parts, long texts, and the indexes of all. */
export async function sizesOfTexts({ quick, fixtures, progress }: BenchmarkOptions): Promise<Figure[]> {
  const octets = quick ? OCTETS / 4 : OCTETS
  const figures: Figure[] = []
  const measure = async (name: string, texts: readonly string[], aim?: Figure['aim']) => {
    progress(`bytes: texts of ${name}`)
    for (const layout of LAYOUTS) {
      const file = fixtures.newFile()
      await fill(file, layout, texts)
      const value = bytesOfLog(file) / texts.reduce((sum, text) => sum + text.length, 0)
      figures.push({
        ...{ name: `${name}, ${layout}`, value, unit: 'ratio' },
        ...(aim && layout === 'compact' && { aim }),
      })
      fixtures.discard(file)
    }
  }
  for (const size of SIZES) {
    const texts = Array.from({ length: Math.ceil(octets / size) }, (_, index) => textOf(index, size))
    await measure(
      `${size.toLocaleString('en')} octets`,
      texts,
      size >= MIN_AIMED ? { atMost: AIM } : undefined,
    )
  }
  await measure('400 to 16,000 octets, mixed', mixedTexts(octets), { atMost: AIM })
  return figures
}

/** As many between 400 and 800 as between 800 and 1,600, and so on. */
function mixedTexts(octets: number): readonly string[] {
  const texts: string[] = []
  for (let left = octets, index = 0; left > 0; index++) {
    const share = ((index * 7_919) % 1_000) / 1_000
    const text = textOf(index, Math.round(400 * (16_000 / 400) ** share))
    texts.push(text)
    left -= text.length
  }
  return texts
}

async function fill(file: string, layout: Layout, texts: readonly string[]): Promise<void> {
  await using palimpsest = await open(file, layout)
  const chat = palimpsest.session(SESSION)
  for (let start = 0; start < texts.length; start += AT_ONCE)
    await chat.append(
      texts.slice(start, start + AT_ONCE).map((text, index) => messageOf(start + index, text)),
    )
}

function messageOf(index: number, text: string): MessageInput {
  return {
    role: index % 2 === 0 ? 'user' : 'assistant',
    text,
    externalId: `m-${100_000 + index}`,
    sender: { id: `user-${index % 2}` },
  }
}

async function open(file: string, layout: Layout) {
  const make = () => sqlite(file, { durability: 'normal' })
  const store = make()
  await store.open()
  await store.close()
  const database = new DatabaseSync(file)
  database.exec(`UPDATE layout SET is_compact = ${layout === 'compact' ? 1 : 0}`)
  database.close()
  return createPalimpsest({ store: make(), policy: NEVER, indexing: 'off' })
}

function bytesOfLog(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const { size } = database
    .prepare(
      `SELECT sum(d.pgsize) AS size FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
       WHERE s.tbl_name IN ('messages', 'text_parts', 'long_texts')`,
    )
    .get() as { size: number }
  database.close()
  return size
}

const SLOWER = 1.05
/** Of a chat whose contexts are read. */
const MESSAGES = 200
const BUDGET = 8_000
const CALLS_A_ROUND = 20

/** How long appends and contexts take in a compact database, beside one as it was before. */
export async function speedOfLayouts({ quick, fixtures, progress }: BenchmarkOptions): Promise<Figure[]> {
  const rounds = quick ? 5 : 20
  const figures: Figure[] = []
  for (const size of [1_200, 4_000]) {
    progress(`bytes: appends and contexts with messages of ${size} octets`)
    const compact = await openTimed(fixtures.newFile(), 'compact', size)
    const before = await openTimed(fixtures.newFile(), 'before', size)
    for (const what of ['append', 'context', 'context anew'] as const) {
      const times: Record<Layout, number[]> = { compact: [], before: [] }
      for (let round = 0; round <= rounds; round++) {
        const taken = await takeTurns({ compact: compact[what], before: before[what] })
        if (round > 0) for (const layout of LAYOUTS) times[layout].push(median(taken[layout]))
      }
      const name = `${what}, ${size.toLocaleString('en')} octets`
      figures.push(
        {
          ...{ name: `${name}: compact / before`, value: medianRatio(times.compact, times.before) },
          ...{ unit: 'ratio', aim: { atMost: SLOWER } },
        },
        { name: `${name}: compact`, value: median(times.compact), unit: 'ms' },
      )
    }
    for (const { palimpsest, file } of [compact, before]) {
      await palimpsest.close()
      fixtures.discard(file)
    }
  }
  return figures
}

/** One call of each, so that whatever else the machine does meets both. */
async function takeTurns(actions: Record<Layout, () => Promise<number>>): Promise<Record<Layout, number[]>> {
  const times: Record<Layout, number[]> = { compact: [], before: [] }
  for (let call = 0; call < CALLS_A_ROUND; call++)
    for (const layout of call % 2 === 0 ? LAYOUTS : LAYOUTS.toReversed())
      times[layout].push(await actions[layout]())
  return times
}

/** Each action says how long it took, in milliseconds. */
async function openTimed(file: string, layout: Layout, size: number) {
  const texts = Array.from({ length: MESSAGES }, (_, index) => textOf(index, size))
  await fill(file, layout, texts)
  const palimpsest = await open(file, layout)
  const still = palimpsest.session(SESSION)
  const chat = palimpsest.session('goes on')
  let appended = 0
  let calls = 0
  const time = async (action: () => Promise<unknown>) => (await timeEach(1, action))[0]!
  const append = () => {
    const index = appended++
    return chat.append(messageOf(index, texts[index % MESSAGES]!))
  }
  return {
    palimpsest,
    file,
    append: () => time(append),
    /** One message has come since the last. */
    context: async () => {
      await append()
      return time(() => chat.context({ budget: BUDGET }))
    },
    /** With another budget nothing of it is in memory. To this chat nothing is appended. */
    'context anew': () => time(() => still.context({ budget: BUDGET - (calls++ % 500) - 1 })),
  }
}
