import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createPalimpsest, sqlite } from '../packages/palimpsest/src/index.ts'
import type { Benchmark, Figure } from './benchmark.ts'
import { messageAt } from './corpus.ts'
import { SESSION } from './fixtures.ts'
import { sizesOfTexts, speedOfLayouts } from './layouts.ts'
import { NEVER } from './policies.ts'

const CALLERS = 500

/**
 * What a message of 200 characters takes on disk, its keys, its totals and its event included; what texts of every size
 * take, in a compact database and in one as it was before; and whether either is slower.
 */
export const bytes: Benchmark = {
  name: 'bytes',
  async run(options) {
    const { quick, fixtures, progress } = options
    const messages = quick ? 10_000 : 100_000
    progress(`bytes: appending ${messages.toLocaleString('en')} messages, each by itself`)
    const file = fixtures.newFile()
    await appendEach(file, messages)
    const figures: Figure[] = [
      { name: 'per message', value: statSync(file).size / messages, unit: 'bytes', aim: { atMost: 350 } },
      ...breakdown(file, messages),
    ]
    fixtures.discard(file)
    figures.push(...(await sizesOfTexts(options)), ...(await speedOfLayouts(options)))
    return { figures }
  },
}

/** Each in a request of its own, so that each has its own event; closing the store ends the write-ahead log. */
async function appendEach(file: string, messages: number): Promise<void> {
  const store = sqlite(file, { durability: 'normal' })
  await using palimpsest = await createPalimpsest({ store, policy: NEVER, indexing: 'off' })
  const chat = palimpsest.session(SESSION)
  let appended = 0
  const call = async () => {
    while (appended < messages) await chat.append(messageAt(appended++))
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
}

/** SQLite may be built without the table that tells sizes. */
function breakdown(file: string, messages: number): Figure[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database
      .prepare('SELECT name, sum(pgsize) AS size FROM dbstat GROUP BY name ORDER BY size DESC')
      .all() as { name: string; size: number }[]
    return rows
      .map(({ name, size }) => ({ name: `  ${name}`, value: size / messages, unit: 'bytes' }) as const)
      .filter(({ value }) => value >= 0.5)
  } catch {
    return []
  } finally {
    database.close()
  }
}
