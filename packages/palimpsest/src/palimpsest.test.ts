import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlitePlace } from '../../../test/stores.ts'
import { compose, count, createPalimpsest, custom, type Palimpsest, rounds, sqlite, tokens } from './index.ts'

const place = sqlitePlace()
let palimpsest: Palimpsest

beforeAll(async () => {
  palimpsest = await createPalimpsest({
    store: await place.open(),
    folding: 'manual',
    policy: count({ threshold: 3, keepLast: 1 }),
  })
})

afterAll(async () => {
  await palimpsest.close()
  await place.remove()
})

const messages = (length: number) =>
  Array.from({ length }, (_, index) => ({ role: 'user' as const, content: `message ${index + 1}` }))

describe('what types would have caught is named', () => {
  const store = () => sqlite(`${place.address.slice('sqlite:'.length)}.other`)

  test.each([
    [undefined, 'store: nothing is given'],
    [{}, 'store: nothing is given'],
    [{ store: './x.db' }, 'store: "./x.db"'],
    [{ store: store(), policy: 'rounds' }, 'policy: "rounds"'],
    [{ store: store(), policy: rounds }, 'a preset such as rounds()'],
    [
      { store: store(), polcy: tokens() },
      'createPalimpsest: there is no option "polcy". Did you mean policy? Allowed: store, policy',
    ],
    [{ store: store(), zone: 'Mars' }, 'zone: "Mars"'],
    [{ store: store(), namespace: 'x'.repeat(201) }, 'at most 200 characters'],
  ])('%#', async (options, message) => {
    await expect(createPalimpsest(options as never)).rejects.toThrow(message)
  })

  test.each([
    [() => sqlite(''), 'path: ""'],
    [() => sqlite(undefined as never), 'path: nothing is given'],
    [
      () => sqlite('x.db', { durability: 'none' as never }),
      'durability: "none" cannot be taken; allowed: full, normal',
    ],
    [() => sqlite('x.db', { busyTimeoutMs: 'abc' as never }), 'busyTimeoutMs'],
    [() => compose(), 'at least one policy'],
    [() => custom(undefined as never), 'a function of a snapshot'],
    [() => palimpsest.session(7 as never), 'session: 7'],
  ])('%s', (call, message) => {
    expect(call).toThrow(message)
  })

  test('in a call', async () => {
    const chat = palimpsest.session('odd')
    await expect(chat.append({ role: 'user', content: 'x', external_id: '1' } as never)).rejects.toThrow(
      'external_id',
    )
    await expect(chat.append([...messages(1), { role: 'usr', content: 'x' } as never])).rejects.toThrow(
      'messages[1].role',
    )
    await expect(chat.append({ role: 'user', text: 5 } as never)).rejects.toThrow('text: 5')
    await expect(chat.append({ role: 'user', content: 'x', replyTo: 12n } as never)).rejects.toThrow(
      'replyTo: 12',
    )
    await expect(chat.messages({ from: 'newst' as never })).rejects.toThrow('oldest, newest')
    await expect(palimpsest.sessions({ limit: -1 })).rejects.toThrow('limit: -1')
    expect(await palimpsest.sessions({ limit: undefined as never })).toEqual([])
  })
})

test('an unset durability is the default', async () => {
  const store = sqlite(`${place.address.slice('sqlite:'.length)}.unset`, { durability: undefined as never })
  await store.open()
  await store.close()
})

test('forks, imports and rollbacks are judged like appends', async () => {
  const chat = palimpsest.session('judged')
  await chat.append(messages(6))
  expect((await (await chat.fork('judged fork')).info())?.pending).toBe(true)
  const { session } = await palimpsest.import(await chat.export(), { id: 'judged import' })
  expect((await session.info())?.pending).toBe(true)
  expect((await chat.rollback(5)).pending).toBe(true)
  expect((await chat.rollback(3)).pending).toBe(false)
})

test('a policy of your own decides right after the append; what it throws loses nothing', async () => {
  const errors: unknown[] = []
  let answer: unknown = null
  await using own = await createPalimpsest({
    store: await place.open(),
    folding: 'manual',
    policy: async () => {
      if (answer instanceof Error) throw answer
      return answer
    },
    onError: error => errors.push(error),
  })
  const chat = own.session('own')
  expect((await chat.append(messages(1))).decision).toBeNull()
  answer = 'lite'
  expect((await chat.append(messages(1))).decision).toMatchObject({ type: 'lite', reason: 'custom' })
  expect((await chat.info())?.pending).toBe(true)
  for (const odd of ['huge', 5, new Error('mine')]) {
    answer = odd
    await chat.append(messages(1))
  }
  expect(errors).toHaveLength(3)
  expect(await chat.count()).toBe(5)
})
