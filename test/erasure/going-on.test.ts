import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreError } from '../../packages/palimpsest/src/errors.ts'
import {
  type ErasureTarget,
  type Palimpsest,
  PalimpsestError,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { ANN, BOBS_CHAT, expectUnseen, fill, GROUP, othersOf, World } from './world.ts'

let world: World
let palimpsest: Palimpsest

beforeEach(async () => {
  world = new World()
  palimpsest = await world.open()
  await fill(palimpsest)
})

afterEach(() => world.remove())

const PERSON: ErasureTarget = { kind: 'person', id: ANN }
/** Longer than any lease. */
const LATER_MS = 400_000

describe('closing', () => {
  it('in the middle ends with the slice under way, and the next process goes on', async () => {
    const others = await othersOf(palimpsest)
    await palimpsest.close()
    const store = sqlite(world.file, { durability: 'normal' })
    const slices = vi.spyOn(store.erasure, 'continueErasure')
    const closing = await world.open({ store })
    const forgetting = closing.forget(PERSON)
    const failed = expect(forgetting).rejects.toMatchObject({ code: 'closed' })
    while (slices.mock.calls.length < 3) await new Promise(resolve => setImmediate(resolve))
    await closing.close()
    await failed
    expect(slices.mock.calls.length).toBeLessThan(6)
    const next = await world.open()
    expect(await next.erasure(1)).toMatchObject({ done: false })
    next.resumeErasures()
    expect(await next.erased(1)).toMatchObject({ done: true })
    await expectUnseen(next)
    expect(world.found()).toEqual({})
    expect(await othersOf(next)).toEqual(others)
    await expect(closing.forget(PERSON)).rejects.toMatchObject({ code: 'closed' })
    expect(world.errors).toEqual([])
  })

  it('during the scrub waits for it', async () => {
    await palimpsest.close()
    const store = sqlite(world.file, { durability: 'normal' })
    const scrubs = vi.spyOn(store.erasure, 'scrub')
    const closing = await world.open({ store })
    const { id } = await closing.forget(PERSON)
    while (scrubs.mock.calls.length === 0) await new Promise(resolve => setImmediate(resolve))
    await closing.close()
    expect(world.found()).toEqual({})
    const next = await world.open()
    expect(await next.erasure(id)).toMatchObject({ done: true })
  })
})

describe('what goes wrong', () => {
  it('with the disk is told, and tried again; nothing of it can be seen meanwhile', async () => {
    await palimpsest.close()
    const store = sqlite(world.file, { durability: 'normal' })
    const full = new StoreError('store_full', store.name, 'there is no room to write the database anew')
    const scrub = vi.spyOn(store.erasure, 'scrub').mockRejectedValue(full)
    const again = await world.open({ store })
    const { id } = await again.forget(PERSON)
    await vi.waitFor(() => expect(world.errors).not.toEqual([]))
    const soon = await again.erased(id, { signal: AbortSignal.timeout(1_000) })
    expect(soon).toMatchObject({ done: false })
    expect(new Set(world.errors)).toEqual(new Set([full]))
    expect(world.errors.length).toBeLessThan(4)
    await expectUnseen(again)
    scrub.mockRestore()
    expect(await again.erased(id)).toMatchObject({ done: true })
    expect(world.found()).toEqual({})
  })

  it('with one erasure holds up no other', async () => {
    await palimpsest.close()
    const store = sqlite(world.file, { durability: 'normal' })
    const first = await store.open().then(() =>
      store.erasure.beginErasure('default', {
        target: { kind: 'messages', sessionId: BOBS_CHAT, seqs: [1] },
        now: 1,
      }),
    )
    const { continueErasure } = store.erasure
    vi.spyOn(store.erasure, 'continueErasure').mockImplementation((namespace, request) => {
      if (request.id === first.id)
        return Promise.reject(new StoreError('store_corrupt', store.name, 'damaged'))
      return continueErasure(namespace, request)
    })
    const again = await world.open({ store })
    again.resumeErasures()
    const { id } = await again.forget(PERSON)
    expect(await again.erased(id)).toMatchObject({ done: true })
    expect(await again.erasure(first.id)).toMatchObject({ done: false })
    expect(world.errors.every(error => PalimpsestError.isInstance(error))).toBe(true)
  })

  it('with a listener is the listener’s affair', async () => {
    await palimpsest.close()
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const again = await world.open({
      onErasure: () => {
        throw new Error('mine')
      },
    })
    expect(await again.erased((await again.forget(PERSON)).id)).toMatchObject({ done: true })
    expect(warned).toHaveBeenCalledWith(
      expect.stringMatching(/^A listener threw: Error at .*going-on/),
      'PalimpsestWarning',
    )
    warned.mockRestore()
  })
})

describe('several processes', () => {
  it('that erase at once get in nobody’s way', async () => {
    const others = await othersOf(palimpsest)
    const second = await world.open()
    const seqs = [1, 5, 9].map(seq => ({ kind: 'messages', sessionId: GROUP, seqs: [seq] }) as const)
    const receipts = await Promise.all([
      palimpsest.forget(PERSON),
      second.forget(PERSON),
      ...seqs.map(target => second.forget(target)),
    ])
    for (const { id } of receipts) {
      expect(await palimpsest.erased(id)).toMatchObject({ done: true })
      expect(await second.erasure(id)).toMatchObject({ done: true })
    }
    await expectUnseen(palimpsest)
    await expectUnseen(second)
    expect(world.found()).toEqual({})
    expect(await othersOf(second)).toEqual(others)
    expect(world.errors).toEqual([])
  })

  it('one that appends all the while is not disturbed', async () => {
    const other = await world.open()
    const chat = other.session('busy')
    let [isOver, appended] = [false, 0]
    const appending = (async () => {
      while (!isOver) {
        await chat.append({ role: 'user', content: `message ${++appended}` })
        await new Promise(resolve => setImmediate(resolve))
      }
    })()
    const { id } = await palimpsest.forget(PERSON)
    expect(await palimpsest.erased(id)).toMatchObject({ done: true })
    isOver = true
    await appending
    expect(await chat.count()).toBe(appended)
    expect(world.found()).toEqual({})
    expect(world.errors).toEqual([])
  })

  it('whose clock is ahead takes up what another one left', async () => {
    await palimpsest.forget(PERSON)
    await palimpsest.close()
    const next = await world.open({ clock: () => Date.now() + LATER_MS, folding: 'background' })
    expect(await next.erased(1)).toMatchObject({ done: true })
    expect(world.found()).toEqual({})
  })
})
