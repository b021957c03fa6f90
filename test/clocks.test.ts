import { afterEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
} from '../packages/palimpsest/src/index.ts'
import { messages } from './folding-kit.ts'
import { runtimeKit } from './runtime/runtime-kit.ts'
import { openClient } from './server/client.ts'
import { changeRows, PLACES, type StorePlace, sqlitePlace } from './stores.ts'

const DAY = 86_400_000
const AHEAD = 30 * DAY

const places: StorePlace[] = []
const open: Palimpsest[] = []

function placed(create: () => StorePlace): StorePlace {
  const place = create()
  places.push(place)
  return place
}

async function instance(place: StorePlace, options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  const palimpsest = await createPalimpsest({ store: await place.open(), ...options })
  open.push(palimpsest)
  return palimpsest
}

afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
  for (const place of places.splice(0)) await place.remove()
})

/** Instants whose day has no year of four digits, in some zone at least. */
const STRANGE = [
  '9999-12-31T20:00:00Z',
  '9999-12-31',
  '0001-01-01T00:00:00Z',
  '0000-06-01T00:00:00Z',
  -62_200_000_000_000,
  Date.UTC(10_000, 5, 1),
  8.64e15,
]

describe('a time that documents cannot name', () => {
  test('is refused by the library, a batch of messages and an import, and nothing is stored', async () => {
    const palimpsest = await instance(placed(sqlitePlace))
    const session = palimpsest.session('chat')
    for (const at of STRANGE) {
      const refused = { code: 'invalid_message', message: expect.stringContaining('9999-12-30') }
      await expect(session.append({ role: 'user', content: 'x', at })).rejects.toMatchObject(refused)
      const two = [
        { role: 'user', content: 'x' },
        { role: 'user', content: 'x', at },
      ] as const
      await expect(session.append(two)).rejects.toMatchObject({ details: { field: 'messages[1].at' } })
      await expect(
        palimpsest.import({ messages: [{ role: 'user', content: 'x', at }] }),
      ).rejects.toMatchObject({ code: 'invalid_export', details: { field: 'messages[0].at' } })
    }
    expect(await session.info()).toBeNull()
    for (const at of ['9999-12-30T23:59:59.999Z', '0001-01-02T00:00:00Z'])
      await session.append({ role: 'user', content: 'x', at })
    expect(await session.count()).toBe(2)
  })

  test('is refused over HTTP', async () => {
    await using client = await openClient(placed(sqlitePlace))
    for (const at of STRANGE) {
      const body = { messages: [{ role: 'user', text: 'x', at }] }
      const { status, json } = await client.call('POST', '/v1/sessions/chat/messages', body)
      expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining('9999-12-30')])
    }
    expect((await client.call('GET', '/v1/sessions/chat')).status).toBe(404)
  })

  test('loses no message of a platform: it came when it came', async () => {
    const kit = await runtimeKit()
    for (const [place, at] of STRANGE.entries()) {
      const id = `strange-${place}`
      expect(await kit.say('hello', { id, at: new Date(at) })).toMatchObject({ duplicate: false })
      expect(await kit.say('hello', { id, at: new Date(at) })).toMatchObject({ duplicate: true })
    }
    await kit.say('hello', { at: new Date(Number.NaN) })
    const stored = await kit.palimpsest.session('memory:42').messages()
    expect(stored).toHaveLength(STRANGE.length + 1)
    for (const { at } of stored) expect(Math.abs(at.getTime() - kit.clock())).toBeLessThan(60_000)
    await kit.close()
  })
})

describe.each(Object.entries(PLACES))('on %s', (_, create) => {
  test('an old message with such a time stops no fold, and its session goes on', async () => {
    const place = placed(create)
    const palimpsest = await instance(place, {
      policy: count({ threshold: 10, keepLast: 2 }),
      zone: 'Asia/Shanghai',
      folding: 'manual',
    })
    const session = palimpsest.session('chat', { user: 'ann' })
    // Each of them tells something that is kept, with its day; a fold keeps no more than three.
    const told = new Map([
      [3, 'Decided: Bob pays the rent of 1,200 euros on Monday.'],
      [7, 'Decided: Dora signs the contract of 900 euros next week.'],
      [9, 'Decided: Emil sells the boat for 7,500 euros in May.'],
    ])
    const said = messages(1, 40, 'Ann looks for the invoice from Porto in the drawer. ')
    await session.append(
      said.map((each, place) => ({ ...each, content: told.get(place + 1) ?? each.content })),
    )
    const strange = [Date.UTC(9999, 11, 31, 20), Date.UTC(10_001, 0, 1), -62_200_000_000_000]
    for (const [place_, at] of strange.entries())
      await changeRows(place, `UPDATE messages SET at = ${at} WHERE seq = ${2 * place_ + 3}`)
    await changeRows(place, `UPDATE messages SET extras = '{"zone":"Asia/Nowhere"}' WHERE seq = 9`)
    expect(await session.compact({ force: true })).toMatchObject({ outcome: 'applied', fromSeq: 1 })
    const info = await session.info()
    expect(info!.compactedThrough).toBeGreaterThan(30)
    const days = (await palimpsest.memory.list({ layer: 'daily' })).map(({ key }) => key.slice(0, 10))
    expect(days).toEqual(expect.arrayContaining(['0001-01-01', '9999-12-31']))
    for (const day of days) expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect((await session.context()).report.tokens).toBeGreaterThan(0)
    expect((await session.search('invoice')).results.length).toBeGreaterThan(0)
    await session.append(messages(41, 60))
    expect(await session.compact({ force: true })).toMatchObject({ outcome: 'applied' })
    expect(JSON.stringify(await session.export())).toContain('Porto')
    const fork = await session.fork('fork')
    expect(await fork.count()).toBe(60)
    await palimpsest.forget({ kind: 'session', sessionId: 'chat' })
    expect(await session.info()).toBeNull()
  })

  test('folds and erasures of a process that was a month ahead hold up no other', async () => {
    const place = placed(create)
    const policy = count({ threshold: 10, keepLast: 2 })
    const clock = () => Date.now() + AHEAD
    const before = await instance(place, { policy, clock, folding: 'manual' })
    await before.session('chat').append(messages(1, 30))
    await before.close()
    // As it dies in the middle of a fold, of an extraction and of an erasure.
    const until = clock() + 60_000
    await changeRows(
      place,
      `UPDATE sessions SET lease_owner = 'dead', lease_token = lease_token + 1, lease_until = ${until},
         backoff_until = ${until}, due_at = ${until}, failures = 3`,
    )
    for (const name of ['erasure', 'workspace', 'extraction/chat'])
      await changeRows(
        place,
        `INSERT INTO leases (namespace, name, token, owner, until) VALUES ('default', '${name}', 1, 'dead', ${until})`,
      )
    const palimpsest = await instance(place, { policy })
    const session = palimpsest.session('chat')
    expect((await session.info())!.folding).toBe(false)
    expect(await palimpsest.settled()).toBe(true)
    expect((await session.info())!.compactedThrough).toBeGreaterThan(0)
    const { id } = await palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [3] })
    const receipt = await palimpsest.erased(id, { signal: AbortSignal.timeout(60_000) })
    expect(receipt.done).toBe(true)
  })
})
