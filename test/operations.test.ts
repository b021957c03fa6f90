import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { Chat, message } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import { rowsOf } from './server/namespaces-rows.ts'
import { changeRows, PLACES, type StorePlace } from './stores.ts'

const FOLDS = 40

describe.for(Object.entries(PLACES))('%s: what is kept of operations', ([, create]) => {
  const cleanUp: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step()
  })

  const open = async () => {
    const place = create()
    cleanUp.push(() => place.remove())
    const store = await place.open()
    cleanUp.push(() => store.close())
    return { place, store, chat: new Chat(store) }
  }
  const operationsIn = async (place: StorePlace) =>
    (await rowsOf(place.address, 'test')).filter(line => line.startsWith('operations '))

  test('the newest receipts of folds, in one row, and a repeat of them changes nothing', async () => {
    const { place, store, chat } = await open()
    await chat.say(FOLDS + 10)
    const commits = []
    for (let fold = 1; fold <= FOLDS; fold += 1) {
      const commit = await chat.prepareFold(fold)
      commits.push({ commit, receipt: await chat.commit(commit) })
    }
    const before = await operationsIn(place)
    expect(before).toHaveLength(1)
    expect(before[0]!.length).toBeLessThan(2_000)
    for (const { commit, receipt } of commits.slice(-16))
      expect(await store.folds.commitFold(commit)).toEqual({ ...receipt, repeated: true })
    // One that is long over is refused by what it was about.
    await expect(store.folds.commitFold(commits[0]!.commit)).rejects.toMatchObject({ code: 'lease_lost' })
    expect(await operationsIn(place)).toEqual(before)
  })

  test('those that a program of an earlier version left go, but for the newest', async () => {
    const { place, store, chat } = await open()
    await chat.say(60)
    await chat.fold(1)
    const old = Array.from({ length: 250 }, () => randomUUID())
    const [recent] = [randomUUID()]
    const row = (id: string, epoch: number) =>
      `INSERT INTO operations (session_id, operation_id, result)
       SELECT id, '${id}', '{"segmentIds":[1],"epoch":${epoch}}' FROM sessions`
    await changeRows(place, [...old.map(id => row(id, -20)), row(recent!, 1)].join(';'))
    const commit = await chat.prepareFold(2)
    expect(await store.folds.commitFold({ ...commit, operationId: recent! })).toMatchObject({
      repeated: true,
      segmentIds: [1],
    })
    await chat.commit(commit)
    for (let fold = 3; fold <= 6; fold += 1) await chat.fold(fold)
    const left = await operationsIn(place)
    expect(left).toHaveLength(2)
    expect(left.some(line => line.includes(recent!))).toBe(true)
    for (let fold = 7; fold <= 25; fold += 1) await chat.fold(fold)
    expect(await operationsIn(place)).toHaveLength(1)
  })

  test('the newest thousand operations of callers', async () => {
    const { place, chat } = await open()
    const replace = (number: number) =>
      chat.replaceTail([], [message(`${number}`)], { id: `operation ${number}`, fingerprint: `${number}` })
    for (let number = 1; number <= 1_005; number += 1) await replace(number)
    expect(await operationsIn(place)).toHaveLength(1_000)
    expect(await replace(6)).toMatchObject({ repeated: true, messages: [{ seq: 6 }] })
    expect(await replace(5)).toMatchObject({ repeated: false, messages: [{ seq: 1_006 }] })
    expect(await operationsIn(place)).toHaveLength(1_000)
  }, 120_000)
})
