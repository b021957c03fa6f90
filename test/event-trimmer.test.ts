import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EventTrimmer } from '../packages/palimpsest/src/event-trimmer.ts'
import { createPalimpsest } from '../packages/palimpsest/src/palimpsest.ts'
import type { EventStore, Store } from '../packages/palimpsest/src/store/index.ts'
import { Chat } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import { changeRows, type StorePlace, sqlitePlace } from './stores.ts'

const DAY_MS = 86_400_000
const EVENTS = 7_000

describe('trimming in the background', () => {
  let place: StorePlace
  let store: Store
  let now = Date.UTC(2026, 0, 1)

  beforeEach(async () => {
    place = sqlitePlace()
    store = await place.open()
    await new Chat(store).say(1)
    await changeRows(
      place,
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${EVENTS - 2})
       INSERT INTO events (session_id, type, at) SELECT 1, 1, 0 FROM n`,
    )
  })

  afterEach(async () => {
    await store.close()
    await place.remove()
  })

  /** A process that runs until it has found nothing more to do. */
  const run = async () => {
    const slices: number[] = []
    const trimEvents: EventStore['trimEvents'] = async request => {
      const trimmed = await store.events.trimEvents(request)
      slices.push(trimmed.isMore ? trimmed.deleted : -1)
      return trimmed
    }
    const onError = (error: unknown) => {
      throw error
    }
    const trimmer = new EventTrimmer({
      store: { events: { ...store.events, trimEvents } },
      retentionDays: 2,
      clock: () => now,
      onError,
      firstLookMs: 1,
    })
    trimmer.start()
    await vi.waitFor(() => expect(slices.at(-1)).toBe(-1))
    await trimmer.close()
    return slices
  }

  test('goes in slices until only what is to stay is left', async () => {
    for (let day = 0; day < 2; day += 1, now += DAY_MS) expect(await run()).toEqual([-1])
    expect(await run()).toEqual([500, 500, 500, 500, -1])
    expect(await store.events.readEvents({ after: null, limit: EVENTS })).toHaveLength(5_000)
  })

  test('goes on beside appends, and ends when it is closed', async () => {
    for (let day = 0; day < 2; day += 1, now += DAY_MS) await run()
    const chat = new Chat(store)
    const trimming = run()
    for (let round = 0; round < 50; round += 1) await chat.say(1)
    await trimming
    expect((await store.log.readMessages(chat.key, { limit: 100, from: 'oldest' })).length).toBe(51)
    const trimEvents = vi.fn(store.events.trimEvents)
    const closed = new EventTrimmer({
      ...{
        store: { events: { ...store.events, trimEvents } },
        retentionDays: 2,
        clock: () => now,
        onError: () => {},
      },
      firstLookMs: 0,
    })
    closed.start()
    await closed.close()
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(trimEvents).not.toHaveBeenCalled()
  })

  test('for as many days as an instance is told', async () => {
    for (const eventRetentionDays of [0, -1, 1.5, Number.NaN, '30', 36_501])
      await expect(
        createPalimpsest({ store: await place.open(), eventRetentionDays: eventRetentionDays as number }),
      ).rejects.toMatchObject({ code: 'invalid_argument', details: { field: 'eventRetentionDays' } })
    for (const eventRetentionDays of [1, 36_500, null])
      await (await createPalimpsest({ store: await place.open(), eventRetentionDays })).close()
  })
})
