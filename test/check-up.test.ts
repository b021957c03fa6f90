import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { count, createPalimpsest, type Palimpsest, type Session } from '../packages/palimpsest/src/index.ts'
import type { CheckResult, Store } from '../packages/palimpsest/src/store/index.ts'
import { runHere } from './cli/run.ts'
import { runs } from './runs.ts'
import { changeRows, PLACES, type StorePlace, sqlitePlace } from './stores.ts'

const places: StorePlace[] = []
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove()
})

function placed(create: () => StorePlace): StorePlace {
  const place = create()
  places.push(place)
  return place
}

const HOUR = 3_600_000

async function checked(place: StorePlace, now = Date.now()): Promise<readonly CheckResult[]> {
  const store = await place.open()
  try {
    return await store.database.checkUp!({ now, isDeep: true })
  } finally {
    await store.close()
  }
}

const bad = (results: readonly CheckResult[]) => results.filter(({ isWell }) => !isWell)

async function live(place: StorePlace, work: (palimpsest: Palimpsest, store: Store) => Promise<void>) {
  const store = await place.open()
  const policy = count({ threshold: 6, keepLast: 2 })
  const palimpsest = await createPalimpsest({ store, policy })
  try {
    await work(palimpsest, store)
    await palimpsest.settled()
  } finally {
    await palimpsest.close()
  }
}

async function fill(chat: Session, messages = 12): Promise<void> {
  for (let place = 1; place <= messages; place++)
    await chat.append({
      role: place % 2 ? 'user' : 'assistant',
      text: `Lemons and tea, number ${place}, 柠檬`,
    })
}

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      chat: fc.nat(2),
      size: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('edit' as const), chat: fc.nat(2), place: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rollback' as const), chat: fc.nat(2), place: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('fork' as const), chat: fc.nat(2), place: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('import' as const), chat: fc.nat(2), place: fc.nat(20) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('erase' as const), chat: fc.nat(2), place: fc.nat(20) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), chat: fc.nat(2) }) },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

async function carryOut(palimpsest: Palimpsest, command: Command, number: number): Promise<void> {
  const sessionId = `chat ${command.chat}`
  const chat = palimpsest.session(sessionId)
  if (command.do === 'append') return fill(chat, command.size)
  const seqs = (await chat.messages()).map(({ seq }) => seq)
  if (seqs.length === 0) return
  if (command.do === 'forget') return void (await palimpsest.forget({ kind: 'session', sessionId }))
  const seq = seqs[command.place % seqs.length]!
  switch (command.do) {
    case 'edit':
      return void (await chat.edit(seq, `Changed: harbour ${number}`))
    case 'rollback':
      return void (await chat.rollback(seq))
    case 'fork':
      return void (await chat.fork(`fork ${number}`, seq))
    case 'import':
      return void (await palimpsest.import({ ...(await chat.export()), id: `import ${number}` }))
    case 'erase':
      return void (await palimpsest.forget({ kind: 'messages', sessionId, seqs: [seq] }))
  }
}

describe.each(Object.entries(PLACES))('a deep check-up on %s', (_, create) => {
  test('finds nothing wrong after any history', { timeout: 600_000 }, async () => {
    const commands = fc.array(command, { minLength: 3, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(commands, async commands => {
        const place = create()
        try {
          await live(place, async palimpsest => {
            for (const [number, each] of commands.entries()) await carryOut(palimpsest, each, number)
          })
          expect(bad(await checked(place))).toEqual([])
        } finally {
          await place.remove()
        }
      }),
      { numRuns: runs(5, 12) },
    )
  })

  test.each([
    [
      'a message that is gone',
      'DELETE FROM messages WHERE seq = 5',
      /messages are missing: of 12 that are not hidden there are 11/,
    ],
    [
      'a total',
      'UPDATE messages SET total_messages = 3 WHERE seq = 12',
      /12 messages are shown, and the newest says that there are 3/,
    ],
    ['a cursor beyond the log', 'UPDATE sessions SET compacted_through = 99', /chat: /],
    [
      'words of a message',
      "DELETE FROM postings WHERE term NOT LIKE 'zz%'",
      /12 messages are indexed, and no word leads to them/,
    ],
    ['words that lead to nothing', 'DELETE FROM index_blocks', /entries of the search index lead to nothing/],
    ['rows of a session that is gone', 'DELETE FROM sessions', /12 of messages without their sessions/],
    ['a segment', 'UPDATE segments SET rolled_into = 77', /segments that fit nothing/],
    ['an index', 'DROP INDEX sessions_due', /missing: sessions_due/],
  ])('tells of %s', async (_, sql, says) => {
    const place = placed(create)
    await live(place, palimpsest => fill(palimpsest.session('chat')))
    expect(bad(await checked(place))).toEqual([])
    await changeRows(place, sql)
    expect(bad(await checked(place)).map(result => result.says)).toContainEqual(expect.stringMatching(says))
  })

  test('tells of folds, indexes, answers and erasures that wait, and of a clock', async () => {
    const place = placed(create)
    const store = await place.open()
    const palimpsest = await createPalimpsest({
      ...{ store, policy: count({ threshold: 6, keepLast: 2 }), folding: 'manual', indexing: 'off' },
    })
    await fill(palimpsest.session('chat'))
    await palimpsest.session('other').append({ role: 'user', text: 'Hello' })
    const now = Date.now()
    const found = async (at: number) =>
      bad(await store.database.checkUp!({ now: at, isDeep: false })).map(({ what }) => what)
    expect(await found(now)).toEqual([])
    expect(await found(now + HOUR)).toEqual(
      place.address.startsWith('postgres')
        ? ["the server's clock", 'folds', 'search index']
        : ['folds', 'search index'],
    )
    expect(await found(now - HOUR)).toContain('clock')
    await palimpsest.close()
    await changeRows(
      place,
      `INSERT INTO erasures (namespace, target, requested_at, stage, places)
      VALUES ('default', '{"kind":"namespace"}', 1, 'scrubbing', '{}')`,
    )
    await changeRows(
      place,
      `INSERT INTO waiting (namespace, session_id, seq, burst, address, received_at)
      VALUES ('default', 1, 1, '""', '""', 1)`,
    )
    await changeRows(
      place,
      'UPDATE sessions SET failures = 5, last_outcome = \'{"reason":"summarizer_failed"}\'',
    )
    const told = bad(await checked(place))
    expect(told.map(({ what }) => what)).toEqual(['failed folds', 'answers', 'erasures'])
    expect(told[0]!.says).toMatch(/default chat: 5 times; summarizer_failed/)
    expect(told[2]!.says).toMatch(/1 in default, since 1970-.*palimpsest forget --receipt 1/)
  })
})

describe('palimpsest doctor', () => {
  const fileOf = ({ address }: StorePlace) => address.slice('sqlite:'.length)

  test('says what it looked at, and with --deep at more', async () => {
    const place = placed(sqlitePlace)
    await live(place, palimpsest => fill(palimpsest.session('chat')))
    const ran = await runHere(['doctor', '--db', fileOf(place)])
    expect(ran).toMatchObject({ code: 0 })
    for (const what of [
      'file: \\d+ pages read',
      'schema',
      'write-ahead log',
      'disk',
      'clock',
      'folds',
      'search index',
      'answers',
      'erasures',
    ])
      expect(ran.stdout).toMatch(new RegExp(`^ok   ${what}`, 'm'))
    expect(ran.stdout).not.toContain('row by row')
    const deep = await runHere(['doctor', '--db', fileOf(place), '--deep', '--json'])
    expect(JSON.parse(deep.stdout)).toMatchObject({ isWell: true })
    expect(deep.stdout).toContain('1 looked at')
  })

  test('tells of a file with damaged pages, of a long log, and exits with 1', async () => {
    const place = placed(sqlitePlace)
    await live(place, async palimpsest => {
      for (let number = 0; number < 5; number++) await fill(palimpsest.session(`chat ${number}`), 40)
    })
    const file = fileOf(place)
    writeFileSync(`${file}-wal`, '')
    truncateSync(`${file}-wal`, 65_000_000)
    expect(await runHere(['doctor', '--db', file])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^BAD {2}write-ahead log: 65\.0 MB, which is much/m),
    })
    truncateSync(`${file}-wal`, 0)
    damage(file)
    expect(await runHere(['doctor', '--db', file])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^BAD {2}(file: it is damaged|what is stored|database)/m),
    })
  })
})

/** Zeros in place of every third page, but for the first. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  for (let page = 3; (page + 1) * 4096 <= bytes.length; page += 3)
    bytes.fill(0, page * 4096, (page + 1) * 4096)
  writeFileSync(file, bytes)
}

test.for(Object.entries(PLACES))(
  '%s: tells for whom events are kept for long, and for whom no longer',
  async ([, create]) => {
    const place = placed(create)
    const eventsIn = async () => (await checked(place)).find(({ what }) => what === 'events')
    expect(await eventsIn()).toMatchObject({
      isWell: true,
      details: { retentionMs: null, readers: 0, awaited: [], gone: [] },
    })
    const store = await place.open()
    const seenAt = Date.UTC(2026, 0, 1)
    await store.events.noteConsumer('default', { name: 'crm', after: null, now: seenAt })
    for (let day = 0; day <= 8; day += 1) {
      await store.events.trimEvents({ now: seenAt + day * 24 * HOUR, retentionMs: 48 * HOUR })
      if (day === 4) await store.events.noteConsumer('default', { name: 'bi', after: null, now: seenAt })
      if (day === 7) await store.events.noteConsumer('default', { name: 'new', after: null, now: seenAt })
    }
    await store.close()
    const found = await eventsIn()
    expect(found).toMatchObject({ isWell: true, details: { retentionMs: 48 * HOUR, readers: 3 } })
    expect(found!.says).toMatch(
      /what they have not read is kept for them:\n {2}default bi, since 2026-01-01T00:00:00.000Z\n/,
    )
    expect(found!.says).toMatch(
      /nothing is kept for them any more:\n {2}default crm, since 2026-01-01T00:00:00.000Z\n/,
    )
    expect(found!.says).toContain('palimpsest doctor --forget-consumer NAME')
    expect(found!.says).not.toContain('new,')
  },
)
