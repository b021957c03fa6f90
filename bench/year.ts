import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import {
  createPalimpsest,
  type MessageInput,
  rounds,
  type Session,
  sqlite,
} from '../packages/palimpsest/src/index.ts'
import { smallTalk } from '../test/scenarios/small-talk.ts'
import type { Benchmark, Figure } from './benchmark.ts'

const CHATS = 50
const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
const BEGINS = Date.UTC(2026, 0, 1)
/** Of one chat, before the next one goes on: two folds of `rounds`. */
const AT_A_TIME = 12
const PEOPLE = 6

/**
 * A year of a busy bot: 1,000,000 messages of some 150 octets in 50 chats (`--large`; otherwise a tenth of them, or
 * with `--quick` a hundredth), folded as they come. What everything takes on disk, by table, beside the texts.
 */
export const year: Benchmark = {
  name: 'year',
  onlyByName: true,
  async run({ quick, large, fixtures, progress }) {
    const messages = quick ? 10_000 : large ? 1_000_000 : 100_000
    const file = fixtures.newFile()
    const octets = await live(file, messages, progress)
    const figures = [...sizesOf(file, octets), ...totals(file, octets)]
    fixtures.discard(file)
    return { figures }
  },
}

/** Gives back how many octets were said. */
async function live(file: string, messages: number, progress: (message: string) => void): Promise<number> {
  const apartMs = YEAR_MS / messages
  let said = 0
  let octets = 0
  let trimmedThrough = BEGINS
  const store = sqlite(file, { durability: 'normal' })
  await using palimpsest = await createPalimpsest({
    store,
    policy: rounds(),
    clock: () => BEGINS + said * apartMs,
  })
  const chats = Array.from({ length: CHATS }, (_, number) => ({
    session: openChat(palimpsest, number),
    talk: speakers(number),
  }))
  while (said < messages) {
    const started = said
    for (const { session, talk } of chats)
      for (let count = 0; count < AT_A_TIME && said < messages; count++) {
        const message = { ...talk.next().value, at: BEGINS + said * apartMs, externalId: `m-${said}` }
        await session.append(message)
        octets += Buffer.byteLength(message.content as string)
        said += 1
      }
    while (!(await palimpsest.settled({ timeoutMs: 60_000 })));
    // As a process does that runs all year.
    for (; trimmedThrough < BEGINS + said * apartMs; trimmedThrough += DAY_MS)
      while ((await store.events.trimEvents({ now: trimmedThrough, retentionMs: 30 * DAY_MS })).isMore);
    const step = Math.max(1, messages / 20)
    if (Math.floor(said / step) > Math.floor(started / step))
      progress(`year: ${said.toLocaleString('en')} of ${messages.toLocaleString('en')} messages`)
  }
  return octets
}

function openChat(palimpsest: Awaited<ReturnType<typeof createPalimpsest>>, number: number): Session {
  return number % 2 === 0
    ? palimpsest.session(`private-${number}`, { kind: 'private', user: `user-${number}` })
    : palimpsest.session(`group-${number}`, { kind: 'group', scope: `group-${number}` })
}

function* speakers(number: number): Generator<MessageInput, never, void> {
  const first = smallTalk(number + 1)
  const second = smallTalk(number + 1_001)
  for (let turn = 0; ; turn++) {
    const asked = `${first.next().value.content} ${second.next().value.content}`
    const answered = `${first.next().value.content} ${second.next().value.content}`
    const person = number % 2 === 0 ? number : number * PEOPLE + (turn % PEOPLE)
    yield { role: 'user', content: asked, sender: { id: `user-${person}`, name: `Person ${person}` } }
    yield { role: 'assistant', content: answered }
  }
}

function sizesOf(file: string, octets: number): Figure[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database
    .prepare(
      `SELECT m.tbl_name AS name, sum(d.pgsize) AS size FROM dbstat d JOIN sqlite_schema m ON m.name = d.name
       GROUP BY m.tbl_name ORDER BY size DESC`,
    )
    .all() as { name: string; size: number }[]
  database.close()
  return rows
    .filter(({ size }) => size > octets / 200)
    .map(({ name, size }) => ({ name: `${name} / texts`, value: size / octets, unit: 'ratio' }))
}

/** Everything about the messages is at most as large again as the log of them. */
function totals(file: string, octets: number): Figure[] {
  const { size } = statSync(file)
  const database = new DatabaseSync(file, { readOnly: true })
  const log = database
    .prepare(
      `SELECT sum(d.pgsize) AS size FROM dbstat d JOIN sqlite_schema m ON m.name = d.name
       WHERE m.tbl_name IN ('messages', 'text_parts', 'long_texts')`,
    )
    .get() as { size: number }
  database.close()
  return [
    { name: 'texts', value: octets / 1e6, unit: 'MB' },
    { name: 'log', value: log.size / 1e6, unit: 'MB' },
    { name: 'file', value: size / 1e6, unit: 'MB' },
    { name: 'everything else / log', value: (size - log.size) / log.size, unit: 'ratio', aim: { atMost: 1 } },
  ]
}
