import { expect, test } from 'vitest'
import { interrupted } from '../../../../../test/faults/drivers.ts'
import { sqlitePlace } from '../../../../../test/stores.ts'
import { PalimpsestError } from '../../errors.ts'
import { Chat, message, sizeOf } from '../../testing/store-contract/chat.ts'
import { assertForgotten, CANARY, erase, toldBy } from '../../testing/store-contract/erasing-kit.ts'
import type { ErasureTarget } from '../erasure.ts'
import { SqliteDriver } from '../sqlite/driver.ts'
import { importSession } from './archive.ts'
import type { Driver } from './driver.ts'
import { forkSession } from './fork.ts'

const SENDER = { id: 'ann' }

const TARGETS: readonly ErasureTarget[] = [
  { kind: 'messages', sessionId: 'chat', seqs: [2, 700] },
  { kind: 'session', sessionId: 'chat' },
  { kind: 'person', id: 'ann' },
  { kind: 'namespace' },
]

async function build(
  at: number,
  target: ErasureTarget,
  how: (driver: Driver, chat: Chat) => Promise<unknown>,
): Promise<{ isInterrupted: boolean; code: string | null }> {
  const place = sqlitePlace()
  const store = await place.open()
  const driver = new SqliteDriver(place.address.slice('sqlite:'.length), { durability: 'normal' })
  await driver.open()
  const chat = new Chat(store, 'chat', { kind: 'group' })
  await chat.append(
    ...Array.from({ length: 700 }, (_, index) =>
      [2, 700].includes(index + 1) ? message(CANARY, { sender: SENDER }) : message('x'),
    ),
  )
  let isInterrupted = false
  const pausing = interrupted(driver, async write => {
    if (write !== at) return
    isInterrupted = true
    await erase(store, target)
  })
  let code: string | null = null
  try {
    await how(pausing, chat)
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error
    code = error.code
  }
  if (isInterrupted) assertForgotten(await toldBy(store))
  expect(
    (await store.sessions.listSessions('test', { limit: 10 })).map(({ id }) => id).includes('copy'),
  ).toBe(code === null)
  await driver.close()
  await store.close()
  await place.remove()
  return { isInterrupted, code }
}

test.for(TARGETS.map(target => [target.kind, target] as const))(
  'a fork that is under way brings nothing back of erased %s, whenever they go',
  async ([, target]) => {
    const codes = []
    for (let at = 1; ; at++) {
      const { isInterrupted, code } = await build(at, target, (driver, chat) =>
        forkSession(driver, chat.key, { newId: 'copy', atSeq: 700, now: 0 }, () => {}),
      )
      if (!isInterrupted) break
      codes.push(code)
    }
    expect(codes.length).toBeGreaterThan(4)
    // In the very last moment it is as good as done, and still does not appear.
    expect(codes.at(-1)).toBe('lease_lost')
  },
)

test('an import that is under way does not appear where the whole namespace goes', async () => {
  const target: ErasureTarget = { kind: 'namespace' }
  for (let at = 2; ; at++) {
    const { isInterrupted, code } = await build(at, target, async (driver, chat) => {
      const options = { measure: () => sizeOf('x'), groupTurnMessages: 12, now: 0 }
      await importSession(driver, { ...chat.key, id: 'copy' }, await chat.file(), options)
    })
    if (!isInterrupted) break
    expect(code).toBe('lease_lost')
  }
})
