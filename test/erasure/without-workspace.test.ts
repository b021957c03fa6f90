import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sqlite } from '../../packages/palimpsest/src/index.ts'
import { ANN, CANARIES, expectUnseen, fill, World } from './world.ts'

let world: World

beforeEach(() => {
  world = new World()
})

afterEach(async () => {
  await world.remove()
  expect(world.errors).toEqual([])
})

const PERSON = { kind: 'person', id: ANN } as const
/** What happens by itself takes its time on a busy machine. */
const SOON = { timeout: 30_000 }
/** Longer than any lease. */
const LATER_MS = 400_000

function inDatabase(): readonly string[] {
  const found = Object.entries(world.found())
  return found
    .filter(([, files]) => Object.keys(files).some(file => file.startsWith('test.db')))
    .map(([canary]) => canary)
}

it('where files are elsewhere, they are pending, and the database is clean meanwhile', async () => {
  const first = await world.open()
  await fill(first)
  await first.close()
  const palimpsest = await world.open({ workspace: undefined as never })
  const { id } = await palimpsest.forget(PERSON)
  await expectUnseen(palimpsest)
  // Which files are to go is known by her id; of what she said nothing is left.
  await vi.waitFor(() => expect(inDatabase()).toEqual([ANN]), SOON)
  const soon = await palimpsest.erased(id, { signal: AbortSignal.timeout(100) })
  expect(soon).toMatchObject({ done: false })
  expect(soon.places.filter(({ state }) => state === 'pending')).toEqual([
    { place: 'files', count: 0, state: 'pending', note: expect.stringContaining('workspace') },
    { place: 'database', count: 0, state: 'pending' },
  ])
  await palimpsest.close()

  // Another one without the folder does not write the database anew once more.
  const store = sqlite(world.file, { durability: 'normal' })
  const scrub = vi.spyOn(store.erasure, 'scrub')
  const other = await world.open({ store, workspace: undefined as never, clock: () => Date.now() + LATER_MS })
  expect(await other.erased(id, { signal: AbortSignal.timeout(3_000) })).toMatchObject({ done: false })
  expect(scrub).not.toHaveBeenCalled()
  await other.close()

  const last = await world.open({ clock: () => Date.now() + 2 * LATER_MS })
  last.resumeErasures()
  const done = await last.erased(id)
  expect(done).toMatchObject({ done: true })
  expect(done.places.find(({ place }) => place === 'files')?.count).toBeGreaterThan(0)
  expect(world.found()).toEqual({})
})

it('where another process has them, that one removes them, and the database is written anew once', async () => {
  const first = await world.open()
  await fill(first)
  const store = sqlite(world.file, { durability: 'normal' })
  const scrub = vi.spyOn(store.erasure, 'scrub')
  const palimpsest = await world.open({ store, workspace: undefined as never })
  const { id } = await palimpsest.forget(PERSON)
  expect(await palimpsest.erased(id)).toMatchObject({ done: true })
  expect(scrub).toHaveBeenCalledTimes(1)
  expect(world.found()).toEqual({})
})

it('where memory was never mirrored, there are no files in the receipt', async () => {
  const palimpsest = await world.open({ workspace: undefined as never })
  await fill(palimpsest)
  expect(Object.keys(world.found())).toEqual(CANARIES)
  const receipt = await palimpsest.erased((await palimpsest.forget(PERSON)).id)
  expect(receipt).toMatchObject({ done: true })
  expect(receipt.places.map(({ place }) => place)).not.toContain('files')
  expect(world.found()).toEqual({})
})
