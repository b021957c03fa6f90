import assert from 'node:assert/strict'
import type { Store, StoreEvent } from '../../store/index.ts'
import { Chat } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { erase } from './erasing-kit.ts'

const DAY_MS = 86_400_000
const RETENTION_MS = 3 * DAY_MS
const PATIENCE_MS = 10_000

/** A process that trims once a day. */
class Days {
  readonly store: Store
  now = Date.UTC(2026, 2, 1)

  constructor(store: Store) {
    this.store = store
  }

  /** Returns the number of deleted events. */
  async pass(days: number, keepNewest = 1): Promise<number> {
    let deleted = 0
    for (let day = 0; day < days; day += 1) {
      this.now += DAY_MS
      deleted += await this.look(keepNewest)
    }
    return deleted
  }

  async look(keepNewest = 1): Promise<number> {
    let all = 0
    for (let isMore = true; isMore; ) {
      const trimmed = await this.store.events.trimEvents({
        now: this.now,
        retentionMs: RETENTION_MS,
        keepNewest,
      })
      all += trimmed.deleted
      isMore = trimmed.isMore
    }
    return all
  }

  note(name: string, after: string | null, namespace = 'test'): Promise<void> {
    return this.store.events.noteConsumer(namespace, { name, after, now: this.now })
  }
}

/** Reads the kept events until there are `expected`. An older transaction may still be open. */
async function read(store: Store, expected: number): Promise<readonly StoreEvent[]> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const events = await store.events.readEvents({ after: null, limit: 10_000 })
    if (events.length >= expected || performance.now() > deadline) return events
  }
}

/** Appends each message in its own event. */
async function say(chat: Chat, messages: number): Promise<void> {
  for (let said = 0; said < messages; said += 1) await chat.say(1)
}

/** After so many days, all present events are older than the retention of three days. */
const OLD_AFTER = 4

export const trimming = contractCases('trimming events', {
  'takes those that are older than the retention, from the oldest on': async (store, open) => {
    const [chat, days] = [new Chat(store), new Days(store)]
    assert.equal(await days.pass(OLD_AFTER), 0, 'there are none yet')
    const empty = await store.events.readLastPosition()
    await say(chat, 9)
    const old = await read(store, 10)
    assert.equal(await days.pass(2), 0)
    await say(chat, 5)
    const all = await read(store, 15)
    assert.equal(await days.pass(OLD_AFTER - 2), 10)
    const kept = all.slice(10)
    assert.deepEqual(await read(store, 5), kept)
    assert.deepEqual(await (await open()).events.readEvents({ after: null, limit: 2 }), kept.slice(0, 2))
    for (const { position } of old.slice(0, -1))
      await refuses(store.events.readEvents({ after: position, limit: 1 }), 'position_lost')
    await refuses(store.events.readEvents({ after: empty, limit: 1 }), 'position_lost')
    for (const position of [old.at(-1)!.position, await store.events.readFirstPosition()])
      assert.deepEqual(
        await store.events.readEvents({ after: position, limit: 10 }),
        kept,
        'nothing was missed',
      )
    assert.equal(await days.pass(10), 4)
    assert.deepEqual(await read(store, 1), kept.slice(-1), 'the newest stays')
    const last = await store.events.readLastPosition()
    assert.equal(last, kept.at(-1)!.position)
    await say(chat, 1)
    const both = await read(store, 2)
    assert.deepEqual(await store.events.readEvents({ after: last, limit: 10 }), both.slice(1))
    await days.pass(20)
    assert.equal((await store.log.readMessages(chat.key, { limit: 100, from: 'oldest' })).length, 15)
  },

  'leaves the newest, as many as are to stay': async store => {
    const [chat, days] = [new Chat(store), new Days(store)]
    await say(chat, 9)
    const all = await read(store, 10)
    assert.equal(await days.pass(20, 4), 6)
    assert.deepEqual(await read(store, 4), all.slice(6))
    assert.equal(await days.pass(20, 4), 0)
    assert.equal(await days.pass(1, 0), 3, 'but one')
    await days.store.events.trimEvents({ now: days.now, retentionMs: RETENTION_MS })
  },

  'goes by the time that passes, whatever a clock has said': async store => {
    const [chat, days] = [new Chat(store), new Days(store)]
    await days.look()
    for (const at of [0, days.now, Date.UTC(2199, 0, 1), Date.UTC(1990, 0, 1)]) {
      chat.now = at
      await say(chat, 1)
    }
    await read(store, 5)
    assert.equal(await days.pass(2), 0, 'those of 1970 are new')
    days.now += 1_000 * DAY_MS
    assert.equal(await days.look(), 0, 'a clock that was set ahead is not believed')
    days.now -= 2_000 * DAY_MS
    assert.equal(await days.look(), 0)
    assert.equal((await read(store, 5)).length, 5)
    assert.equal(await days.pass(2), 4, 'those of 2199 are old')
  },

  'leaves what a known reader has not read, until it was not seen for long': async store => {
    const [chat, days] = [new Chat(store), new Days(store)]
    await say(chat, 9)
    const all = await read(store, 10)
    await days.note('slow', all[2]!.position)
    await days.note('fast', all[7]!.position)
    assert.equal(await days.pass(OLD_AFTER), 3)
    assert.deepEqual(await store.events.readEvents({ after: all[2]!.position, limit: 10 }), all.slice(3))
    await days.note('slow', all[4]!.position)
    assert.equal(await days.pass(1), 2)
    assert.equal(await days.pass(10), 0)
    assert.equal(await days.pass(2), 4, 'the other one holds the rest, and was not seen for as long')
    await refuses(days.note('slow', all[4]!.position), 'position_lost')
    await refuses(store.events.readEvents({ after: all[4]!.position, limit: 1 }), 'position_lost')
    await days.note('slow', null)
    await say(chat, 1)
    await read(store, 2)
    assert.equal(await days.pass(OLD_AFTER), 0)
  },

  'knows readers by their names, of which there are not too many': async store => {
    const days = new Days(store)
    for (const name of ['', 'a b', 'ü', 'x'.repeat(101)])
      await refuses(days.note(name, null), 'invalid_argument')
    await refuses(days.note('reader', 'what'), 'invalid_argument')
    for (let index = 0; index < 100; index += 1) await days.note(`reader-${index}`, null)
    await refuses(days.note('one-more', null), 'invalid_argument')
    await days.note('reader-0', null)
    await days.note('one-more', null, 'other')
    await days.pass(4 * 3 + 1)
    await days.note('one-more', null)
  },

  'keeps nothing any more for a reader that is forgotten': async store => {
    const [chat, days] = [new Chat(store), new Days(store)]
    await say(chat, 9)
    const all = await read(store, 10)
    await days.note('gone', all[2]!.position)
    await days.note('gone', all[4]!.position, 'other')
    assert.equal(await days.pass(OLD_AFTER), 3)
    assert.equal(await store.events.forgetConsumer('test', 'unknown'), false)
    assert.equal(await store.events.forgetConsumer('test', 'gone'), true)
    assert.equal(await store.events.forgetConsumer('test', 'gone'), false)
    assert.equal(await days.pass(1), 2, 'one of the same name in another namespace stays')
    assert.equal(await store.events.forgetConsumer('other', 'gone'), true)
    await days.note('there', all[6]!.position)
    assert.equal(await days.pass(1), 2)
    await refuses(days.note('gone', all[4]!.position), 'position_lost')
  },

  'leaves the history of folds, of which no reader is told again': async store => {
    const [chat, days] = [new Chat(store), new Days(store)]
    await chat.say(12)
    await chat.fold(4)
    await chat.fold(6)
    await say(chat, 2)
    await read(store, 6)
    const history = await store.folds.readFolds(chat.key, { limit: 10 })
    assert.equal(history.length, 2)
    assert.equal(await days.pass(OLD_AFTER), 5)
    assert.deepEqual(await store.folds.readFolds(chat.key, { limit: 10 }), history)
    assert.deepEqual(await store.folds.readFolds(chat.key, { limit: 1 }), history.slice(0, 1))
    assert.deepEqual(
      await store.folds.readFolds(chat.key, { limit: 5, before: history[0]!.id }),
      history.slice(1),
    )
    assert.deepEqual(
      (await read(store, 1)).map(({ type, toSeq }) => [type, toSeq]),
      [['message-appended', 14]],
    )
    await chat.fold(8)
    assert.deepEqual(
      (await read(store, 2)).map(({ type }) => type),
      ['message-appended', 'fold-committed'],
    )
    const longer = await store.folds.readFolds(chat.key, { limit: 10 })
    assert.deepEqual(longer.slice(1), history)
    assert.deepEqual(await store.folds.readFolds(chat.key, { limit: 2 }), longer.slice(0, 2))
    await chat.fork('fork', 9)
    await erase(store, { kind: 'session', sessionId: 'chat' })
    await days.pass(20)
    assert.deepEqual(await store.folds.readFolds(chat.key, { limit: 10 }), [])
    assert.deepEqual(
      (await read(store, 0)).filter(({ sessionId }) => sessionId === 'chat'),
      [],
    )
  },

  'tells nobody of a loss where only what was erased is gone': async store => {
    const [chat, gone, days] = [new Chat(store), new Chat(store, 'gone'), new Days(store)]
    await say(chat, 1)
    const [, { position } = { position: '' }] = await read(store, 2)
    await say(gone, 3)
    await erase(store, { kind: 'session', sessionId: 'gone' })
    await say(chat, 1)
    const [, , next] = await read(store, 3)
    await days.pass(20)
    assert.deepEqual(await store.events.readEvents({ after: position, limit: 10 }), [next])
  },

  'forgets the readers of a namespace with it': async store => {
    const [chat, other, days] = [
      new Chat(store),
      new Chat(store, 'b', { namespace: 'other' }),
      new Days(store),
    ]
    await say(other, 3)
    await say(chat, 3)
    await days.note('reader', null)
    await read(store, 8)
    assert.equal(await days.pass(OLD_AFTER), 0)
    await erase(store, { kind: 'namespace' })
    assert.ok((await days.pass(OLD_AFTER)) >= 3)
  },

  'is done by several at once, while others write and read': async (store, open) => {
    const stores = [store, await open(), await open()]
    const chat = new Chat(store)
    const seen: StoreEvent[] = []
    const last = new Days(store)
    for (let round = 0; round < 6; round += 1) {
      await say(chat, 20)
      last.now += DAY_MS
      const trims = stores.map(async each => {
        const days = new Days(each)
        days.now = last.now
        await days.look()
      })
      await Promise.all([...trims, say(new Chat(stores[1]!, 'other'), 5)])
      const expected = 2 + (round + 1) * 25
      const deadline = performance.now() + PATIENCE_MS
      while (seen.length < expected && performance.now() < deadline)
        seen.push(...(await store.events.readEvents({ after: seen.at(-1)?.position ?? null, limit: 7 })))
    }
    assert.equal(seen.length, 152)
    assert.equal(new Set(seen.map(({ position }) => position)).size, 152)
    assert.ok((await read(store, 0)).length < 152)
  },
})
