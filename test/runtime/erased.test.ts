import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Responder } from '../../packages/bot/src/index.ts'
import { createPalimpsest, type Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { PLACES } from '../stores.ts'
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
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
    if (await is()) return
    await kit.clock.advance(200)
    await new Promise(resolve => setTimeout(resolve, 2))
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

  test('is shown no further where memory that it was shown was erased, and begins anew', async () => {
    await kit.close()
    const asked: string[] = []
    kit = await runtimeKit({
      responder: async request => {
        const turn = await request.turn()
        asked.push(JSON.stringify(turn.prompt))
        const pieces = told.responder(request) as AsyncIterable<string>
        const said = { steps: [], responseMessages: [{ role: 'assistant', content: 'Whatever.' }] }
        return { text: pieces, finish: () => turn.finish(said) }
      },
    })
    const other = kit.palimpsest.session('other', { user: 'memory:7' })
    await other.append({ role: 'user', content: `I love ${WORDS}.` })
    const tools = await other.memoryTools()
    await tools.execute('write_user_memory', { content: `Loves ${WORDS}.` })
    await kit.say('What do I love?')
    await until(() => told.begun === 1)
    told.say('You love ')
    await until(() => kit.platform.texts.length === 1)
    const old = told
    told = new Told()
    await kit.palimpsest.forget({ kind: 'messages', sessionId: 'other', seqs: [1] })
    old.say(`${WORDS}. `)
    await until(() => kit.reports.length === 1)
    expect(kit.reports).toMatchObject([{ outcome: 'erased', error: { details: { erased: 'memory' } } }])
    await until(() => told.begun === 1)
    told.say('I do not know.')
    told.end()
    await until(() => kit.reports.length === 2)
    expect(kit.reports[1]).toMatchObject({ outcome: 'delivered' })
    expect(asked.map(prompt => prompt.includes(WORDS))).toEqual([true, false])
    expect(kit.platform.calls.join()).not.toContain(WORDS)
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

describe.each(Object.entries(PLACES))('an answer that is stored and not delivered, on %s', (_, place) => {
  const responder: Responder = request => told.responder(request)
  /** The database has a clock of its own. */
  const turns = { timeoutMs: 24 * 3_600_000 }

  beforeEach(async () => {
    await kit.close()
    kit = await runtimeKit({ place: place(), responder, turns })
  })

  /** The log: what they love, a reply, a question, its answer, which the platform does not take, and one more message. */
  async function answered(): Promise<string> {
    told.say('Noted.')
    told.end()
    await kit.say(`I love ${WORDS}.`)
    await until(() => kit.reports.length === 1)
    told = new Told()
    kit.platform.failures.push(...Array.from({ length: 500 }, () => new Error('not now')))
    told.say(`You love ${WORDS}.`)
    told.end()
    await kit.say('What do I love?')
    const [id] = await session()
    await until(async () => (await kit.palimpsest.session(id!).count()) === 4)
    await kit.palimpsest.session(id!).append({ role: 'user', content: 'By the way.', sender: 'Bob' })
    kit.reports.length = 0
    return id!
  }

  type Change = (palimpsest: Palimpsest, id: string) => Promise<unknown>

  /** While it is tried again and again. */
  async function meanwhile(change: Change): Promise<void> {
    await change(kit.palimpsest, await answered())
  }

  /** Before another process comes up and finds it. */
  async function betweenProcesses(change: Change): Promise<void> {
    const id = await answered()
    const { place, platform, clock } = kit
    await kit.end()
    const other = await createPalimpsest({
      store: await place.open(),
      folding: 'manual',
      indexing: 'off',
      clock,
    })
    await change(other, id)
    await other.close()
    kit = await runtimeKit({ place, platform, clock, responder, turns })
  }

  const erasing =
    (...seqs: number[]): Change =>
    (palimpsest, sessionId) =>
      palimpsest.forget({ kind: 'messages', sessionId, seqs })

  const QUOTING = `You love ${WORDS}.`

  async function expectSent(): Promise<void> {
    kit.platform.failures.length = 0
    await until(() => kit.reports.length === 1)
    expect(kit.reports).toMatchObject([{ outcome: 'delivered', seqs: [3] }])
    expect(kit.platform.texts.at(-1)).toBe(QUOTING)
    expect(await kit.palimpsest.waiting()).toEqual([])
  }

  async function expectDropped(code: string): Promise<void> {
    kit.platform.failures.length = 0
    await until(() => kit.reports.length === 1)
    expect(kit.reports).toMatchObject([{ outcome: 'erased', seqs: [3], error: { code } }])
    expect(kit.platform.texts.join()).not.toContain(WORDS)
    expect(await kit.palimpsest.waiting()).toEqual([])
    // Nor by the next process.
    kit = await kit.restart()
    await kit.clock.advance(120_000)
    expect(kit.platform.texts.join()).not.toContain(WORDS)
    expect(kit.reports).toEqual([])
  }

  test.for([meanwhile, betweenProcesses])('is sent where what was erased came after it: %o', async when => {
    await when(erasing(5))
    await expectSent()
  })

  test.for([meanwhile, betweenProcesses])('is sent after an edit and a fold: %o', async when => {
    await when(async (palimpsest, id) => {
      await palimpsest.session(id).edit(1, 'I love nothing.')
      await palimpsest.session(id).compact({ force: true })
    })
    await expectSent()
  })

  test.for([meanwhile, betweenProcesses])(
    'is not sent where it may quote what was erased: %o',
    async when => {
      await when(erasing(1))
      await expectDropped('erased_meanwhile')
    },
  )

  test.for([meanwhile, betweenProcesses])('is not sent where it was erased itself: %o', async when => {
    await when(erasing(4))
    await expectDropped('erased_meanwhile')
  })

  test.for([meanwhile, betweenProcesses])(
    'is not sent where it was taken back: its question is answered anew, %o',
    async when => {
      await when(async (palimpsest, id) => {
        await palimpsest.session(id).rollback(3)
        told = new Told()
        told.say('Something else.')
        told.end()
      })
      kit.platform.failures.length = 0
      await until(() => kit.reports.some(({ outcome }) => outcome === 'delivered'))
      expect(kit.reports.at(-1)).toMatchObject({ outcome: 'delivered', seqs: [3] })
      expect(kit.platform.texts).toEqual(['Noted.', 'Something else.'])
      expect(await kit.palimpsest.waiting()).toEqual([])
    },
  )

  test('is not sent where its question was erased or taken back', async () => {
    await meanwhile(erasing(3))
    await expectDropped('erased_meanwhile')
    await kit.close()
    told = new Told()
    kit = await runtimeKit({ place: place(), responder, turns })
    await meanwhile((palimpsest, id) => palimpsest.session(id).rollback(2))
    await expectDropped('taken_back')
  })
})
