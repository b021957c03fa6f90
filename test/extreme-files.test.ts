import { afterEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type Palimpsest,
  PalimpsestError,
} from '../packages/palimpsest/src/index.ts'
import type { SessionFile } from '../packages/palimpsest/src/store/index.ts'
import { messages } from './folding-kit.ts'
import { changeRows, PLACES, type StorePlace, sqliteBeside, sqlitePlace } from './stores.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const places: StorePlace[] = []
const open: Palimpsest[] = []

async function instance(place: StorePlace): Promise<Palimpsest> {
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: count({ threshold: 12, keepLast: 4 }),
    folding: 'manual',
  })
  open.push(palimpsest)
  return palimpsest
}

function placed(create: () => StorePlace): StorePlace {
  const place = create()
  places.push(place)
  return place
}

afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
  for (const place of places.splice(0)) await place.remove()
})

/** A session with something of everything that a file can tell. */
async function everything(palimpsest: Palimpsest): Promise<SessionFile> {
  const session = palimpsest.session('origin', { user: 'ann' })
  await session.append(messages(1, 20, 'Ann pays the invoice of 120 euros next Friday. '))
  await session.compact({ force: true })
  await session.append(messages(21, 60, 'Bob moves to Porto in May. '))
  await session.compact({ force: true })
  await session.append(messages(61, 80))
  await session.compact({ force: true })
  await session.append({ ...messages(81, 81)[0]!, replyTo: 3 })
  await session.edit(82 - 1, 'Number 81, said better')
  await session.append(messages(82, 86))
  await session.rollback(84)
  await session.append(messages(87, 88))
  await session.pin(2)
  await session.note('always be kind')
  await session.memory.replace('# Chat\n\n- likes tea\n')
  await session.memory.replace('# Chat\n\n- likes coffee\n')
  await session.memory.undo()
  await palimpsest.forget({ kind: 'messages', sessionId: 'origin', seqs: [70] })
  const fork = await session.fork('fork')
  const file = JSON.parse(JSON.stringify(await fork.export())) as SessionFile
  expect([file.segments.length > 1, file.pins.length, file.documents.length > 0]).toEqual([true, 2, true])
  const whole = JSON.parse(JSON.stringify(await session.export())) as SessionFile
  return { ...whole, origin: file.origin }
}

interface Leaf {
  readonly path: readonly (string | number)[]
  readonly value: number | string
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/

/** Every number and every instant. */
function leavesOf(value: Json, path: readonly (string | number)[] = []): Leaf[] {
  if (typeof value === 'number' || (typeof value === 'string' && INSTANT.test(value)))
    return [{ path, value }]
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([name, inner]) => leavesOf(inner, [...path, name]))
}

function withLeaf(value: Json, path: readonly (string | number)[], leaf: number | string): Json {
  const [name, ...rest] = path
  if (name === undefined) return leaf
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, Json>
  copy[name] = withLeaf(copy[name]!, rest, leaf)
  return copy as Json
}

/** The largest first: of those that a place takes, the first is tried out. */
const NUMBERS = [1e308, 2 ** 63, 2 ** 53, 2 ** 53 - 1, 2 ** 53 - 2, 2 ** 40, 2 ** 31, 2 ** 31 - 1, 0.5, -1, 0]
const INSTANTS = [
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-30T12:00:00.000Z',
  '0001-01-02T12:00:00.000Z',
]

/** All that a session can be asked for; each of these was once impossible for one of these numbers. */
async function exercise(palimpsest: Palimpsest, id: string): Promise<void> {
  const session = palimpsest.session(id, { user: 'ann' })
  const before = await session.count()
  expect((await palimpsest.sessions({ contains: id })).map(({ id }) => id)).toEqual([id])
  const { messages: added } = await session.append(messages(101, 116))
  expect(await session.count()).toBe(before + 16)
  await session.context()
  await session.search('invoice')
  expect((await session.compact({ force: true })).outcome).toBe('applied')
  await session.edit(added[14]!.seq, 'edited')
  await session.rollback(added[13]!.seq)
  expect(await session.count()).toBe(before + 14)
  await session.compact({ force: true })
  await session.observeUsage(await session.context(), { model: 'm', inputTokens: 100 })
  const fork = await session.fork(`${id}-fork`)
  expect(await fork.count()).toBe(before + 14)
  const { session: again } = await palimpsest.import(await session.export(), { id: `${id}-again` })
  expect(await again.count()).toBe(before + 14)
  for (const name of [id, `${id}-fork`, `${id}-again`]) {
    await palimpsest.forget({ kind: 'session', sessionId: name })
    expect(await palimpsest.session(name).info()).toBeNull()
  }
  // What comes under the same name begins above it.
  await session.append({ role: 'user', content: 'hello' })
  expect((await session.info())!.epoch).toBeLessThan(2 ** 40)
  await palimpsest.forget({ kind: 'session', sessionId: id })
  expect(await palimpsest.sessions({ contains: id })).toEqual([])
}

async function tryEach(
  palimpsest: Palimpsest,
  file: Json,
  leaves: readonly Leaf[],
): Promise<{ refused: number; taken: number }> {
  const tally = { refused: 0, taken: 0 }
  for (const [number, { path, value: given }] of leaves.entries())
    for (const value of typeof given === 'number' ? NUMBERS : INSTANTS) {
      const id = `copy-${number}`
      const label = `${path.join('.')} = ${value}`
      try {
        await palimpsest.import(withLeaf(file, path, value), { id })
      } catch (error) {
        expect(PalimpsestError.isInstance(error) && error.code, label).toBe('invalid_export')
        expect((error as Error).message, label).toContain('Nothing was imported')
        expect(await palimpsest.session(id).info(), label).toBeNull()
        tally.refused += 1
        continue
      }
      await exercise(palimpsest, id).catch(cause => {
        throw new Error(label, { cause })
      })
      tally.taken += 1
      break
    }
  return tally
}

const kindOf = ({ path }: Pick<Leaf, 'path'>) => path.filter(name => typeof name === 'string').join('.')

/** Of places that differ only by where in a list they are, one. */
function oneOfEach(leaves: readonly Leaf[]): readonly Leaf[] {
  return [...new Map(leaves.map(leaf => [kindOf(leaf), leaf])).values()]
}

/** What may hold any number: what it says is not used, or belongs to the summariser and is only shown. */
const UNUSED = [
  // With a warning, as none.
  'compactedThrough',
  'memo.throughSeq',
  'memoVersions.throughSeq',
  'memo.value.last_resize.turn',
  'memoVersions.value.last_resize.turn',
  'segments.events.seq',
  // They are numbered anew.
  'pins.id',
  // What it points to need not be there.
  'messages.replyTo',
]

const NAMES_OF_THE_FILE = [
  ...['origin.seq', 'messages.seq', 'segments.id', 'segments.messageCount', 'pins.seq'],
  ...['documents.versions.sources.fromSeq', 'documents.versions.sources.toSeq', 'documents.versions.undoes'],
  ...['documents.facts.version', 'documents.facts.fromSeq', 'documents.facts.toSeq'],
]

describe('a file with an extreme number', () => {
  test('is refused whole, or becomes a session that can do everything (SQLite)', {
    timeout: 300_000,
  }, async () => {
    const palimpsest = await instance(placed(sqlitePlace))
    const file = (await everything(palimpsest)) as unknown as Json
    const { refused, taken } = await tryEach(palimpsest, file, oneOfEach(leavesOf(file)))
    expect(refused).toBeGreaterThan(150)
    expect(taken).toBeGreaterThan(20)
  })

  test('is refused whole, or becomes a session that can do everything (PostgreSQL)', {
    timeout: 300_000,
  }, async () => {
    const palimpsest = await instance(placed(PLACES.PostgreSQL))
    const file = (await everything(palimpsest)) as unknown as Json
    const leaves = oneOfEach(leavesOf(file)).filter((_, place) => place % 4 === 0)
    expect((await tryEach(palimpsest, file, leaves)).refused).toBeGreaterThan(30)
  })

  test('is refused wherever the number stands, unless it is not used', async () => {
    const palimpsest = await instance(placed(sqlitePlace))
    const file = (await everything(palimpsest)) as unknown as Json
    const leaves = oneOfEach(leavesOf(file)).filter(({ value }) => typeof value === 'number')
    const taken = new Set<string>()
    for (const value of [2 ** 53 - 1, 2 ** 53, 1e308])
      for (const leaf of leaves) {
        const id = `${kindOf(leaf)}-${value}`
        await palimpsest.import(withLeaf(file, leaf.path, value), { id }).then(
          () => taken.add(kindOf(leaf)),
          error => expect(error, id).toMatchObject({ code: 'invalid_export' }),
        )
      }
    expect([...taken].toSorted()).toEqual(UNUSED.toSorted())
    // What names something of the file itself is no larger than that.
    for (const leaf of leaves.filter(each => NAMES_OF_THE_FILE.includes(kindOf(each))))
      await expect(
        palimpsest.import(withLeaf(file, leaf.path, 2 ** 31 - 1), { id: kindOf(leaf) }),
      ).rejects.toMatchObject({ code: 'invalid_export' })
  })

  test('is told by field, value and what is allowed', async () => {
    const palimpsest = await instance(placed(sqlitePlace))
    const file = (await everything(palimpsest)) as unknown as Json
    const refused = (path: readonly (string | number)[], value: number) =>
      palimpsest.import(withLeaf(file, path, value), { id: 'copy' }).catch(error => error)
    expect(await refused(['epoch'], 2 ** 53 - 1)).toMatchObject({
      code: 'invalid_export',
      message:
        'The exported session is wrong at epoch (9007199254740991): it must be a whole number from 0 to 2147483647. ' +
        'Nothing was imported.',
      details: { field: 'epoch', value: 2 ** 53 - 1 },
    })
    expect((await refused(['messages', 87, 'seq'], 2 ** 53 - 1)).details).toMatchObject({
      field: 'messages[87].seq',
      value: 2 ** 53 - 1,
    })
    // Of what this file has none of.
    for (const name of ['rolledInto', 'windowThrough'])
      expect((await refused(['segments', 0, name], 2 ** 53 - 1)).details).toMatchObject({
        field: `segments[0].${name}`,
        value: 2 ** 53 - 1,
      })
    expect((await refused(['counters', 'lastFoldAt'], 2 ** 53 - 1)).details.field).toBe('counters.lastFoldAt')
  })
})

describe.each(Object.entries(PLACES))('on %s', (_, create) => {
  test('a session that has such a number already can be listed and erased', async () => {
    const place = placed(create)
    const palimpsest = await instance(place)
    for (const id of ['epoch', 'larger epoch', 'seq', 'token'])
      await palimpsest.session(id, { user: 'ann' }).append(messages(1, 3))
    const changes = [
      [`epoch = ${2 ** 53 - 1}`, 'epoch'],
      ['epoch = 9007199254740999', 'larger epoch'],
      ['lease_token = 9007199254740999', 'token'],
    ]
    for (const [assignment, name] of changes)
      await changeRows(place, `UPDATE sessions SET ${assignment} WHERE name = '${name}'`)
    await changeRows(
      place,
      `UPDATE messages SET seq = 9007199254740992 WHERE seq = 3
         AND session_id = (SELECT id FROM sessions WHERE name = 'seq')`,
    )
    expect((await palimpsest.sessions()).map(({ id }) => id).sort()).toEqual([
      'epoch',
      'larger epoch',
      'seq',
      'token',
    ])
    for (const id of ['epoch', 'larger epoch', 'token']) {
      const { done } = await palimpsest.forget({ kind: 'session', sessionId: id })
      expect([id, typeof done]).toEqual([id, 'boolean'])
      expect(await palimpsest.session(id).info()).toBeNull()
      // Its name is free, and what bears it next is as good as any.
      await palimpsest.session(id).append(messages(1, 3))
      expect((await palimpsest.session(id).info())!.epoch).toBeLessThan(2 ** 53)
    }
    // Nor does an older program beside this one begin above them.
    if (place.address.startsWith('sqlite:')) {
      const database = sqliteBeside(place.address)
      const { highest } = database.prepare('SELECT max(highest) AS highest FROM erasures').get() as {
        highest: number
      }
      database.close()
      expect(highest).toBeLessThan(2 ** 52)
    }
    // As such a program has left it.
    await changeRows(place, `UPDATE erasures SET highest = ${2 ** 53 - 1}`)
    await palimpsest.session('next').append(messages(1, 3))
    expect((await palimpsest.session('next').info())!.epoch).toBeLessThan(2 ** 52)
    await palimpsest.forget({ kind: 'person', id: 'ann' })
    expect(await palimpsest.session('seq').info()).toBeNull()
    await palimpsest.forget({ kind: 'namespace' })
    expect(await palimpsest.sessions()).toEqual([])
  })

  test('a session that has come further than a file may tell is exported, and imported again', async () => {
    const place = placed(create)
    const palimpsest = await instance(place)
    const session = palimpsest.session('old')
    await session.append(messages(1, 20))
    await session.compact({ force: true })
    await changeRows(place, `UPDATE sessions SET epoch = ${2 ** 40}, overhead_tokens = ${2 ** 33}`)
    await changeRows(place, `UPDATE segments SET tokens_before = ${2 ** 45}, tokens_after = ${2 ** 33}`)
    const { session: again, warnings } = await palimpsest.import(await session.export(), { id: 'again' })
    expect([await again.count(), (await again.segments()).length, warnings]).toEqual([20, 1, []])
  })
})
