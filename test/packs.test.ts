import { inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest, rounds } from '../packages/palimpsest/src/index.ts'
import { dailyKey } from '../packages/palimpsest/src/store/index.ts'
import {
  packAllDocuments,
  packAllSegments,
  shortenKeys,
} from '../packages/palimpsest/src/store/sql/pack-all.ts'
import { PACKING, packDays } from '../packages/palimpsest/src/store/sql/pack-documents.ts'
import { unpackingDriver } from '../packages/palimpsest/src/store/sql/unpacking-driver.ts'
import { SqliteDriver } from '../packages/palimpsest/src/store/sqlite/driver.ts'
import { Chat } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import { adding, documentKey } from '../packages/palimpsest/src/testing/store-contract/documents.ts'
import { runs } from './runs.ts'
import { randomNumbers } from './scenarios/small-talk.ts'
import { changeRows, PLACES, type StorePlace, sqliteBeside, sqlitePlace } from './stores.ts'

/** All that is past at once, so that short histories have packs. */
Object.assign(PACKING, { keptVersions: 1, versionsAtATime: 2 })

const places: StorePlace[] = []
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove()
})

function placed(create: () => StorePlace): StorePlace {
  const place = create()
  places.push(place)
  return place
}

const DAY = 86_400_000
const MINUTE = 60_000

const chat = fc.nat(1)
const share = fc.integer({ min: 0, max: 100 })
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('talk' as const), chat, turns: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('fold' as const), chat }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), chat, share }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rollback' as const), chat, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), chat, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forgetBob' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remember' as const), chat, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const), chat }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fork' as const), chat, share }) },
)
type Command = typeof command extends fc.Arbitrary<infer Each> ? Each : never

/** A bot's life, the same each time it is lived. */
class Life {
  readonly #palimpsest: Palimpsest
  readonly #random = randomNumbers(7)
  readonly #clock: { now: number }
  #said = 0
  #forks = 0
  /** Words of messages that were erased: each message has one that no other has. */
  readonly erased = new Set<string>()

  private constructor(palimpsest: Palimpsest, clock: { now: number }) {
    this.#palimpsest = palimpsest
    this.#clock = clock
  }

  static async begin(place: StorePlace): Promise<Life> {
    const clock = { now: Date.UTC(2026, 0, 5, 9) }
    const palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: rounds({ fullContextTurns: 2, cachedContextTurns: 2 }),
      folding: 'manual',
      clock: () => clock.now,
    })
    return new Life(palimpsest, clock)
  }

  #session(number: number) {
    return this.#palimpsest.session(`chat-${number}`, { kind: 'group', scope: 'team' })
  }

  async do(command: Command): Promise<void> {
    const number = 'chat' in command ? command.chat : 0
    const session = this.#session(number)
    const last = 'share' in command ? await this.#lastSeq(number) : 0
    const seq = 'share' in command ? Math.ceil((last * command.share) / 100) : 0
    switch (command.do) {
      case 'talk':
        for (let turn = 0; turn < command.turns; turn++) await this.#talk(number)
        return
      case 'fold':
        await session.compact()
        return
      case 'wait':
        this.#clock.now += command.days * DAY
        return
      case 'edit':
        if (seq > 0 && (await this.#isThere(number, seq)))
          await session.edit(seq, `Edited: the order no. ${this.#next()} costs 40 EUR, word${this.#said}x.`)
        return
      case 'rollback':
        if (seq > 0) await session.rollback(seq)
        return
      case 'erase':
        if (seq > 0) await this.#erase(number, seq)
        return
      case 'forgetBob': {
        for (const each of [0, 1])
          for (const { sender, content } of await this.#messages(each))
            if (sender?.id === 'bob') this.#note(content as string)
        await this.#palimpsest.forget({ kind: 'person', id: 'bob' })
        return
      }
      case 'remember':
        if (last > 0)
          await session.memory.append(`- Line ${this.#next()}: the cellar is to be cleared by Friday.`)
        return
      case 'undo':
        if ((await session.memory.versions({ limit: 2 })).length > 1) await session.memory.undo()
        return
      case 'fork':
        if (seq > 0 && this.#forks < 2) await session.fork(this.#nextFork(), seq)
    }
  }

  #next(): number {
    this.#said += 1
    return this.#said
  }

  #nextFork(): string {
    this.#forks += 1
    return `fork-${this.#forks}`
  }

  async #lastSeq(number: number): Promise<number> {
    return (await this.#messages(number)).at(-1)?.seq ?? 0
  }

  async #talk(number: number): Promise<void> {
    const session = this.#session(number)
    const who = this.#random() < 0.3 ? 'bob' : 'ann'
    for (const role of ['user', 'assistant'] as const) {
      this.#clock.now += MINUTE
      this.#said += 1
      await session.append({
        role,
        text: `Please remember: the order no. ${this.#said} for the tax return is due on 2026-02-1${this.#said % 10}, word${this.#said}x, and ${who} pays ${this.#said * 3} EUR for it.`,
        ...(role === 'user' && { sender: { id: who, name: who } }),
      })
    }
  }

  async #messages(number: number) {
    return (await this.#session(number).info()) ? this.#session(number).messages({ limit: 1_000 }) : []
  }

  async #isThere(number: number, seq: number): Promise<boolean> {
    return (await this.#messages(number)).some(message => message.seq === seq)
  }

  async #erase(number: number, seq: number): Promise<void> {
    const message = (await this.#messages(number)).find(each => each.seq === seq)
    if (!message) return
    this.#note(message.content as string)
    await this.#palimpsest.forget({ kind: 'messages', sessionId: `chat-${number}`, seqs: [seq] })
  }

  #note(content: string): void {
    for (const word of content.match(/word\d+x/g) ?? []) this.erased.add(word)
  }

  /** All that can be told of it. */
  async tell(): Promise<unknown> {
    const told: unknown[] = []
    // What a context takes beside messages is noted with it.
    for (const { id } of await this.#palimpsest.sessions()) await this.#palimpsest.session(id).context()
    await this.#palimpsest.settled()
    for (const { id } of await this.#palimpsest.sessions()) {
      const session = this.#palimpsest.session(id)
      const { id: _, ...file } = (await session.export()) as { id: string }
      const context = await session.context()
      told.push(id, file, context.toText(), await session.memory.facts('all'))
    }
    return JSON.parse(JSON.stringify(told))
  }

  async end(): Promise<void> {
    await this.#palimpsest.settled({ timeoutMs: 60_000 })
    await this.#palimpsest.close()
  }
}

async function checkUp(place: StorePlace): Promise<readonly string[]> {
  const store = await place.open()
  const results = await store.database.checkUp!({ now: Date.UTC(2026, 5, 1), isDeep: true })
  await store.close()
  return results.filter(({ isWell, what }) => !isWell && /row|packed/.test(what)).map(({ says }) => says)
}

/** All that a database of SQLite holds, unpacked. */
function everything(place: StorePlace): string {
  using database = sqliteBeside(place.address, { readOnly: true })
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  const values = tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .flatMap(row => Object.values(row)),
  )
  return values.map(value => (value instanceof Uint8Array ? textOf(value) : String(value))).join('\n')
}

function textOf(data: Uint8Array): string {
  try {
    return inflateRawSync(data).toString()
  } catch {
    return Buffer.from(data).toString('utf8')
  }
}

function packsOf(place: StorePlace): number {
  using database = sqliteBeside(place.address, { readOnly: true })
  return (database.prepare('SELECT count(*) AS count FROM packs WHERE places > 0').get() as { count: number })
    .count
}

describe.for(Object.entries(PLACES))('on %s', ([name, create]) => {
  test('a compact database tells what another one does, whatever happens to it', {
    timeout: 300_000,
  }, async () => {
    let packs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 25 }), async commands => {
        const [compact, plain] = [create(), create()]
        await (await plain.open()).close()
        await changeRows(plain, 'UPDATE layout SET is_compact = 0')
        const lives = [await Life.begin(compact), await Life.begin(plain)]
        const told: unknown[] = []
        for (const life of lives) {
          for (const chat of [0, 1]) await life.do({ do: 'talk', chat, turns: 1 })
          for (const each of commands) await life.do(each)
          told.push(await life.tell())
          await life.end()
        }
        expect(told[0]).toEqual(told[1])
        expect(await checkUp(compact)).toEqual([])
        expect(await checkUp(plain)).toEqual([])
        if (name === 'SQLite') {
          packs += packsOf(compact)
          const all = everything(compact)
          expect([...lives[0]!.erased].filter(word => all.includes(word))).toEqual([])
        }
        for (const place of [compact, plain]) await place.remove()
      }),
      { numRuns: runs(name === 'SQLite' ? 8 : 2) },
    )
    if (name === 'SQLite') expect(packs).toBeGreaterThan(0)
  })
})

test('a database of before is packed part by part, and tells the same', { timeout: 120_000 }, async () => {
  const place = placed(sqlitePlace)
  await (await place.open()).close()
  await changeRows(place, 'UPDATE layout SET is_compact = 0')
  const life = await Life.begin(place)
  for (let day = 0; day < 12; day++) {
    await life.do({ do: 'talk', chat: day % 2, turns: 8 })
    await life.do({ do: 'fold', chat: day % 2 })
    await life.do({ do: 'wait', days: 1 })
  }
  const before = await life.tell()
  expect(packsOf(place)).toBe(0)
  await life.end()
  await changeRows(place, 'UPDATE layout SET is_compact = 1')
  await packAll(place)
  const packed = packsOf(place)
  expect(packed).toBeGreaterThan(0)
  await packAll(place)
  expect(packsOf(place)).toBe(packed)
  const again = await Life.begin(place)
  expect(await again.tell()).toEqual(before)
  await again.end()
  expect(await checkUp(place)).toEqual([])
})

async function packAll(place: StorePlace): Promise<void> {
  const driver = unpackingDriver(new SqliteDriver(place.address.slice('sqlite:'.length), {}))
  await driver.open()
  const { dialect } = driver
  const through = async <Cursor>(first: Cursor, step: (cursor: Cursor) => Promise<Cursor | null>) => {
    for (let cursor: Cursor | null = first; cursor !== null; ) cursor = await step(cursor)
  }
  await through({ document: 0, fact: 0 }, cursor => driver.write(() => shortenKeys(cursor)))
  await through({ session: 0, segment: 0 }, cursor => driver.write(() => packAllSegments(cursor, dialect)))
  await through(0, cursor => driver.write(() => packAllDocuments(cursor, dialect)))
  await driver.close()
}

test('a day is packed whole, however many versions it has', async () => {
  const place = sqlitePlace()
  const store = await place.open()
  await new Chat(store).say(8)
  for (const [day, count] of [
    ['2026-01-01', 11],
    ['2026-01-02', 12],
    ['2026-01-03', 1],
    ['2026-01-04', 1],
  ] as const)
    for (let n = 0; n < count; n++)
      await store.documents.changeDocuments([
        adding(
          documentKey('daily', dailyKey(day, 'chat')),
          `- line ${n} of a day, long enough to be packed with others`,
        ),
      ])
  const driver = unpackingDriver(new SqliteDriver(place.address.slice(7), {}))
  await driver.open()
  while (await driver.write(() => packDays(1, driver.dialect)));
  await driver.close()
  await store.close()
  {
    using database = sqliteBeside(place.address, { readOnly: true })
    const rows = database
      .prepare(
        `SELECT day, substr(content, 1, 7) AS content FROM documents WHERE day < '2026-01-03' ORDER BY day`,
      )
      .all()
    expect(rows.map(({ day, content }) => [day, content])).toEqual([
      ['2026-01-01', 'packed '],
      ['2026-01-02', 'packed '],
    ])
  }
  await place.remove()
})
