import { afterEach, describe, expect, test } from 'vitest'
import { EVENT_TYPES } from '../../packages/palimpsest/src/store/index.ts'
import { type OpenedApp, openApp } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { changeRows, PLACES, type StorePlace, sqlitePlace } from '../stores.ts'
import { talk } from './client.ts'
import { EventReader } from './event-reader.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

function newPlace(create: () => StorePlace = sqlitePlace): StorePlace {
  const place = create()
  cleanUp.push(() => place.remove())
  return place
}

interface Caller {
  call(path: string, body: unknown, method?: string): Promise<Response>
  listen(query?: string, headers?: Record<string, string>): Promise<EventReader>
  readonly opened: OpenedApp
}

/** One process, as it were. */
async function open(place: StorePlace, options: { namespace?: string } = {}): Promise<Caller> {
  const opened = await openApp({ store: await place.open(), ...options })
  cleanUp.push(() => opened.close())
  const listen = async (query = '', headers: Record<string, string> = {}) => {
    const response = await opened.app.request(`/v1/events${query}`, { headers })
    expect(response.status).toBe(200)
    const reader = new EventReader(response.body)
    expect(await reader.block()).toMatch(/^retry: 2000\nid: \d+(\.\d+)?(~[0-9a-f]{16})?$/)
    return reader
  }
  const call = async (path: string, body: unknown, method = 'POST') => {
    const headers = { 'content-type': 'application/json' }
    const response = await opened.app.request(path, { method, headers, body: JSON.stringify(body) })
    expect(response.status).toBeLessThan(300)
    return response
  }
  return { opened, listen, call }
}

const say = ({ call }: Caller, session: string, text = 'hello') =>
  call(`/v1/sessions/${session}/messages`, { role: 'user', text })

const BEGIN_ANEW = /^retry: 2000\nid: [0-9.]+~[0-9a-f]{16}\nevent: begin-anew\ndata: \{"type":"begin-anew"\}$/

async function resume({ opened }: Caller, id: string): Promise<EventReader> {
  return new EventReader((await opened.app.request('/v1/events', { headers: { 'last-event-id': id } })).body)
}

describe.each(Object.entries(PLACES))('events from %s', (_, create) => {
  test('tell once to begin anew after a restore, and miss nothing from then on', async () => {
    const place = newPlace(create)
    const caller = await open(place)
    const early = await caller.listen()
    await say(caller, 's')
    const [, before] = await early.take(2)
    await changeRows(
      place,
      "UPDATE identity SET generation = generation + 1, generation_key = 'abcdef0123456789'",
    )
    await say(caller, 's')
    // It may have been told of that already; then it ends.
    while ((await early.block()) !== null);
    const reader = await resume(caller, before!.id)
    expect(await reader.block()).toMatch(BEGIN_ANEW)
    await reader.cancel()
    const again = await caller.listen('', { 'last-event-id': reader.lastId })
    await say(caller, 's', 'after')
    expect(await again.take(1)).toMatchObject([{ event: 'message-appended', data: { fromSeq: 3 } }])
    const all = await caller.listen('?after=start')
    expect((await all.take(4)).map(({ data }) => data.toSeq)).toEqual([null, 1, 2, 3])
  })

  test('that were trimmed are missed by nobody silently, and by a client with a name not at all', async () => {
    const place = newPlace(create)
    const caller = await open(place)
    const store = await place.open()
    cleanUp.push(() => store.close())
    const named = await caller.listen('?consumer=crm')
    const nameless = await caller.listen()
    for (let round = 0; round < 5; round += 1) await say(caller, 's')
    const [first] = await nameless.take(6)
    await named.take(6)
    await Promise.all([named.cancel(), nameless.cancel()])
    const pass = async (days: number) => {
      for (let day = 0; day < days; day += 1) {
        now += 86_400_000
        await store.events.trimEvents({ now, retentionMs: 2 * 86_400_000, keepNewest: 1 })
      }
    }
    let now = Date.now()
    await pass(5)
    const again = await caller.listen('?consumer=crm', { 'last-event-id': first!.id })
    expect((await again.take(5)).map(({ data }) => data.toSeq)).toEqual([1, 2, 3, 4, 5])
    await again.cancel()
    // It was not seen for four times as long.
    await pass(9)
    const late = await resume(caller, first!.id)
    expect(await late.block()).toMatch(BEGIN_ANEW)
    await late.cancel()
    await say(caller, 's', 'after')
    const told = await caller.listen('', { 'last-event-id': late.lastId })
    expect((await told.take(1)).map(({ data }) => data.toSeq)).toEqual([6])
    const all = await caller.listen('?after=start')
    expect((await all.take(2)).map(({ data }) => data.toSeq)).toEqual([5, 6])
  })

  test('tell what happens from now on, and nothing of what was said', async () => {
    const caller = await open(newPlace(create))
    await say(caller, 'before')
    const settled = await caller.listen('?after=start')
    expect((await settled.take(2)).map(({ event }) => event)).toEqual(['session-created', 'message-appended'])
    const reader = await caller.listen()
    await say(caller, 's', 'canary-4711')
    await caller.call('/v1/sessions/s/messages/1', { text: 'canary-4712' }, 'PATCH')
    await caller.call('/v1/memory/user/user-7', { content: '# canary-4713\n' }, 'PUT')
    const events = await reader.take(4)
    expect(events.map(({ event, data }) => [event, data.sessionId, data.fromSeq, data.toSeq])).toEqual([
      ['session-created', 's', null, null],
      ['message-appended', 's', 1, 1],
      ['message-edited', 's', 1, 1],
      ['memory-changed', null, null, null],
    ])
    for (const { event, data } of events) {
      expect(Object.keys(data)).toEqual(['type', 'sessionId', 'at', 'fromSeq', 'toSeq', 'data'])
      expect(data.type).toBe(event)
      expect(EVENT_TYPES).toContain(event)
      expect(new Date(data.at).toISOString()).toBe(data.at)
    }
    expect(events[3]?.data.data).toMatchObject({ layer: 'user', key: 'user-7' })
    expect(JSON.stringify(events)).not.toContain('canary')
  })

  test('of another process on the same store are heard as well', async () => {
    const place = newPlace(create)
    const [here, there] = [await open(place), await open(place)]
    const reader = await here.listen()
    await say(there, 'elsewhere')
    await say(here, 'at home')
    const events = await reader.take(4)
    expect(events.map(({ data }) => data.sessionId)).toEqual(['elsewhere', 'elsewhere', 'at home', 'at home'])
  })

  test('come in order, each once, none lost between what is read and what is live', async () => {
    const place = newPlace(create)
    const [here, there] = [await open(place), await open(place)]
    const many = 150
    const write = async (caller: Caller, session: string) => {
      for (let round = 0; round < many; round += 1) await say(caller, session)
    }
    await write(here, 'early')
    const writing = Promise.all([write(here, 'a'), write(there, 'b')])
    const fromStart = await here.listen('?after=start')
    const live = await there.listen()
    const all = await fromStart.take(3 * (many + 1))
    await writing
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    for (const session of ['early', 'a', 'b'])
      expect(all.filter(({ data }) => data.sessionId === session).map(({ data }) => data.fromSeq)).toEqual([
        null,
        ...Array.from({ length: many }, (_, index) => index + 1),
      ])
    const [first] = await live.take(1)
    const begin = all.findIndex(({ id }) => id === first?.id)
    expect(await live.take(all.length - begin - 1)).toEqual(all.slice(begin + 1))
  })

  test('are resumed after any of them, whoever asks', async () => {
    const place = newPlace(create)
    const caller = await open(place)
    for (let round = 0; round < 30; round += 1) await say(caller, 's')
    const all = await (await caller.listen('?after=start')).take(31)
    const other = await open(place)
    for (const index of [0, 7, 29]) {
      const byHeader = await other.listen('?after=start', { 'last-event-id': all[index]!.id })
      const byQuery = await caller.listen(`?after=${all[index]!.id}`)
      expect(await byHeader.take(30 - index)).toEqual(all.slice(index + 1))
      expect(await byQuery.take(30 - index)).toEqual(all.slice(index + 1))
    }
    const cutOff = await caller.listen()
    await cutOff.cancel()
    await say(caller, 's')
    const again = await caller.listen('', { 'last-event-id': cutOff.lastId })
    expect((await again.take(1)).map(({ data }) => data.fromSeq)).toEqual([31])
  })

  test('of another namespace are never told', async () => {
    const place = newPlace(create)
    const [mine, theirs] = [
      await open(place, { namespace: 'mine' }),
      await open(place, { namespace: 'theirs' }),
    ]
    for (let round = 0; round < 3; round += 1) {
      await say(theirs, 's')
      await theirs.call('/v1/memory/user/user-7', { content: `# Theirs ${round}\n` }, 'PUT')
    }
    const [live, ofSession] = [await mine.listen(), await mine.listen('?session=s&after=start')]
    const fromStart = await mine.listen('?after=start')
    await say(theirs, 's')
    await say(mine, 's')
    await say(theirs, 's')
    await say(mine, 's')
    for (const reader of [live, ofSession, fromStart]) {
      const events = await reader.take(3)
      expect(events.map(({ event, data }) => [event, data.fromSeq])).toEqual([
        ['session-created', null],
        ['message-appended', 1],
        ['message-appended', 2],
      ])
    }
  })
})

describe('a stream of events', () => {
  test('says what it is, and that nobody may keep or hold it back', async () => {
    const { opened } = await open(newPlace())
    const response = await opened.app.request('/v1/events')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    await response.body?.cancel()
  })

  test('tells of one session where one is asked for', async () => {
    const caller = await open(newPlace())
    const reader = await caller.listen('?session=b')
    await say(caller, 'a')
    await caller.call('/v1/memory/user/user-7', { content: '# Somebody\n' }, 'PUT')
    await say(caller, 'b')
    await say(caller, 'a')
    await say(caller, 'b')
    expect((await reader.take(3)).map(({ data }) => [data.sessionId, data.fromSeq])).toEqual([
      ['b', null],
      ['b', 1],
      ['b', 2],
    ])
  })

  test.each(['x', '-1', '1.2.3', '1e3', '0x1', '9'.repeat(16), ' ', '1.'])(
    'refuses the position %j, and says what is allowed',
    async position => {
      const { opened } = await open(newPlace())
      const asked = [
        opened.app.request(`/v1/events?after=${encodeURIComponent(position)}`),
        ...(position.trim() === position
          ? [opened.app.request('/v1/events', { headers: { 'last-event-id': position } })]
          : []),
      ]
      for (const response of await Promise.all(asked)) {
        expect(response.status).toBe(422)
        const { error } = (await response.json()) as { error: { code: string; message: string } }
        expect(error.code).toBe('invalid_argument')
        expect(error.message).toContain('allowed: the id of an event that was received, or "start"')
      }
    },
  )

  test('refuses what is no session, and what it does not know', async () => {
    const { opened } = await open(newPlace())
    for (const query of [
      'session=',
      'session=a&session=b',
      'namespace=other',
      `session=${'x'.repeat(5_000)}`,
    ])
      expect((await opened.app.request(`/v1/events?${query}`)).status).toBe(422)
  })

  test('tells once to begin anew where the position is of another database', async () => {
    const caller = await open(newPlace())
    await say(caller, 's')
    const reader = await resume(caller, '123456789')
    expect(await reader.block()).toMatch(BEGIN_ANEW)
    await say(caller, 's')
    expect((await reader.take(1)).map(({ data }) => data.fromSeq)).toEqual([2])
  })

  test('takes a name of letters, digits and a few signs', async () => {
    const caller = await open(newPlace())
    for (const name of ['', 'a%20b', 'x'.repeat(101), '%F0%9F%98%80']) {
      const response = await caller.opened.app.request(`/v1/events?consumer=${name}`)
      expect(response.status).toBe(422)
    }
    await (await caller.listen(`?consumer=${'x'.repeat(90)}-1.a:b_c`)).cancel()
  })

  test('that nobody reads is no listener, nor is one that was left', async () => {
    const caller = await open(newPlace())
    const { app } = caller.opened
    const listeners = async () =>
      /^palimpsest_event_listeners (\d+)$/m.exec(await (await app.request('/metrics')).text())?.[1]
    expect((await app.request('/v1/events', { method: 'HEAD' })).status).toBe(200)
    expect(await listeners()).toBe('0')
    const readers = [await caller.listen(), await caller.listen()]
    expect(await listeners()).toBe('2')
    await readers[0]?.cancel()
    expect(await listeners()).toBe('1')
  })

  test('tells nothing more once its key is revoked', async () => {
    const place = newPlace()
    const store = await place.open()
    cleanUp.push(() => store.close())
    const { key, written } = newKey({
      ...{ name: 'bot', namespace: 'default', now: new Date(0) },
      scopes: ['read', 'write'],
    })
    const caller = await open(place)
    const openly = await caller.listen()
    await store.keys.addKey(key)
    const reader = await caller.listen('', { authorization: `Bearer ${written}` })
    const { palimpsest } = await caller.opened.tenant('default')
    await palimpsest.session('s').append({ role: 'user', content: 'one' })
    expect(await reader.take(2)).toHaveLength(2)
    // Whoever came before there was a key has none.
    expect(await openly.take(1)).toEqual([])
    await store.keys.removeKey(key.id)
    await store.keys.addKey({ ...key, id: 'another' })
    await palimpsest.session('s').append({ role: 'user', content: 'two' })
    expect(await reader.take(1)).toEqual([])
  })

  test('ends when the server closes', async () => {
    const caller = await open(newPlace())
    const [waiting, idle] = [await caller.listen(), await caller.listen()]
    const next = waiting.block()
    await caller.opened.close()
    expect(await next).toBeNull()
    expect(await idle.block()).toBeNull()
  })

  test('hears of folds', async () => {
    const caller = await open(newPlace())
    await caller.call('/v1/sessions/s/messages', { messages: talk(60, 60) })
    const reader = await caller.listen('?session=s')
    const outcome = await (await caller.call('/v1/sessions/s/compact', { force: true })).json()
    expect(outcome).toMatchObject({ outcome: 'applied' })
    let [event] = await reader.take(1)
    while (event && event.event !== 'fold-committed') [event] = await reader.take(1)
    expect(event?.data).toMatchObject({ sessionId: 's', fromSeq: 1, data: { reason: 'force' } })
  })
})
