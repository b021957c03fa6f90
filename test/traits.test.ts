import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  SessionMismatchError,
} from '../packages/palimpsest/src/index.ts'
import { runHere } from './cli/run.ts'
import { type StorePlace, sqliteBeside, sqlitePlace } from './stores.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(
  options: Partial<PalimpsestOptions> = {},
  place: StorePlace = sqlitePlace(),
): Promise<{ palimpsest: Palimpsest; place: StorePlace }> {
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', ...options })
  cleanups.push(
    () => place.remove(),
    () => palimpsest.close(),
  )
  return { palimpsest, place }
}

const said = (content: string) => ({ role: 'user' as const, content })

describe('a session that is opened as something else', () => {
  test('stores nothing of it and names both', async () => {
    const { palimpsest } = await start()
    await palimpsest.session('s3', { kind: 'private', user: 'ann' }).append(said('I am Ann'))
    const bob = palimpsest.session('s3', { kind: 'group', user: 'bob' })
    const error = await bob.append(said('I am Bob')).catch(error => error)
    expect(error).toBeInstanceOf(SessionMismatchError)
    expect(error).toMatchObject({
      code: 'session_mismatch',
      details: {
        sessionId: 's3',
        mismatches: [
          { trait: 'kind', given: 'group', stored: 'private' },
          { trait: 'user', given: 'bob', stored: 'ann' },
        ],
      },
    })
    expect(error.message).toContain('"ann"')
    expect(error.message).toContain('"bob"')
    expect(await palimpsest.session('s3').count()).toBe(1)
  })

  test('is refused by every read and every change', async () => {
    const { palimpsest } = await start()
    const ann = palimpsest.session('s', { user: 'ann' })
    await ann.append([said('one'), { role: 'assistant', content: 'two' }])
    await ann.memory.append('- secret')
    const bob = palimpsest.session('s', { user: 'bob' })
    const calls: Record<string, () => Promise<unknown>> = {
      append: () => bob.append([]),
      replaceTail: () => bob.replaceTail([], { expected: 'everything' }),
      waiting: () => bob.waiting(),
      messages: () => bob.messages(),
      count: () => bob.count(),
      info: () => bob.info(),
      folds: () => bob.folds(),
      growth: () => bob.growth(),
      settings: () => bob.settings(),
      configure: () => bob.configure({ a: 1 }),
      segments: () => bob.segments(),
      edit: () => bob.edit(1, 'x'),
      versions: () => bob.versions(1),
      rollback: () => bob.rollback(0),
      fork: () => bob.fork('other'),
      context: () => bob.context(),
      turn: () => bob.turn(),
      pin: () => bob.pin(1),
      note: () => bob.note('x'),
      pins: () => bob.pins(),
      unpin: () => bob.unpin(1),
      memory: () => bob.memory.read(),
      section: () => bob.memory.section('x'),
      memoryAppend: () => bob.memory.append('- mine'),
      memoryVersions: () => bob.memory.versions(),
      memoryFacts: () => bob.memory.facts(),
      daily: () => bob.daily().read(),
      memoryTools: () => bob.memoryTools(),
      search: () => bob.search('one'),
      expand: () => bob.expand({ fromSeq: 1, toSeq: 1 }),
      export: () => bob.export(),
      snapshot: () => bob.snapshot(),
      compact: () => bob.compact({ force: true }),
      judge: () => bob.judge(),
      plan: () => bob.plan({ force: true }),
      assign: () => bob.assign({ scope: 'work' }),
      awaitAnswer: () => bob.awaitAnswer(1, { burst: '', address: {} }),
      settleWaiting: () => bob.settleWaiting([1]),
      addAlias: () => bob.addAlias('other'),
      countAllowance: () => bob.countAllowance({ kind: 'any', withinMs: 1 }),
      takeAllowance: () => bob.takeAllowance({ kind: 'any', limit: 1, withinMs: 1 }),
    }
    for (const [name, call] of Object.entries(calls))
      expect([
        name,
        await call().then(
          () => 'done',
          error => error.code,
        ),
      ]).toEqual([name, 'session_mismatch'])
    expect(await palimpsest.session('s').count()).toBe(2)
  })

  test('is no other one by what is not said', async () => {
    const { palimpsest } = await start()
    await palimpsest.session('g', { kind: 'group', scope: 'work' }).append(said('hello'))
    await palimpsest.session('g').append(said('no kind is given'))
    await palimpsest.session('g', { scope: 'work' }).append(said('no kind either'))
    expect(await palimpsest.session('g').info()).toMatchObject({ kind: 'group', messages: 3 })
  })
})

test('an event of a later version is read as one of no type, and stops nothing', async () => {
  const { palimpsest, place } = await start()
  await palimpsest.session('s').append(said('x'))
  const database = sqliteBeside(place.address)
  database.exec('UPDATE events SET type = 99')
  database.close()
  const store = await place.open()
  const events = await store.events.readEvents({ after: null, limit: 10 })
  await store.close()
  expect(events.map(({ sessionId, type }) => [sessionId, type])).toEqual([
    ['s', undefined],
    ['s', undefined],
  ])
  expect(await palimpsest.sessions({ order: 'recent' })).toHaveLength(1)
})

describe('assign', () => {
  test('gives what is missing once, and what was said before belongs to the person', async () => {
    const { palimpsest, place } = await start()
    const bare = palimpsest.session('old')
    await bare.append([said('my canary is violet'), { role: 'assistant', content: 'noted' }])
    const ann = palimpsest.session('old', { user: 'ann' })
    expect((await ann.append(said('more'))).unassigned).toEqual(['user'])
    expect(await palimpsest.session('old').info()).toMatchObject({ user: null })
    expect((await palimpsest.search('canary', { user: 'ann' })).results).toEqual([])
    expect(await ann.assign({ user: 'ann' })).toEqual({ assigned: ['user'] })
    expect(await ann.assign({ user: 'ann' })).toEqual({ assigned: [] })
    await expect(bare.assign({ user: 'bob' })).rejects.toMatchObject({ code: 'session_mismatch' })
    expect((await ann.append(said('again'))).unassigned).toBeUndefined()
    expect((await palimpsest.search('canary', { user: 'ann' })).results).toHaveLength(1)
    const { session: copy } = await palimpsest.import(await bare.export(), { id: 'copy' })
    expect(await copy.info()).toMatchObject({ user: 'ann' })
    await palimpsest.forget({ kind: 'person', id: 'ann' })
    expect(await palimpsest.session('old').info()).toBeNull()
    expect(await palimpsest.session('copy').info()).toBeNull()
    const database = sqliteBeside(place.address, { readOnly: true })
    expect(database.prepare("SELECT * FROM messages WHERE content LIKE '%canary%'").all()).toEqual([])
    database.close()
  })

  test('shows the memory of the person in the next context of every process', async () => {
    const place = sqlitePlace()
    const { palimpsest: one } = await start({}, place)
    const { palimpsest: other } = await start({}, place)
    await one.memory.user('ann').append('- drinks rooibos')
    await one.session('s').append(said('hello'))
    const before = await other.session('s').context()
    expect(before.instructions).not.toContain('rooibos')
    await one.session('s').assign({ user: 'ann' })
    const after = await other.session('s').context()
    expect(after.instructions).toContain('rooibos')
    expect(after.report.epoch).toBeGreaterThan(before.report.epoch)
    expect((await other.session('s').memoryTools()).definitions.map(({ name }) => name)).toContain(
      'write_user_memory',
    )
    await one.forget({ kind: 'person', id: 'ann' })
    expect(await other.session('s').info()).toBeNull()
  })

  test('takes user, scope, or both, and nothing else', async () => {
    const { palimpsest } = await start()
    const chat = palimpsest.session('s')
    await chat.append(said('x'))
    for (const wrong of [{}, { kind: 'group' }, { user: '' }, { user: '..' }, { scope: '.' }, { user: 7 }])
      await expect(chat.assign(wrong as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(palimpsest.session('none').assign({ user: 'a' })).rejects.toMatchObject({
      code: 'session_not_found',
    })
    expect(await chat.assign({ user: 'ann', scope: 'work' })).toEqual({ assigned: ['user', 'scope'] })
  })
})

describe('the ids . and ..', () => {
  test('are none for what is new', async () => {
    const { palimpsest } = await start()
    const chat = palimpsest.session('s')
    await chat.append(said('x'))
    const file = await chat.export()
    for (const id of ['.', '..']) {
      const refused: (() => Promise<unknown>)[] = [
        () => palimpsest.session(id).append(said('x')),
        () => palimpsest.session('new', { user: id }).append(said('x')),
        () => palimpsest.session('new', { scope: id }).append(said('x')),
        () => chat.fork(id),
        () => palimpsest.import(file, { id }),
        () => palimpsest.import({ ...file, id }),
        () => palimpsest.import({ ...file, id: 'i', user: id }),
        () => palimpsest.memory.user(id).append('- x'),
        () => palimpsest.memory.scope(id).replace('- x'),
        () => palimpsest.session(id).memory.append('- x'),
        () => palimpsest.session(id).memoryTools(),
      ]
      for (const call of refused) await expect(call(), String(call)).rejects.toThrow(/\. and \.\. are none/)
    }
    expect((await palimpsest.sessions()).map(({ id }) => id)).toEqual(['s'])
  })

  test('of an older database are within reach of the command line, and make nothing new there', async () => {
    const { palimpsest, place } = await start()
    await palimpsest.session('old').append(said('from before'))
    const file = place.address.replace('sqlite:', '')
    const database = sqliteBeside(place.address)
    database.exec("UPDATE sessions SET name = '..', name_key = '..' WHERE name = 'old'")
    database.close()
    const exported = await runHere(['export', '..', '--db', file])
    expect(JSON.parse(exported.stdout)).toMatchObject({ id: '..' })
    const transcript = join(mkdtempSync(join(tmpdir(), 'palimpsest-traits-')), 'chat.jsonl')
    writeFileSync(transcript, '{"role":"user","text":"hello"}\n')
    expect(await runHere(['import', transcript, '--session', '.', '--db', file])).toMatchObject({ code: 64 })
    const forgotten = await runHere(['forget', '--session', '..', '--yes', '--db', file])
    expect(forgotten).toMatchObject({ code: 0 })
    expect(await palimpsest.sessions()).toEqual([])
  })

  test('can be read, appended to and erased where an older database has them', async () => {
    const { palimpsest, place } = await start()
    await palimpsest.session('old', { user: 'u' }).append(said('from before'))
    await palimpsest.memory.user('u').append('- from before')
    const database = sqliteBeside(place.address)
    database.exec("UPDATE sessions SET name = '..', name_key = '..', user_id = '..' WHERE name = 'old'")
    database.exec("UPDATE documents SET name = '..', name_key = '..' WHERE layer = 'user'")
    database.close()
    const old = palimpsest.session('..')
    expect((await old.messages()).map(({ content }) => content)).toEqual(['from before'])
    await old.append(said('still'))
    expect((await old.context()).instructions).toContain('from before')
    await palimpsest.memory.user('..').append('- and now')
    await old.fork('rescued')
    await palimpsest.forget({ kind: 'session', sessionId: '..' })
    expect((await palimpsest.sessions()).map(({ id }) => id)).toEqual(['rescued'])
    await palimpsest.forget({ kind: 'person', id: '..' })
    expect(await palimpsest.sessions()).toEqual([])
    expect(await palimpsest.memory.user('..').read()).toBeNull()
  })
})
