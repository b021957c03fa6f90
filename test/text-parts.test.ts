import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copySession } from '../packages/cli/src/copy-session.ts'
import type { Store } from '../packages/palimpsest/src/store/index.ts'
import { Chat, message, sizeOf } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import { erase } from '../packages/palimpsest/src/testing/store-contract/erasing-kit.ts'
import { type StorePlace, sqliteBeside, sqlitePlace } from './stores.ts'

/** In every text, so that what is left of one in a file can be found. */
const CANARY = 'zanzibarium'
const LETTERS = ['x', 'я', '漢', '😀', '\0', '\ud800', '"', ' ']
const SIZES = [1, 300, 880, 899, 901, 999, 1_001, 2_000, 4_500, 15_999, 16_001, 30_000, 65_536, 66_000]

const texts = fc
  .record({
    letter: fc.constantFrom(...LETTERS),
    size: fc.constantFrom(...SIZES),
    start: fc.string({ maxLength: 20 }),
  })
  .map(({ letter, size, start }) => `${CANARY}${start}${letter.repeat(size)}${CANARY}`)

const actions = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), texts: fc.array(texts, { minLength: 1, maxLength: 5 }) }),
  fc.record({ kind: fc.constant('edit' as const), at: fc.nat(20), text: texts }),
  fc.record({ kind: fc.constant('fork' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('erase' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('erase session' as const), at: fc.nat(5) }),
  fc.record({ kind: fc.constant('rollback' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('import' as const) }),
)
type Action = typeof actions extends fc.Arbitrary<infer Value> ? Value : never

/** One of two databases with the same in them: a compact one, and one as it was before. */
class Side {
  readonly place: StorePlace = sqlitePlace()
  readonly names: string[] = ['chat']
  store!: Store

  async open(isCompact: boolean): Promise<void> {
    await (await this.place.open()).close()
    const database = sqliteBeside(this.place.address)
    database.exec(`UPDATE layout SET is_compact = ${isCompact ? 1 : 0}`)
    database.close()
    this.store = await this.place.open()
  }

  /** What it answers, or which error it is. */
  async act(action: Action, number: number): Promise<unknown> {
    return this.#act(action, number).catch(({ code }: { code?: string }) => code ?? 'failed')
  }

  async #act(action: Action, number: number): Promise<void> {
    const chat = new Chat(this.store, this.names[number % this.names.length])
    switch (action.kind) {
      case 'append':
        await chat.append(...action.texts.map(text => message(text)))
        return
      case 'edit':
        await chat.edit(action.at, action.text)
        return
      case 'fork':
        await chat.fork(`fork ${number}`, action.at)
        this.names.push(`fork ${number}`)
        return
      case 'erase':
        await erase(this.store, { kind: 'messages', sessionId: chat.key.id, seqs: [action.at] })
        return
      case 'erase session':
        await erase(this.store, { kind: 'session', sessionId: this.names[action.at % this.names.length]! })
        return
      case 'rollback':
        await chat.rollback(action.at)
        return
      case 'import': {
        const file = await this.store.transfer.exportSession(chat.key)
        await this.store.transfer.importSession({ ...chat.key, id: `import ${number}` }, file, {
          measure: ({ content }) => sizeOf(content ?? ''),
          groupTurnMessages: 20,
          now: Date.UTC(2026, 0, 16),
        })
        this.names.push(`import ${number}`)
      }
    }
  }

  async told(): Promise<unknown> {
    const told: unknown[] = []
    for (const name of this.names) {
      const { key } = new Chat(this.store, name)
      const file = await this.store.transfer.exportSession(key).catch(({ code }: { code: string }) => code)
      told.push(
        file,
        await this.store.log.readMessages(key, { limit: 1_000, from: 'oldest' }).catch(() => null),
      )
    }
    return JSON.parse(JSON.stringify(told, (name, value) => (name === 'exportedAt' ? null : value)))
  }

  /** Of each text as many rows have it as it says, and none is left without. */
  checkHolders(): void {
    const database = sqliteBeside(this.place.address, { readOnly: true })
    const holders = database
      .prepare('SELECT id, holders FROM text_parts WHERE holders IS NOT NULL ORDER BY id')
      .all()
    const rows = database
      .prepare(
        `SELECT id, count(*) AS holders FROM (
           SELECT CAST(content AS INTEGER) AS id FROM messages WHERE format BETWEEN 4 AND 7 UNION ALL
           SELECT CAST(content AS INTEGER) FROM message_versions WHERE format BETWEEN 4 AND 7
         ) GROUP BY id ORDER BY id`,
      )
      .all()
    database.close()
    expect(holders).toEqual(rows)
  }
}

test('whatever is done, a compact database tells the same as another, and keeps nothing of what was erased', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 3, maxLength: 12 }), async given => {
      const sides = [new Side(), new Side()] as const
      const copies = [new Side(), new Side()] as const
      try {
        for (const [place, side] of [...sides, ...copies].entries()) await side.open(place % 2 === 0)
        const steps: Action[] = [
          { kind: 'append', texts: SIZES.map(size => `${CANARY}${'y'.repeat(size)}`) },
          ...given,
        ]
        for (const [number, action] of steps.entries()) {
          const [one, other] = [await sides[0].act(action, number), await sides[1].act(action, number)]
          expect(one, action.kind).toEqual(other)
        }
        const told = await sides[0].told()
        expect(told).toEqual(await sides[1].told())
        sides[0].checkHolders()
        // From a compact one into the other, and back.
        for (const [place, side] of sides.entries()) {
          const copy = copies[1 - place]!
          copy.names.splice(0, 1, ...side.names)
          const stores = { from: side.store, to: copy.store, onPage: () => {}, now: () => 0 }
          for (const name of side.names)
            if ((await side.store.sessions.readSession(new Chat(side.store, name).key)) !== null)
              expect(await copySession(new Chat(side.store, name).key, stores)).toMatchObject({
                outcome: 'copied',
              })
          expect(await copy.told()).toEqual(told)
        }
        copies[0].checkHolders()
        for (const name of sides[0].names)
          await erase(sides[0].store, { kind: 'session', sessionId: name }).catch(() => {})
        sides[0].checkHolders()
        expect(await sides[0].store.erasure.scrub()).toBe(true)
        const file = sides[0].place.address.replace(/^sqlite:/, '')
        for (const name of [file, `${file}-wal`])
          expect(readFileSync(name).includes(CANARY), name).toBe(false)
      } finally {
        for (const side of [...sides, ...copies]) {
          await side.store?.close()
          await side.place.remove()
        }
      }
    }),
    { numRuns: 12 },
  )
}, 120_000)
