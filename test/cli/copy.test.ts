import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import type { SessionFile, Store } from '../../packages/palimpsest/src/store/index.ts'
import { type History, history, newSession, play } from '../context/histories.ts'
import { keptOpen } from '../kept-open.ts'
import { runs } from '../runs.ts'
import { sqliteBeside } from '../stores.ts'
import { DATABASES, type Database, inPostgres, postgresDatabase, sqliteDatabase } from './databases.ts'
import { run, runHere } from './run.ts'

const databases: Database[] = []
afterAll(async () => {
  for (const database of databases) await database.remove()
})

async function made<D extends Database>(database: D | Promise<D>): Promise<D> {
  databases.push(await database)
  return database
}

const DIRECTIONS = [
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
  ['SQLite', 'SQLite'],
  ['PostgreSQL', 'PostgreSQL'],
] as const

/** A bit of everything, in two namespaces. */
async function fill(store: Store): Promise<void> {
  for (const namespace of ['default', 'customer-7']) {
    const palimpsest = await createPalimpsest({ store: keptOpen(store), namespace, folding: 'manual' })
    for (const id of ['telegram:1', 'telegram:2', '群 3']) {
      const chat = palimpsest.session(id, { kind: 'private', user: 'ann' })
      for (let index = 1; index <= 40; index++)
        await chat.append({
          role: index % 2 ? 'user' : 'assistant',
          content: `${namespace} ${id} message ${index}: ${'lemons for Porto '.repeat(20)}`,
          sender: { id: `u${index % 3}`, name: 'Ann 安' },
          externalId: `m-${index}`,
        })
      await chat.compact({ force: true })
      await chat.edit(38, 'edited')
      await chat.rollback(39)
      await chat.pin(3)
      await chat.note('Porto, not Lisbon')
    }
    await palimpsest.session('telegram:1').fork('fork', 20)
    for (const document of [
      palimpsest.memory.document('persona', ''),
      palimpsest.memory.document('user', 'ann'),
      palimpsest.memory.document('scope', 'work'),
      palimpsest.memory.document('global', ''),
      palimpsest.memory.document('chat', 'telegram:1'),
      palimpsest.memory.document('daily', '2026-02-10/telegram:1'),
    ]) {
      await document.replace('# One\n\nfirst')
      await document.replace('# One\n\nfirst and second')
    }
    await store.settings.writeSettings(namespace, { policy: 'rounds', fullContextTurns: 6 })
    await store.keys.addKey({
      id: `key-${namespace}`,
      namespace,
      name: 'bot',
      scopes: ['read', 'write'],
      hash: `hash of ${namespace}`,
      createdAt: new Date(1_700_000_000_000),
    })
    await palimpsest.settled({ timeoutMs: 10_000 })
    await palimpsest.close()
  }
}

/** All that can be read of a store. */
async function told(store: Store): Promise<unknown> {
  const namespaces = []
  for (const { namespace } of await store.copies.listNamespaces({ limit: 100 })) {
    const sessions = []
    for (const { id } of await store.sessions.listSessions(namespace, { limit: 1000 })) {
      const key = { namespace, id }
      // Each database numbers its sessions by itself.
      const { layers, leaseUntil, number, ...record } = (await store.sessions.readSession(key))!
      sessions.push({ file: await store.transfer.exportSession(key), record })
    }
    const documents = []
    for (const { layer, key } of await store.documents.listDocuments(namespace, { limit: 1000 })) {
      const name = { namespace, layer, key }
      documents.push([
        await store.documents.readDocument(name),
        await store.documents.readDocumentVersions(name, { limit: 100 }),
        await store.documents.readFacts(name, 'all'),
      ])
    }
    const settings = await store.settings.readSettings(namespace)
    namespaces.push({ namespace, sessions, documents, settings })
  }
  return { namespaces, keys: await store.keys.listKeys() }
}

function copying(from: Database, to: Database, ...more: readonly string[]): readonly string[] {
  return ['copy', '--from', from.address, '--to', to.address, '--json', ...more]
}

async function copy(from: Database, to: Database, ...more: readonly string[]) {
  const ran = await runHere(copying(from, to, ...more))
  return { ...ran, json: JSON.parse(ran.stdout || '{}') }
}

describe.each(DIRECTIONS)('palimpsest copy from %s to %s', (here, there) => {
  test('copies all of it, and a repeat changes nothing and says so', async () => {
    const [from, to] = [await made(DATABASES[here]()), await made(DATABASES[there]())]
    await from.use(fill)
    const first = await copy(from, to)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.json).toMatchObject({
      namespaces: ['customer-7', 'default'],
      sessions: { copied: 8, updated: 0, unchanged: 0 },
      messages: { written: 280, verified: 280 },
      documents: { copied: 8, updated: 0, unchanged: 0 },
      settings: { copied: 4 },
      keys: { copied: 2 },
      changed: true,
      differences: [],
    })
    expect(await to.use(told)).toEqual(await from.use(told))
    const before = await to.use(store => store.events.readLastPosition())
    const again = await copy(from, to)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.json).toMatchObject({
      sessions: { copied: 0, updated: 0, unchanged: 8 },
      messages: { written: 0, verified: 0 },
      documents: { copied: 0, updated: 0, unchanged: 8 },
      settings: { copied: 0, unchanged: 4 },
      keys: { copied: 0, unchanged: 2 },
      changed: false,
    })
    expect(await to.use(store => store.events.readLastPosition())).toBe(before)
    expect((await runHere(copying(from, to).filter(flag => flag !== '--json'))).stdout).toMatch(
      /^Nothing was to be copied: sessions 8 the same/,
    )
    const verified = await copy(from, to, '--verify')
    expect(verified.json).toMatchObject({ verifyOnly: true, messages: { verified: 280 }, differences: [] })
    expect(verified.code).toBe(0)
  })
})

describe('palimpsest copy', () => {
  test('of one namespace leaves the others', async () => {
    const [from, to] = [await made(sqliteDatabase()), await made(sqliteDatabase())]
    await from.use(fill)
    const { json } = await copy(from, to, '--namespace', 'customer-7')
    expect(json).toMatchObject({ namespaces: ['customer-7'], sessions: { copied: 4 }, keys: { copied: 1 } })
    expect(await to.use(store => store.copies.listNamespaces({ limit: 9 }))).toHaveLength(1)
    const unknown = await copy(from, to, '--namespace', 'nobody')
    expect(unknown).toMatchObject({ code: 64, json: { error: { code: 'invalid_argument' } } })
  })

  test.each(DIRECTIONS.slice(0, 2))(
    'from %s to %s: what came since is added, what was rewritten is written anew',
    async (here, there) => {
      const [from, to] = [await made(DATABASES[here]()), await made(DATABASES[there]())]
      await from.use(fill)
      await copy(from, to)
      await from.use(async store => {
        const palimpsest = await createPalimpsest({ store: keptOpen(store), folding: 'manual' })
        await palimpsest.session('telegram:1').append({ role: 'user', content: 'one more' })
        await palimpsest.session('telegram:2').append({ role: 'user', content: 'and more' })
        await palimpsest.session('telegram:2').compact({ force: true })
        await palimpsest.session('new').append({ role: 'user', content: 'hello' })
        await palimpsest.memory.document('user', 'ann').replace('# One\n\nthird')
        await palimpsest.close()
      })
      const { code, json } = await copy(from, to)
      expect(json).toMatchObject({
        sessions: { copied: 1, updated: 2, unchanged: 6 },
        documents: { copied: 0, updated: 1, unchanged: 7 },
        messages: { written: 1 + 41 + 1 },
        differences: [],
      })
      expect(code).toBe(0)
      expect(await to.use(told)).toEqual(await from.use(told))
    },
  )

  test('what is there with other content is named and left alone', async () => {
    const [from, to] = [await made(sqliteDatabase()), await made(postgresDatabase())]
    await from.use(fill)
    await to.use(async store => {
      const palimpsest = await createPalimpsest({ store: keptOpen(store), folding: 'manual' })
      await palimpsest.session('telegram:1').append({ role: 'user', content: 'of another' })
      await palimpsest.memory.document('persona', '').replace('another')
      await palimpsest.close()
      await store.settings.writeSettings('default', { policy: 'tokens' })
      await store.keys.addKey({
        id: 'other',
        namespace: 'default',
        name: 'bot',
        scopes: ['read'],
        hash: 'x',
        createdAt: new Date(0),
      })
    })
    const before = await to.use(store =>
      store.transfer.exportSession({ namespace: 'default', id: 'telegram:1' }),
    )
    const { code, stderr, json } = await copy(from, to)
    expect(code).toBe(1)
    expect(json.differences).toEqual([
      { kind: 'session', namespace: 'default', name: 'telegram:1', reason: 'conflict' },
      { kind: 'document', namespace: 'default', name: 'persona', reason: 'conflict' },
      { kind: 'setting', namespace: 'default', name: 'policy', reason: 'conflict' },
      { kind: 'key', namespace: 'default', name: 'bot', reason: 'conflict' },
    ])
    expect(stderr).toContain('session "telegram:1" is there with other content, and was left alone')
    expect(json.sessions).toEqual({ copied: 7, updated: 0, unchanged: 0 })
    expect(
      await to.use(store => store.transfer.exportSession({ namespace: 'default', id: 'telegram:1' })),
    ).toEqual(before)
    // A copy that somebody went on with is not overwritten either.
    await to.use(async store => {
      const palimpsest = await createPalimpsest({ store: keptOpen(store), folding: 'manual' })
      await palimpsest.session('telegram:2').append({ role: 'user', content: 'said there' })
      await palimpsest.close()
    })
    const again = await copy(from, to)
    expect(again.json.differences.map(({ name }: { name: string }) => name)).toEqual([
      'telegram:1',
      'telegram:2',
      'persona',
      'policy',
      'bot',
    ])
  })

  test('--verify names what is missing and what differs, also a single changed byte, and changes nothing', async () => {
    const [from, to] = [await made(sqliteDatabase()), await made(postgresDatabase())]
    await from.use(fill)
    await copy(from, to)
    await inPostgres(
      to.address,
      `UPDATE palimpsest.messages SET content = content || '.' WHERE seq = 7 AND session_id =
         (SELECT id FROM palimpsest.sessions WHERE namespace = 'default' AND name = 'fork')`,
      `DELETE FROM palimpsest.api_keys WHERE namespace = 'default'`,
      `UPDATE palimpsest.facts SET line = line`,
      `UPDATE palimpsest.documents SET tokens = tokens + 1 WHERE layer = 'global' AND namespace = 'default'`,
    )
    await from.use(async store => {
      const palimpsest = await createPalimpsest({ store: keptOpen(store), folding: 'manual' })
      await palimpsest.session('new').append({ role: 'user', content: 'hello' })
      await palimpsest.close()
    })
    const before = await to.use(told)
    const { code, json } = await copy(from, to, '--verify')
    expect(code).toBe(1)
    expect(
      json.differences.map((each: { kind: string; name: string; reason: string }) => [
        each.kind,
        each.name,
        each.reason,
      ]),
    ).toEqual([
      ['session', 'fork', 'different'],
      ['session', 'new', 'missing'],
      ['document', 'global', 'different'],
      ['key', 'bot', 'missing'],
    ])
    expect(await to.use(told)).toEqual(before)
  })

  test('does not copy what is being erased', async () => {
    const [from, to] = [await made(sqliteDatabase()), await made(sqliteDatabase())]
    await from.use(async store => {
      await fill(store)
      await store.erasure.beginErasure('default', { target: { kind: 'person', id: 'u1' }, now: Date.now() })
    })
    const { code, json, stderr } = await copy(from, to)
    expect(code).toBe(1)
    expect(json.differences).toEqual([
      { kind: 'namespace', namespace: 'default', name: 'default', reason: 'erasing' },
    ])
    expect(stderr).toContain('an erasure is under way')
    expect(json.sessions.copied).toBe(4)
  })

  test('many messages to a session, and many sessions', async () => {
    const [from, to] = [await made(sqliteDatabase()), await made(postgresDatabase())]
    await from.use(store => speak(store, { long: 5_000, sessions: 120 }))
    const { json } = await copy(from, to)
    expect(json).toMatchObject({ sessions: { copied: 121 }, messages: { written: 5_240, verified: 5_240 } })
    expect(await to.use(told)).toEqual(await from.use(told))
  })

  test.each([
    [['--from', 'sqlite:nowhere.db', '--to', 'sqlite:x.db'], 66, 'There is no database'],
    [['--from', 'mysql://user:secret@host/x', '--to', 'sqlite:x.db'], 64, '--from'],
    [['--from', 'sqlite:x.db', '--to', 'palimpsest.db'], 64, '--to'],
    [['--from', 'sqlite:x.db', '--to', 'sqlite:x.db'], 64, 'another database'],
    [['--from', 'sqlite:x.db'], 64, '--to'],
  ])('%j is a clear error', async (args, code, words) => {
    const ran = await runHere(['copy', ...args])
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) })
    expect(ran.stderr).not.toContain('secret')
  })
})

async function speak(store: Store, { long, sessions }: { long: number; sessions: number }): Promise<void> {
  const palimpsest = await createPalimpsest({
    store: keptOpen(store),
    folding: 'manual',
    indexing: 'off',
  })
  const message = (index: number) => ({
    role: index % 2 ? ('assistant' as const) : ('user' as const),
    content: `message ${index}`,
    sender: `u${index % 7}`,
    externalId: `m-${index}`,
  })
  const batches = Array.from({ length: Math.ceil(long / 500) }, (_, batch) => batch * 500)
  for (const start of batches)
    await palimpsest
      .session('long')
      .append(Array.from({ length: Math.min(500, long - start) }, (_, index) => message(start + index)))
  await Promise.all(
    Array.from({ length: sessions }, (_, index) =>
      palimpsest.session(`s-${index}`).append([message(0), message(1)]),
    ),
  )
  await palimpsest.close()
}

describe('a copy that is broken off', () => {
  test.each(DIRECTIONS.slice(0, 2))(
    'from %s to %s by kill -9, again and again, is whole at last',
    async (here, there) => {
      const [from, to] = [await made(DATABASES[here]()), await made(DATABASES[there]())]
      await from.use(store => speak(store, { long: 20_000, sessions: 60 }))
      await to.use(async () => {})
      let killed = 0
      for (const share of [0.02, 0.2, 0.5, 0.8, 0.99]) {
        const ran = await runUntil(copying(from, to), {
          signal: 'SIGKILL',
          when: () => isPast(to, share * 20_000),
        })
        killed += ran.signal === 'SIGKILL' ? 1 : 0
        // What is to be seen is whole: the rest is not there.
        await to.use(async store => {
          for (const { id } of await store.sessions.listSessions('default', { limit: 1000 })) {
            const key = { namespace: 'default', id }
            expect(await store.log.readMessages(key, { limit: 1, from: 'newest' })).toMatchObject([
              { seq: id === 'long' ? 20_000 : 2 },
            ])
          }
        })
      }
      expect(killed).toBeGreaterThan(2)
      const last = await copy(from, to)
      expect(last).toMatchObject({ code: 0, stderr: '' })
      expect(last.json.messages.written).toBeLessThan(15_000)
      expect(await to.use(told)).toEqual(await from.use(told))
      const verified = await copy(from, to, '--verify')
      expect(verified.json).toMatchObject({ messages: { verified: 20_120 }, differences: [] })
    },
  )

  test('by Ctrl-C says how to go on, and goes on', async () => {
    const [from, to] = [await made(sqliteDatabase()), await made(postgresDatabase())]
    await from.use(store => speak(store, { long: 20_000, sessions: 5 }))
    await to.use(async () => {})
    const ran = await runUntil(copying(from, to), { signal: 'SIGINT', when: () => isPast(to, 2_000) })
    expect(ran).toMatchObject({ code: 130, stdout: '' })
    expect(ran.stderr).toContain('Run it again to go on')
    const { json } = await copy(from, to)
    expect(json.messages.written).toBeLessThan(18_000)
    expect(await to.use(told)).toEqual(await from.use(told))
  })
})

/** How many messages a target holds, of sessions that nobody sees yet, too. */
async function isPast(database: Database, messages: number): Promise<boolean> {
  const count = 'SELECT count(*) AS count FROM'
  if (database.address.startsWith('sqlite:')) {
    const db = sqliteBeside(database.address, { readOnly: true })
    try {
      const row = db.prepare(`${count} messages`).get() as { count: number }
      return row.count >= messages
    } finally {
      db.close()
    }
  }
  const { default: pg } = await import('pg')
  const client = new pg.Client(database.address)
  await client.connect()
  const { rows } = await client.query(`${count} palimpsest.messages`)
  await client.end()
  return Number(rows[0].count) >= messages
}

/** A process of its own, until something is so; it may end before. */
async function runUntil(
  args: readonly string[],
  { signal, when }: { signal: NodeJS.Signals; when: () => Promise<boolean> },
) {
  const { spawn } = await import('node:child_process')
  const { MAIN } = await import('./run.ts')
  const child = spawn(process.execPath, [MAIN, ...args])
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve =>
    child.on('close', (code, ending) => resolve({ code, signal: ending })),
  )
  try {
    while (child.exitCode === null && child.signalCode === null && !(await when())) await sleep(5)
  } finally {
    child.kill(signal)
  }
  return { ...(await ended), stdout, stderr }
}

test('random histories, copied there and back, are the same to the byte', async () => {
  const [from, to, back] = [
    await made(sqliteDatabase()),
    await made(postgresDatabase()),
    await made(sqliteDatabase()),
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(history(25), { minLength: 1, maxLength: 3 }), async histories => {
      await from.use(store => playAll(store, histories))
      for (const [source, target] of [
        [from, to],
        [to, back],
      ] as const)
        expect(await copy(source, target)).toMatchObject({ code: 0, stderr: '' })
      const files = await from.use(filesOf)
      expect(JSON.stringify(await to.use(filesOf))).toBe(JSON.stringify(files))
      expect(JSON.stringify(await back.use(filesOf))).toBe(JSON.stringify(files))
    }),
    { numRuns: runs(4, 12) },
  )
  expect(await back.use(told)).toEqual(await from.use(told))
})

async function playAll(store: Store, histories: readonly History[]): Promise<void> {
  const palimpsest = await createPalimpsest({ store: keptOpen(store), folding: 'manual' })
  for (const each of histories) {
    const session = newSession(palimpsest, each)
    await session.append({ role: 'user', content: 'first' })
    await play(session, each)
  }
  await palimpsest.close()
}

async function filesOf(store: Store): Promise<readonly SessionFile[]> {
  const files = []
  for (const { id } of await store.sessions.listSessions('default', { limit: 10_000 }))
    files.push(await store.transfer.exportSession({ namespace: 'default', id }))
  return files
}

test('the command line is told of in a process, with progress on a terminal', async () => {
  const [from, to] = [await made(sqliteDatabase()), await made(sqliteDatabase())]
  await from.use(store => speak(store, { long: 3_000, sessions: 3 }))
  const ran = await run(copying(from, to).filter(flag => flag !== '--json'))
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toMatch(/^Copied 3006 messages \(\d+ a second\): sessions 4 copied\.\n$/)
  const again = await made(sqliteDatabase())
  const shown = await runHere(copying(from, again), 200)
  expect(shown.stderr).toMatch(/copying +\d+% {2}\d+ of 4 sessions, \d+ messages, \d+ a second/)
})

test('a session with a number that nothing can follow is named, and the rest is copied', async () => {
  const [from, to] = [await made(sqliteDatabase()), await made(sqliteDatabase())]
  await from.use(async store => {
    const palimpsest = await createPalimpsest({ store: keptOpen(store), folding: 'manual' })
    for (const id of ['bad', 'good']) await palimpsest.session(id).append({ role: 'user', content: 'hello' })
    await palimpsest.close()
  })
  const database = sqliteBeside(from.address)
  database.exec(`UPDATE sessions SET epoch = ${2 ** 53 - 1} WHERE name = 'bad'`)
  database.close()
  const { json, stderr } = await copy(from, to)
  expect(json.sessions).toMatchObject({ copied: 1 })
  expect(json.differences).toMatchObject([{ kind: 'session', name: 'bad', reason: 'unusable' }])
  expect(stderr).toContain('has a number that nothing can follow')
})
