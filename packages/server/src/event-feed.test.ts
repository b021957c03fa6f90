import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { EventStore, Store } from 'palimpsest/internals/store/index'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EventReader } from '../../../test/server/event-reader.ts'
import { type StorePlace, sqlitePlace } from '../../../test/stores.ts'
import { EventFeed, type EventFeedOptions } from './event-feed.ts'

const AUDIENCE = { namespace: 'default', session: null }

describe('an event feed', () => {
  let place: StorePlace
  let palimpsest: Palimpsest
  let store: Store
  let feed: EventFeed
  let now = 0

  beforeEach(async () => {
    now = 0
    place = sqlitePlace()
    store = await place.open()
    palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual' })
  })

  afterEach(async () => {
    feed.close()
    await palimpsest.close()
    await store.close()
    await place.remove()
  })

  const open = (options: Partial<EventFeedOptions> = {}) => {
    feed = new EventFeed({ store, pollMs: 5, clock: () => now, ...options })
    return feed
  }
  const listen = async (after: string | null = null) =>
    new EventReader(await feed.listen(AUDIENCE, { after }))
  const say = (text = 'hello', session = 's') => palimpsest.session(session).append({ role: 'user', text })

  test('beats while nothing happens, and moves on what a client would resume from', async () => {
    open({ heartbeatMs: 1_000 })
    const reader = await listen()
    expect(await reader.block()).toMatch(/^retry: 2000\nid: 0~[0-9a-f]{16}$/)
    // Of another namespace: nothing of it is heard.
    const other = await createPalimpsest({ store: await place.open(), namespace: 'other' })
    await other.session('s').append({ role: 'user', text: 'hi' })
    await other.close()
    const beat = reader.block()
    now = 1_000
    const last = await store.events.readLastPosition()
    expect(await beat).toMatch(/^:\nid: \d+~[0-9a-f]{16}$/)
    await vi.waitFor(async () => {
      const again = reader.block()
      now += 1_000
      await again
      expect(reader.lastId).toBe(last)
    })
  })

  /** The same store, with other ways to do some things with events. */
  const withEvents = (changes: Partial<EventStore>): EventFeedOptions['store'] => ({
    events: { ...store.events, ...changes },
  })

  /** The same store, with a count of what is read of it. */
  const counted = () => {
    const calls = { reads: 0 }
    const readEvents: EventStore['readEvents'] = page => {
      calls.reads += 1
      return store.events.readEvents(page)
    }
    return { calls, store: withEvents({ readEvents }) }
  }

  test('asks once for all who listen', async () => {
    const { calls, store } = counted()
    open({ store, pollMs: 50 })
    const readers = await Promise.all(Array.from({ length: 100 }, () => listen()))
    await Promise.all(readers.map(reader => reader.block()))
    await say()
    const before = calls.reads
    const heard = await Promise.all(readers.map(reader => reader.take(2)))
    expect(heard[0]).toHaveLength(2)
    expect(new Set(heard.map(events => JSON.stringify(events))).size).toBe(1)
    expect(calls.reads - before).toBeLessThan(50)
  })

  test('reads nothing while nobody listens', async () => {
    const { calls, store } = counted()
    open({ store })
    await say()
    expect(calls.reads).toBe(0)
    const reader = await listen()
    await reader.block()
    await vi.waitFor(() => expect(calls.reads).toBeGreaterThan(2))
    await reader.cancel()
    let seen = -1
    const hasStopped = () => {
      const before = seen
      seen = calls.reads
      expect(seen).toBe(before)
    }
    // Twenty times as long as it pauses.
    await vi.waitFor(hasStopped, { interval: 100, timeout: 5_000 })
    const again = await listen()
    await again.block()
    await say()
    expect(await again.take(1)).toHaveLength(1)
  })

  test('makes nothing for a reader that does not ask, and drops it in the end', async () => {
    open({ stallMs: 60_000 })
    const body = await feed.listen(AUDIENCE, { after: null })
    const reader = body.getReader()
    await reader.read()
    expect(feed.count('default')).toBe(1)
    const live = await listen()
    for (let round = 0; round < 30; round += 1) await say()
    expect(await live.take(31)).toHaveLength(31)
    const waiting = live.take(1)
    now = 59_999
    await say()
    expect(await waiting).toHaveLength(1)
    expect(feed.count('default')).toBe(2)
    const more = live.take(1)
    now = 119_000
    await vi.waitFor(() => expect(feed.count('default')).toBe(1))
    expect(await reader.read()).toEqual({ done: true, value: undefined })
    await say()
    expect(await more).toHaveLength(1)
  })

  test('a reader that was away longer than the ring reaches misses nothing', async () => {
    open({ ringSize: 10 })
    const slow = await listen()
    const fast = await listen()
    await slow.block()
    const sent = 500
    for (let round = 0; round < sent; round += 1) await say()
    const [atOnce, later] = [await fast.take(sent + 1), await slow.take(sent + 1)]
    expect(later).toEqual(atOnce)
    expect(later.slice(1).map(({ data }) => data.fromSeq)).toEqual(
      Array.from({ length: sent }, (_, i) => i + 1),
    )
  })

  test('goes on after an outage of the store, of which it tells once', async () => {
    const errors: unknown[] = []
    let isDown = false
    const whenUp = <Result>(action: () => Promise<Result>) =>
      isDown ? Promise.reject(new Error('the store is down')) : action()
    let failed = 0
    open({
      ringSize: 1,
      store: withEvents({
        readEvents: page => {
          if (isDown) failed += 1
          return whenUp(() => store.events.readEvents(page))
        },
      }),
      onError: error => errors.push(error),
    })
    await say()
    const resumed = await listen('0')
    const live = await listen()
    await Promise.all([resumed.block(), live.block()])
    for (let outage = 1; outage <= 2; outage += 1) {
      isDown = true
      const [behind, next] = [resumed.take(outage === 1 ? 4 : 1), live.take(outage === 1 ? 2 : 1)]
      failed = 0
      await vi.waitFor(() => expect(failed).toBeGreaterThan(2))
      await say()
      if (outage === 1) await say()
      isDown = false
      expect(await behind).toHaveLength(outage === 1 ? 4 : 1)
      expect(await next).toHaveLength(outage === 1 ? 2 : 1)
      expect(errors).toHaveLength(outage)
    }
  })

  test('takes as many listeners as it may of each namespace', async () => {
    open({ mostListeners: 2 })
    const first = await listen()
    const second = await listen()
    await Promise.all([first.block(), second.block()])
    await expect(listen()).rejects.toMatchObject({ code: 'rate_limited', details: { mostListeners: 2 } })
    await expect(feed.listen({ namespace: 'other', session: null }, { after: null })).resolves.toBeDefined()
    await first.cancel()
    await expect(listen()).resolves.toBeDefined()
  })

  test('ends every stream when it closes, and those of clients that go away', async () => {
    open()
    const gone = new AbortController()
    const left = new EventReader(await feed.listen(AUDIENCE, { after: null, signal: gone.signal }))
    await left.block()
    const ended = left.block()
    gone.abort()
    expect(await ended).toBeNull()
    expect(feed.count('default')).toBe(0)

    const [waiting, resting, unread] = [await listen(), await listen(), await listen()]
    await Promise.all([waiting.block(), resting.block()])
    const next = waiting.block()
    feed.close()
    expect(await next).toBeNull()
    expect(await resting.block()).toBeNull()
    expect(await unread.block()).toBeNull()
    expect(feed.count('default')).toBe(0)
    await expect(listen()).rejects.toMatchObject({ code: 'closed' })
  })

  /** All but the newest one, which have become old; gives the position before those that are left. */
  const trimAll = async () => {
    for (let day = 0; day < 4; day += 1)
      await store.events.trimEvents({ now: wall + day * DAY_MS, retentionMs: 2 * DAY_MS, keepNewest: 1 })
    wall += 4 * DAY_MS
    return store.events.readFirstPosition()
  }
  const DAY_MS = 86_400_000
  let wall = Date.UTC(2026, 0, 1)

  test('begins at the oldest that is kept, with a position of its own', async () => {
    open()
    for (let round = 0; round < 5; round += 1) await say()
    const before = await trimAll()
    const reader = await listen('0')
    expect(await reader.block()).toBe(`retry: 2000\nid: ${before}`)
    expect((await reader.take(1))[0]?.data).toMatchObject({ fromSeq: 5 })
  })

  test('tells whoever listened to nothing and comes after what was trimmed', async () => {
    open()
    const reader = await listen('0')
    await reader.block()
    await reader.cancel()
    for (let round = 0; round < 5; round += 1) await say()
    await trimAll()
    expect(await (await listen(reader.lastId)).block()).toContain('event: begin-anew')
  })

  test('ends one that is too slow for the retention, and no other', async () => {
    open({ ringSize: 1 })
    for (let round = 0; round < 500; round += 1) await say()
    const slow = await listen('0')
    const fast = await listen()
    await fast.block()
    await slow.take(10)
    await trimAll()
    while ((await slow.block()) !== null);
    await say('later')
    expect((await fast.take(1))[0]?.data).toMatchObject({ fromSeq: 501 })
    const again = await listen(slow.lastId)
    expect(await again.block()).toContain('event: begin-anew')
    await again.cancel()
    const resumed = await listen(again.lastId)
    expect(await resumed.block()).not.toContain('begin-anew')
    await say('last')
    expect((await resumed.take(1))[0]?.data).toMatchObject({ fromSeq: 502 })
  })

  test('notes what a client with a name has read, seldom', async () => {
    const notes: (string | null)[] = []
    const noteConsumer: EventStore['noteConsumer'] = (namespace, note) => {
      expect([namespace, note.name]).toEqual(['default', 'crm'])
      notes.push(note.after)
      return store.events.noteConsumer(namespace, note)
    }
    open({ stallMs: 1e12, store: withEvents({ noteConsumer }) })
    const named = async (after: string | null) =>
      new EventReader(await feed.listen(AUDIENCE, { after, consumer: 'crm' }))
    const reader = await named(null)
    await reader.block()
    const start = reader.lastId
    expect(notes).toEqual([start])
    await say()
    await reader.take(2)
    const read = reader.lastId
    await (await named(read)).cancel()
    expect(notes, 'it came again within a minute').toEqual([start])
    const tickUntil = (length: number) =>
      vi.waitFor(() => {
        now += 1_800_000
        expect(notes).toHaveLength(length)
      })
    const beat = reader.block()
    await tickUntil(3)
    expect(notes.slice(1).at(-1), 'it was given that long ago').toBe(read)
    await beat
    await named(start)
    expect(notes.at(-1), 'it goes back').toBe(start)
    await trimAll()
    expect(await (await named(start)).block()).not.toContain('begin-anew')
  })
})
