import { expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import type { CopyPage, CopyPlace, Store } from '../../packages/palimpsest/src/store/index.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { postgresUrl } from '../postgres/url.ts'
import { stride } from '../runs.ts'
import { PLACES, sqlitePlace } from '../stores.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'

const KEY = { namespace: 'default', id: 'chat' }

async function* pagesOf(store: Store): AsyncGenerator<CopyPage> {
  let place: CopyPlace | null = null
  do {
    const page: CopyPage = await store.copies.readCopyPage(KEY, place)
    yield page
    // Of many pages, so that there are many places at which to fail.
    place = page.next && { ...page.next, limit: 100 }
  } while (place !== null)
}

async function copy(from: Store, to: Store): Promise<void> {
  const [original, there] = [(await from.copies.readCopyState(KEY))!, await to.copies.readCopyState(KEY)]
  await to.copies.importCopy(KEY, {
    pages: pagesOf(from),
    original: { ...original, store: from.name },
    ...(there && { replaces: { contentMark: there.contentMark, after: 0 } }),
    now: 0,
  })
}

test.each(Object.entries(PLACES))(
  '%s: a copy that fails at any step is not to be seen, leaves the one before it, and is whole when it is tried again',
  async (_, place) => {
    const source = sqlitePlace()
    const palimpsest = await createPalimpsest({
      store: await source.open(),
      folding: 'manual',
      indexing: 'off',
    })
    const chat = palimpsest.session('chat')
    await chat.append(
      Array.from({ length: 450 }, (_, index) => ({
        role: index % 2 ? ('assistant' as const) : ('user' as const),
        content: `message ${index} ${'about lemons '.repeat(5)}`,
        sender: `u${index % 5}`,
      })),
    )
    await chat.compact({ force: true })
    await palimpsest.memory.document('chat', 'chat').replace('# One\n\nfirst')
    const from = await source.open()
    const target = place()
    const before = await target.open()
    for (const round of ['new', 'replaced'] as const) {
      const earlier = round === 'new' ? null : await before.transfer.exportSession(KEY)
      if (round === 'replaced') await chat.edit(5, 'edited')
      for (let failAt = 1; ; failAt += stride(3)) {
        const driver = faultyDriver(driverFor(target.address, postgresUrl()), step => {
          if (step === failAt) throw new Error('a planted fault')
        })
        const store = new SqlStore(driver, () => {})
        await store.open()
        const failure = await copy(from, store).then(
          () => null,
          (error: Error) => error,
        )
        await store.close()
        const record = await before.sessions.readSession(KEY)
        const isThere = record !== null && record.epoch === (await from.sessions.readSession(KEY))!.epoch
        // Committed, but nobody was told: then it is whole.
        if (isThere)
          expect(await before.transfer.exportSession(KEY)).toEqual(await from.transfer.exportSession(KEY))
        else expect(record === null ? null : await before.transfer.exportSession(KEY)).toEqual(earlier)
        if (isThere || failure === null) break
      }
      await copy(from, before)
      expect(await before.transfer.exportSession(KEY)).toEqual(await from.transfer.exportSession(KEY))
      expect(await before.sessions.listSessions('default', { limit: 10 })).toHaveLength(1)
    }
    for (const store of [from, before]) await store.close()
    await palimpsest.close()
    for (const each of [source, target]) await each.remove()
  },
)
