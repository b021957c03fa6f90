import { expect, inject, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type FoldOutcome,
  type Palimpsest,
  PalimpsestError,
  StoreError,
} from '../../src/index.ts'
import type { SessionFile } from '../../src/store/index.ts'
import { SqlStore } from '../../src/store/sql/sql-store.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { runScript } from './children.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'

const policy = count({ threshold: 20, keepLast: 10 })
/** Longer than a lease: whoever comes with such a clock may take it. */
const LATER_MS = 61_000

async function fill(place: StorePlace): Promise<void> {
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  await palimpsest.session('shared').append(
    Array.from({ length: 21 }, (_, index) => ({
      role: index % 2 ? ('assistant' as const) : ('user' as const),
      content: `Message ${index + 1}: ${'forty crates of lemons sail to Porto on Friday '.repeat(6)}`,
    })),
  )
  await palimpsest.close()
}

/** What must be wholly before or wholly after. */
function essence(file: SessionFile) {
  return {
    messages: file.messages,
    compactedThrough: file.compactedThrough,
    segments: file.segments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
    lastFoldAt: file.counters.lastFoldAt !== null,
  }
}

async function stored(place: StorePlace): Promise<SessionFile> {
  const store = await place.open()
  try {
    return await store.exportSession({ namespace: 'default', id: 'shared' })
  } finally {
    await store.close()
  }
}

const FOLDED = { compactedThrough: 11, segments: [[1, 11]], lastFoldAt: true }

/** Whether the process died there, and not of old age. */
async function dieAtStep(place: StorePlace, dieAt: number): Promise<boolean> {
  await fill(place)
  const before = essence(await stored(place))
  const { signal } = await runScript('fold-child.ts', [
    place.address,
    inject('postgresUrl'),
    String(dieAt),
    '0',
  ])
  expect([before, { ...before, ...FOLDED }]).toContainEqual(essence(await stored(place)))
  // Another process takes over once the lease has run out.
  const store = await place.open()
  const clock = () => Date.now() + LATER_MS
  const heir = await createPalimpsest({ store, policy, folding: 'manual', clock })
  await heir.session('shared').compact()
  await heir.close()
  expect(essence(await stored(place))).toEqual({ ...before, ...FOLDED })
  await place.remove()
  return signal === 'SIGKILL'
}

const AT_A_TIME = 4

test.each(Object.entries(PLACES))(
  '%s: kill -9 at every step of a fold leaves all before or all after',
  async (_, open) => {
    for (let step = 1; ; step += AT_A_TIME) {
      const steps = Array.from({ length: AT_A_TIME }, (_, index) => dieAtStep(open(), step + index))
      if ((await Promise.all(steps)).every(Boolean)) continue
      expect(step).toBeGreaterThan(15)
      return
    }
  },
)

test.each(Object.entries(PLACES))(
  '%s: whichever call of a fold fails, a retry converges',
  async (_, open) => {
    for (let failAt = 1, failed = true; failed; failAt++) {
      const place = open()
      await fill(place)
      const before = essence(await stored(place))
      failed = false
      let isFirst = true
      const driver = faultyDriver(driverFor(place.address, inject('postgresUrl')), step => {
        if (!isFirst || step !== failAt) return
        failed = true
        throw new StoreError('store_full', 'test', 'the disk is full')
      })
      let now = Date.now()
      const store = new SqlStore(driver, () => {})
      const palimpsest = await createPalimpsest({ store, policy, folding: 'manual', clock: () => now })
      const chat = palimpsest.session('shared')
      const first = await chat.compact().catch((error: unknown) => error)
      isFirst = false
      if (PalimpsestError.isInstance(first)) expect(first.code).toBe('store_full')
      else if (failed) expect((first as FoldOutcome).outcome).toBeOneOf(['failed', 'applied'])
      expect([before, { ...before, ...FOLDED }]).toContainEqual(essence(await stored(place)))
      now += 3_600_000
      await chat.compact()
      expect(essence(await stored(place))).toEqual({ ...before, ...FOLDED })
      await palimpsest.close()
      await place.remove()
      expect(failAt).toBeLessThan(200)
    }
  },
)

test.each(Object.entries(PLACES))(
  '%s: of several processes one folds a range, and the others leave it',
  async (_, open) => {
    const place = open()
    await fill(place)
    const children = Array.from({ length: 4 }, () =>
      runScript('fold-child.ts', [place.address, inject('postgresUrl'), '0', '0']),
    )
    const outcomes = (await Promise.all(children)).map(({ stdout }) => JSON.parse(stdout) as FoldOutcome)
    // Whoever waited for it tells of the same fold.
    const applied = outcomes.filter(({ outcome }) => outcome === 'applied')
    expect(
      new Set(applied.map(({ fromSeq, toSeq, segmentId }) => `${fromSeq}-${toSeq} ${segmentId}`)).size,
    ).toBe(1)
    expect(essence(await stored(place))).toMatchObject(FOLDED)
    await place.remove()
  },
)

test.each(Object.entries(PLACES))(
  '%s: one that was paused past its lease can commit nothing',
  async (_, open) => {
    const place = open()
    await fill(place)
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const summarizer = (name: string, wait: Promise<void>) => ({
      name,
      version: '1',
      summarize: async () => {
        begun.resolve()
        await wait
        return { text: `- ${name}: forty crates of lemons`, events: [], details: [] }
      },
    })
    const instance = async (name: string, wait: Promise<void>, ahead: number): Promise<Palimpsest> =>
      createPalimpsest({
        store: await place.open(),
        policy,
        folding: 'manual',
        summarizer: summarizer(name, wait),
        clock: () => Date.now() + ahead,
      })
    const paused = await instance('paused', release.promise, 0)
    const other = await instance('other', Promise.resolve(), LATER_MS)
    const late = paused.session('shared').compact()
    await begun.promise
    expect(await other.session('shared').compact()).toMatchObject({ outcome: 'applied', toSeq: 11 })
    release.resolve()
    expect(await late).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringMatching(/lease_lost|epoch_conflict/),
    })
    const file = await stored(place)
    expect(file.segments).toMatchObject([{ summarizer: 'other', fromSeq: 1, toSeq: 11 }])
    await paused.close()
    await other.close()
    await place.remove()
  },
)
