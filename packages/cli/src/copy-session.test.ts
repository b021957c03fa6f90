import type { CopyStore, Store } from 'palimpsest/internals/store/index'
import { storeWith } from 'palimpsest/internals/store/store-with'
import { Chat, message } from 'palimpsest/internals/testing/store-contract/chat'
import { afterEach, expect, test } from 'vitest'
import { changeRows, PLACES, type StorePlace, sqlitePlace } from '../../../test/stores.ts'
import { compareSession, copySession } from './copy-session.ts'

const opened: Store[] = []
const places: StorePlace[] = []

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  for (const place of places.splice(0)) await place.remove()
})

async function open(create: () => StorePlace): Promise<Store> {
  const place = create()
  places.push(place)
  const store = await place.open()
  opened.push(store)
  return store
}

/** The same store, of which a session folds once more before each further page. */
function foldingBetweenPages(store: Store, fold: () => Promise<unknown>): Store {
  const readCopyPage: CopyStore['readCopyPage'] = async (key, place) => {
    if (place !== null && (place.part !== 'segments' || place.after > 0)) await fold()
    return store.copies.readCopyPage(key, place)
  }
  return storeWith(store, { copies: { ...store.copies, readCopyPage } })
}

test.each(Object.entries(PLACES))(
  'a copy from %s is not held up by folds of the original',
  async (_, create) => {
    const [source, to] = [await open(create), await open(sqlitePlace)]
    const chat = new Chat(source)
    await chat.append(...Array.from({ length: 900 }, (_, index) => message(`message ${index + 1}`)))
    let folded = 0
    const from = foldingBetweenPages(source, () => {
      folded += 10
      return chat.fold(folded)
    })
    const stores = { from, to, onPage: () => {}, now: () => chat.now }
    expect((await copySession(chat.key, stores)).outcome).toBe('copied')
    expect(folded).toBeGreaterThan(0)
    expect((await compareSession(chat.key, { ...stores, from: source })).outcome).toBe('unchanged')
    const copy = new Chat(to)
    expect(await copy.contents()).toEqual(await chat.contents())
    expect((await copy.record()).state.compactedThrough).toBe((await chat.record()).state.compactedThrough)
  },
)

test.each(Object.entries(PLACES))(
  'a session from %s with a number that nothing can follow goes nowhere, and others do',
  async (_, create) => {
    const [source, to] = [await open(create), await open(sqlitePlace)]
    const [place] = places as [StorePlace]
    const names = ['epoch', 'seq', 'good']
    for (const name of names) await new Chat(source, name).say(3)
    await changeRows(place, `UPDATE sessions SET epoch = ${2 ** 53 - 1} WHERE name = 'epoch'`)
    await changeRows(
      place,
      `UPDATE messages SET seq = ${2 ** 53 - 1} WHERE seq = 3
         AND session_id = (SELECT id FROM sessions WHERE name = 'seq')`,
    )
    const stores = { from: source, to, onPage: () => {}, now: Date.now }
    const outcomes = []
    for (const id of names) outcomes.push((await copySession({ namespace: 'test', id }, stores)).outcome)
    expect(outcomes).toEqual(['unusable', 'unusable', 'copied'])
    expect((await to.sessions.listSessions('test', { limit: 10 })).map(({ id }) => id)).toEqual(['good'])
  },
)
