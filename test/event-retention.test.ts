import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PositionLostError } from '../packages/palimpsest/src/errors.ts'
import type { Store, StoreEvent } from '../packages/palimpsest/src/store/index.ts'
import { Chat } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import { erase } from '../packages/palimpsest/src/testing/store-contract/erasing-kit.ts'
import { longest, runs } from './runs.ts'
import { PLACES } from './stores.ts'

const DAY_MS = 86_400_000
const PATIENCE_MS = 30_000
const RETENTION_DAYS = 2
/** For so long a name holds what it has not read. */
const HELD_DAYS = 4 * RETENTION_DAYS

const session = fc.constantFrom('a', 'b')
const reader = fc.nat(3)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('say'), session }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fold'), session }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase'), session }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass'),
      days: fc.integer({ min: 1, max: 4 }),
      keep: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('read'), reader, limit: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('note'), reader }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('begin'), reader }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Reader {
  /** What it hands in: `null` before it has read anything. */
  position: string | null
  /** How many of all that ever happened lie before that. */
  through: number
  /** When it gave its name last; those below 2 have none. */
  notedOn: number | null
}

/** One who keeps up, and so knows all that ever happened. */
class World {
  readonly #stores: readonly Store[]
  readonly #chats: Record<string, { chat: Chat; messages: number; folded: number }> = {}
  readonly #all: StoreEvent[] = []
  readonly #erased = new Set<string>()
  readonly #readers: Reader[] = Array.from({ length: 4 }, () => ({
    position: null,
    through: 0,
    notedOn: null,
  }))
  #now = Date.UTC(2026, 0, 1)
  #day = 0
  #turn = 0

  constructor(stores: readonly Store[]) {
    this.#stores = stores
  }

  get #store(): Store {
    this.#turn += 1
    return this.#stores[this.#turn % this.#stores.length]!
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'say') await this.#say(step.session)
    else if (step.do === 'fold') await this.#fold(step.session)
    else if (step.do === 'erase') await this.#erase(step.session)
    else if (step.do === 'pass') await this.#pass(step.days, step.keep)
    else if (step.do === 'read') await this.#read(step.reader, step.limit)
    else if (step.do === 'note') await this.#note(step.reader)
    else this.#readers[step.reader] = { position: null, through: 0, notedOn: null }
    await this.#checkKept()
  }

  async #say(name: string): Promise<void> {
    const isNew = this.#chats[name] === undefined
    this.#chats[name] ??= { chat: new Chat(this.#stores[0]!, name), messages: 0, folded: 0 }
    await this.#chats[name].chat.say(1)
    this.#chats[name].messages += 1
    await this.#keepUp(isNew ? 2 : 1)
  }

  async #fold(name: string): Promise<void> {
    const known = this.#chats[name]
    if (!known || known.folded + 1 >= known.messages) return
    known.folded += 1
    await known.chat.fold(known.folded)
    await this.#keepUp(1)
  }

  async #erase(name: string): Promise<void> {
    if (!this.#chats[name]) return
    await erase(this.#store, { kind: 'session', sessionId: name })
    delete this.#chats[name]
    for (const { sessionId, position } of this.#all) if (sessionId === name) this.#erased.add(position)
  }

  /** An older transaction of another test may be under way. */
  async #keepUp(events: number): Promise<void> {
    const expected = this.#all.length + events
    const deadline = performance.now() + PATIENCE_MS
    while (this.#all.length < expected && performance.now() < deadline) {
      const after = this.#all.at(-1)?.position ?? null
      this.#all.push(...(await this.#store.events.readEvents({ after, limit: 10 })))
    }
    expect(this.#all).toHaveLength(expected)
  }

  async #pass(days: number, keepNewest: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      this.#now += DAY_MS
      this.#day += 1
      const request = { now: this.#now, retentionMs: RETENTION_DAYS * DAY_MS, keepNewest }
      while ((await this.#store.events.trimEvents(request)).isMore);
    }
  }

  #after(index: number): readonly StoreEvent[] {
    return this.#all.slice(index).filter(({ position }) => !this.#erased.has(position))
  }

  async #read(which: number, limit: number): Promise<void> {
    const reader = this.#readers[which]!
    const events = await this.#stores[0]!.events.readEvents({ after: reader.position, limit }).catch(
      error => {
        if (error instanceof PositionLostError) return null
        throw error
      },
    )
    if (events === null) return this.#lost(reader)
    // Who begins at the beginning gets all that is left, and never knew of the rest.
    const expected = reader.position === null ? await this.#kept() : this.#after(reader.through)
    expect(events).toEqual(expected.slice(0, limit))
    const last = events.at(-1)
    if (!last) return
    reader.position = last.position
    reader.through = this.#all.findIndex(({ position }) => position === last.position) + 1
  }

  /** Only who has missed something is told, and never one for whom it was to be kept. */
  async #lost(reader: Reader): Promise<void> {
    expect(reader.position).not.toBeNull()
    expect(reader.notedOn === null || this.#day - reader.notedOn >= HELD_DAYS).toBe(true)
    const kept = new Set((await this.#kept()).map(({ position }) => position))
    expect(this.#all.slice(reader.through).some(({ position }) => !kept.has(position))).toBe(true)
    Object.assign(reader, {
      position: await this.#store.events.readLastPosition(),
      through: this.#all.length,
      notedOn: null,
    })
  }

  async #note(which: number): Promise<void> {
    const reader = this.#readers[which]!
    if (which < 2) return
    try {
      const note = { name: `reader-${which}`, after: reader.position, now: this.#now }
      await this.#store.events.noteConsumer('test', note)
      reader.notedOn = this.#day
    } catch (error) {
      if (!(error instanceof PositionLostError)) throw error
      await this.#lost(reader)
    }
  }

  #kept(): Promise<readonly StoreEvent[]> {
    return this.#store.events.readEvents({ after: null, limit: 10_000 })
  }

  /** An end of all that happened, without a hole. */
  async #checkKept(): Promise<void> {
    const kept = await this.#kept()
    const [oldest] = kept
    const from = oldest
      ? this.#all.findIndex(({ position }) => position === oldest.position)
      : this.#all.length
    expect(kept).toEqual(this.#after(from))
    for (const [name, { chat, folded }] of Object.entries(this.#chats))
      expect(await this.#store.folds.readFolds(chat.key, { limit: 100 }), name).toHaveLength(folded)
  }
}

test.for(Object.entries(PLACES))(
  '%s: no reader ever misses an event without being told, with a name or without',
  { timeout: longest(300_000) },
  async ([name, create]) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async steps => {
        const place = create()
        const stores = [await place.open(), await place.open()]
        try {
          const world = new World(stores)
          for (const each of steps) await world.take(each)
        } finally {
          for (const store of stores) await store.close()
          await place.remove()
        }
      }),
      { numRuns: name === 'SQLite' ? runs(15, 40) : runs(3, 8) },
    )
  },
)
