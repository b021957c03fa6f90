import { afterEach, describe, expect, test } from 'vitest'
import { driverFor, interrupted } from '../../../../../test/faults/drivers.ts'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { PLACES, type StorePlace } from '../../../../../test/stores.ts'
import { PalimpsestError } from '../../errors.ts'
import { Chat, checkFigures, message } from '../../testing/store-contract/chat.ts'
import { documentKey, fact, learning, linesOf } from '../../testing/store-contract/documents.ts'
import { assertForgotten, CANARY, erase, toldBy } from '../../testing/store-contract/erasing-kit.ts'
import type { Store } from '../store.ts'
import { forkSession } from './fork.ts'

const LENGTH = 1_100

const opened: { close(): Promise<void> }[] = []
const places: StorePlace[] = []

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
  for (const place of places.splice(0)) await place.remove()
})

interface World {
  readonly store: Store
  readonly chat: Chat
  fork(during: (write: number) => Promise<void>, atSeq?: number): Promise<Chat>
}

/** A session of which the first messages are folded. */
async function world(create: () => StorePlace): Promise<World> {
  const place = create()
  places.push(place)
  const store = await place.open()
  const driver = driverFor(place.address, postgresUrl())
  await driver.open()
  opened.push(driver, store)
  const chat = new Chat(store, 'chat', { kind: 'group' })
  await chat.append(...Array.from({ length: LENGTH }, (_, index) => message(`message ${index + 1}`)))
  await chat.fold(100, { memo: { through: 100 } })
  await chat.foldAndRollUp(200, 2, { memo: { through: 200 } })
  const fork = async (during: (write: number) => Promise<void>, atSeq = LENGTH) => {
    const request = { newId: 'copy', atSeq, now: chat.tick() }
    await forkSession(interrupted(driver, during), chat.key, request, () => {})
    return chat.beside('copy')
  }
  return { store, chat, fork }
}

describe.each(Object.entries(PLACES))('a fork on %s', (_, create) => {
  test('is not held up by folds at each of its steps, and has the segments of its beginning', async () => {
    const { store, chat, fork } = await world(create)
    const before = await store.folds.readSegments(chat.key, 'all')
    let folded = 200
    const copy = await fork(async write => {
      folded += 100
      if (write % 2 === 0) await chat.fold(folded, { memo: { through: folded } })
      else await chat.foldAndRollUp(folded, 3, { memo: { through: folded } })
    })
    expect(folded).toBeGreaterThan(500)
    expect(await copy.contents()).toEqual(await chat.contents())
    expect(await store.folds.readSegments(copy.key, 'all')).toEqual(before)
    expect((await copy.record()).state.compactedThrough).toBe(200)
    expect((await chat.record()).state.compactedThrough).toBe(folded)
    await checkFigures(copy)
    await copy.fold(950, { memo: { through: 950 } })
    await copy.rollback(150)
    await checkFigures(copy)
    await checkFigures(chat)
  })

  test('has no line of memory of folds that it lacks: it tells them when it folds itself', async () => {
    const { store, chat, fork } = await world(create)
    const learn = (line: string, toSeq: number) =>
      store.documents.changeDocuments([
        learning(documentKey('chat', 'chat'), [fact(line, 'chat', [toSeq - 99, toSeq], { from: 'fold' })]),
      ])
    await learn('- tea', 200)
    const copy = await fork(async write => {
      if (write !== 2) return
      await chat.fold(300)
      await learn('- rum', 300)
    })
    expect((await copy.record()).state.compactedThrough).toBe(200)
    expect(await linesOf(store, documentKey('chat', 'copy'))).toEqual(['- tea'])
    expect(await linesOf(store, documentKey('chat', 'chat'))).toEqual(['- tea', '- rum'])
  })

  test('takes no notice of what is added, edited and folded above it', async () => {
    const { chat, fork } = await world(create)
    const expected = (await chat.contents()).slice(0, 1_000)
    const copy = await fork(async write => {
      const [seq] = await chat.say(3)
      await chat.edit(seq!, `edited ${write}`)
      await chat.fold(200 + write * 100)
    }, 1_000)
    expect(await copy.contents()).toEqual(expected)
    expect((await copy.record()).state.compactedThrough).toBe(200)
    await checkFigures(copy)
  })

  test('begins anew where what it copies is edited, at whichever step, also between folds', async () => {
    for (const at of [2, 3, 5]) {
      const { chat, fork } = await world(create)
      const copy = await fork(async write => {
        if (write > at) return
        await chat.fold(200 + write * 10)
        if (write === at) await chat.edit(2, 'edited')
      })
      expect(await copy.contents()).toEqual(await chat.contents())
      expect((await copy.contents())[1]).toBe('edited')
      await checkFigures(copy)
    }
  })

  test('of what is rolled back at one of its steps has what is left', async () => {
    for (const at of [2, 4, 6]) {
      const { chat, fork } = await world(create)
      const copy = await fork(async write => {
        if (write === at) await chat.rollback(700)
        else if (write < at) await chat.fold(200 + write * 10)
      })
      const isLate = (await copy.contents()).length > 700
      // After the last look it is as it was then.
      if (!isLate) expect(await copy.contents()).toEqual(await chat.contents())
      await checkFigures(copy)
    }
  })

  test('is refused in the end where what it copies changes at each of its steps', async () => {
    const { chat, fork } = await world(create)
    let edits = 0
    const forking = fork(async () => {
      await chat.edit(3, `edited ${++edits}`)
    })
    await expect(forking).rejects.toMatchObject({ code: 'epoch_conflict' })
    expect(await chat.store.sessions.readSession({ ...chat.key, id: 'copy' })).toBeNull()
  })

  test('brings nothing back that is erased at one of its steps while the original folds', async () => {
    for (const at of [2, 4]) {
      const { store, chat, fork } = await world(create)
      await chat.edit(7, CANARY)
      await chat.edit(1_050, CANARY)
      await fork(async write => {
        if (write < at) await chat.fold(200 + write * 10)
        if (write === at) await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [7, 1_050] })
      }).catch(error => {
        // It was as good as done, and is gone.
        if (!PalimpsestError.isInstance(error) || error.code !== 'lease_lost') throw error
      })
      assertForgotten(await toldBy(store))
    }
  })
})
