import { expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type FoldOutcome,
  type Palimpsest,
  PalimpsestError,
  StoreError,
} from '../../packages/palimpsest/src/index.ts'
import type { SessionFile } from '../../packages/palimpsest/src/store/index.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { postgresUrl } from '../postgres/url.ts'
import { stride } from '../runs.ts'
import { PLACES } from '../stores.ts'
import { runScript } from './children.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'
import { fill, GROUNDS, type Ground, stored } from './fold-grounds.ts'

const policy = count({ threshold: 20, keepLast: 10 })
/** Longer than a lease: whoever comes with such a clock may take it. */
const LATER_MS = 61_000

/** What must be wholly before or wholly after. */
function essence(file: SessionFile) {
  return {
    messages: file.messages,
    compactedThrough: file.compactedThrough,
    segments: file.segments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
    lastFoldAt: file.counters.lastFoldAt !== null,
  }
}

const FOLDED = { compactedThrough: 11, segments: [[1, 11]], lastFoldAt: true }

/** Whether the process died there, and not of old age. */
async function dieAtStep(ground: Ground, dieAt: number): Promise<boolean> {
  const { address, namespace } = ground
  const before = essence(await ground.stored())
  const { signal } = await runScript('fold-child.ts', [address, postgresUrl(), String(dieAt), '0', namespace])
  expect([before, { ...before, ...FOLDED }]).toContainEqual(essence(await ground.stored()))
  // Another process takes over once the lease has run out.
  const store = await ground.open()
  const clock = () => Date.now() + LATER_MS
  const heir = await createPalimpsest({ store, policy, namespace, folding: 'manual', clock })
  await heir.session('shared').compact()
  await heir.close()
  expect(essence(await ground.stored())).toEqual({ ...before, ...FOLDED })
  await ground.remove()
  return signal === 'SIGKILL'
}

const AT_A_TIME = 4
/** What one store leaves out the other has. */
const STRIDE = stride(6, 2)

test.each(Object.entries(GROUNDS))(
  '%s: kill -9 at the steps of a fold leaves all before or all after',
  async (name, open) => {
    const grounds = await open(policy)
    const first = name === 'SQLite' ? 1 : STRIDE
    for (let step = first, died = true; died; step += STRIDE * AT_A_TIME) {
      const steps = Array.from({ length: AT_A_TIME }, async (_, index) =>
        dieAtStep(await grounds.next(), step + index * STRIDE),
      )
      died = (await Promise.all(steps)).every(Boolean)
      if (!died) expect(step).toBeGreaterThan(15)
    }
    await grounds.remove()
  },
)

test.each(Object.entries(GROUNDS))(
  '%s: whichever call of a fold fails, a retry converges',
  async (_, open) => {
    const grounds = await open(policy)
    for (let failAt = 1, failed = true; failed; failAt += stride(3, 1)) {
      const ground = await grounds.next()
      const { namespace } = ground
      const before = essence(await ground.stored())
      failed = false
      let isFirst = true
      const driver = faultyDriver(driverFor(ground.address, postgresUrl()), step => {
        if (!isFirst || step !== failAt) return
        failed = true
        throw new StoreError('store_full', 'test', 'the disk is full')
      })
      let now = Date.now()
      const store = new SqlStore(driver, () => {})
      const clock = () => now
      const palimpsest = await createPalimpsest({ store, policy, namespace, folding: 'manual', clock })
      const chat = palimpsest.session('shared')
      const first = await chat.compact().catch((error: unknown) => error)
      isFirst = false
      if (PalimpsestError.isInstance(first)) expect(first.code).toBe('store_full')
      else if (failed) expect((first as FoldOutcome).outcome).toBeOneOf(['failed', 'applied'])
      expect([before, { ...before, ...FOLDED }]).toContainEqual(essence(await ground.stored()))
      now += 3_600_000
      await chat.compact()
      expect(essence(await ground.stored())).toEqual({ ...before, ...FOLDED })
      await palimpsest.close()
      await ground.remove()
      expect(failAt).toBeLessThan(200)
    }
    await grounds.remove()
  },
)

test.each(Object.entries(PLACES))(
  '%s: of several processes one folds a range, and the others leave it',
  async (_, open) => {
    const place = open()
    await fill(await place.open(), policy)
    const children = Array.from({ length: 4 }, () =>
      runScript('fold-child.ts', [place.address, postgresUrl(), '0', '0', 'default']),
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
    await fill(await place.open(), policy)
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
