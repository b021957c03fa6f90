import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Responder } from '../../src/runtime/index.ts'
import { type Kit, runtimeKit } from './runtime-kit.ts'

const WORDS = 'zebra-5c1d77'

/** A responder that says a piece whenever it is told to. */
class Told {
  readonly #pieces: string[] = []
  #isOver = false
  #wake = Promise.withResolvers<void>()
  begun = 0

  readonly responder: Responder = () => this.#texts()

  async *#texts(): AsyncGenerator<string> {
    this.begun += 1
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece !== undefined) yield piece
      else if (this.#isOver) return
      else await this.#wake.promise
    }
  }

  #next(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }

  say(piece: string): void {
    this.#pieces.push(piece)
    this.#next()
  }

  end(): void {
    this.#isOver = true
    this.#next()
  }
}

let kit: Kit
let told: Told

beforeEach(async () => {
  told = new Told()
  kit = await runtimeKit({ responder: request => told.responder(request) })
})

afterEach(() => kit.close())

/** Time passes, and what happens by itself happens, until it is so. */
async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await is()) return
    await kit.clock.advance(200)
    await new Promise(resolve => setImmediate(resolve))
  }
  throw new Error('it never came')
}

async function beginAnswer(): Promise<void> {
  await kit.say(`What did I say of ${WORDS}?`)
  await until(() => told.begun === 1)
}

const session = async () => (await kit.palimpsest.sessions()).map(({ id }) => id)

describe('an answer under way for a chat that is erased', () => {
  test('is shown no further, is not stored, and is reported once; the next message is answered', async () => {
    await beginAnswer()
    told.say('You said ')
    await until(() => kit.platform.texts.length === 1)
    const [id] = await session()
    const user = (await kit.palimpsest.session(id!).info())!.user!
    await kit.palimpsest.forget({ kind: 'person', id: user })
    told.say(`${WORDS}. `)
    await until(() => kit.reports.length === 1)
    told.say('And more of it.')
    told.end()
    expect(kit.reports).toMatchObject([
      { outcome: 'erased', error: { code: 'erased_meanwhile', details: { erased: 'session' } } },
    ])
    expect(kit.platform.texts.join()).not.toContain(WORDS)
    expect(await session()).toEqual([])
    told = new Told()
    await kit.say('Hello')
    await until(() => told.begun === 1)
    told.say('Hello to you.')
    told.end()
    await until(() => kit.reports.length === 2)
    expect(kit.reports[1]).toMatchObject({ outcome: 'delivered', attempts: 1 })
    expect(kit.platform.texts.at(-1)).toBe('Hello to you.')
    expect(kit.errors).toEqual([])
  })

  test('does not settle what a new message of the same chat waits for', async () => {
    await beginAnswer()
    const [id] = await session()
    await kit.palimpsest.forget({ kind: 'session', sessionId: id! })
    const old = told
    told = new Told()
    await kit.say('Hello')
    old.say(`You said ${WORDS}.`)
    old.end()
    await until(() => kit.reports.length === 1)
    expect(kit.reports).toMatchObject([{ outcome: 'erased' }])
    expect(kit.platform.texts.join()).not.toContain(WORDS)
    await until(() => told.begun === 1)
    told.say('Hello to you.')
    told.end()
    await until(() => kit.reports.length === 2)
    expect(kit.reports[1]).toMatchObject({ outcome: 'delivered' })
    const log = await kit.palimpsest.session(id!).messages()
    expect(log.map(({ content }) => content)).toEqual(['Hello', 'Hello to you.'])
  })

  test('begins anew where only another message of it was erased', async () => {
    told.say('Noted.')
    told.end()
    await kit.say(`I love ${WORDS}.`)
    await until(() => kit.reports.length === 1)
    told = new Told()
    await kit.say('What do I love?')
    await until(() => told.begun === 1)
    const old = told
    told = new Told()
    const [id] = await session()
    await kit.palimpsest.forget({ kind: 'messages', sessionId: id!, seqs: [1] })
    old.say(`You love ${WORDS}.`)
    old.end()
    await until(() => told.begun === 1)
    told.say('I do not know.')
    told.end()
    await until(() => kit.reports.length === 3)
    expect(kit.reports.slice(1)).toMatchObject([{ outcome: 'erased' }, { outcome: 'delivered' }])
    expect(kit.platform.texts.join()).not.toContain(WORDS)
    expect((await kit.palimpsest.session(id!).messages()).at(-1)!.content).toBe('I do not know.')
  })

  test('is not sent once it is stored and then erased, while the platform takes nothing', async () => {
    await beginAnswer()
    kit.platform.failures.push(...Array.from({ length: 50 }, () => new Error('not now')))
    told.say(`You said ${WORDS}.`)
    told.end()
    await until(async () => (await kit.palimpsest.session((await session())[0]!).count()) === 2)
    await kit.palimpsest.forget({ kind: 'session', sessionId: (await session())[0]! })
    await until(() => kit.reports.length === 1)
    kit.platform.failures.length = 0
    expect(kit.reports).toMatchObject([{ outcome: 'erased' }])
    expect(kit.platform.texts).toEqual([])
  })
})
