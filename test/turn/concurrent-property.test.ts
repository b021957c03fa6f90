import { generateText, tool } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPalimpsest, type Session, type Turn } from '../../packages/palimpsest/src/index.ts'
import { contentText } from '../../packages/palimpsest/src/log/index.ts'
import { type ScriptedModel, scriptedModel } from '../../packages/palimpsest/src/testing/index.ts'
import { modelMessageViolations } from '../provider-rules.ts'
import { runs } from '../runs.ts'
import { PLACES } from '../stores.ts'

/** One of several requests in one session; each has its steps in this order. */
interface Request {
  readonly calls: boolean
  /** Says which message it answers; otherwise its own handle says it. */
  readonly isExplicit: boolean
}

interface History {
  readonly requests: readonly Request[]
  /** Whose next step is done. */
  readonly order: readonly number[]
}

const STEPS = 3
const history: fc.Arbitrary<History> = fc
  .array(fc.record({ calls: fc.boolean(), isExplicit: fc.boolean() }), { minLength: 2, maxLength: 5 })
  .chain(requests =>
    fc.record({
      requests: fc.constant(requests),
      order: fc.shuffledSubarray(
        requests.flatMap((_, place) => Array.from({ length: STEPS }, () => place)),
        { minLength: requests.length * STEPS },
      ),
    }),
  )

const questionOf = (place: number) => `Question ${place}?`
const answerOf = (place: number) => `Answer ${place}.`

/** A request under way: its model waits until it may answer. */
class Asking {
  readonly #chat: Session
  readonly #place: number
  readonly #request: Request
  readonly #go = Promise.withResolvers<void>()
  readonly #isAsked = Promise.withResolvers<void>()
  readonly model: ScriptedModel
  seq = 0
  turn: Turn | null = null
  #result: Promise<unknown> | null = null

  constructor(chat: Session, place: number, request: Request) {
    this.#chat = chat
    this.#place = place
    this.#request = request
    this.model = scriptedModel(async ({ said }) => {
      if (request.calls && said.at(-1)!.role !== 'tool')
        return { toolCalls: [{ name: 'look', arguments: {} }] }
      this.#isAsked.resolve()
      await this.#go.promise
      return answerOf(place)
    })
  }

  async step(number: number): Promise<void> {
    if (number === 0) {
      const { messages } = await this.#chat.append({ role: 'user', content: questionOf(this.#place) })
      this.seq = messages[0]!.seq
    } else if (number === 1) {
      const execute = async () => `Seen by ${this.#place}.`
      const tools = this.#request.calls ? { look: tool({ inputSchema: z.object({}), execute }) } : {}
      const through = this.#request.isExplicit ? { throughSeq: this.seq } : {}
      this.turn = (await this.#chat.turn({ ...through, tools, memoryTools: false })) as Turn
      this.#result = generateText({ model: this.model, ...this.turn.prompt })
      await this.#isAsked.promise
    } else {
      this.#go.resolve()
      await this.turn!.finish((await this.#result!) as never)
    }
  }
}

const RUNS = { SQLite: runs(20, 60), PostgreSQL: runs(3, 8) } as const

describe.each(Object.entries(PLACES))('on %s', (name, newPlace) => {
  test('however requests interleave, each is answered itself, once', { timeout: 120_000 }, async () => {
    const place = newPlace()
    const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual' })
    let run = 0
    try {
      await fc.assert(
        fc.asyncProperty(history, async ({ requests, order }) => {
          run += 1
          const handle = () => palimpsest.session(`chat ${run}`, { user: 'ann' })
          const asking = requests.map((request, index) => new Asking(handle(), index, request))
          const done = requests.map(() => 0)
          for (const index of order) await asking[index]!.step(done[index]!++)
          const chat = handle()
          const log = await chat.messages({ limit: 1_000 })
          const final = await chat.context()
          expect(modelMessageViolations(final.messages)).toEqual([])
          for (const [index, { seq, model, turn }] of asking.entries()) {
            for (const { said } of model.requests) {
              expect(said.findLast(({ role }) => role === 'user')!.text).toBe(questionOf(index))
              const asked = said.filter(({ role }) => role === 'user').map(({ text }) => text)
              const earlier = log.filter(message => message.role === 'user' && message.seq <= seq)
              expect(asked).toEqual(earlier.map(({ content }) => contentText(content)))
            }
            expect(model.requests[0]!.said.at(-1)!.text).toBe(questionOf(index))
            const answers = log.filter(({ content }) => contentText(content) === answerOf(index))
            expect(answers.map(({ role, replyTo }) => [role, replyTo])).toEqual([['assistant', seq]])
            const { messages, report } = turn!.context
            if (report.epoch === final.report.epoch)
              expect(final.messages.slice(0, report.stableMessages)).toEqual(
                messages.slice(0, report.stableMessages),
              )
          }
          const calls = requests.filter(({ calls }) => calls).length
          expect(log).toHaveLength(requests.length * 2 + calls * 2)
        }),
        { numRuns: RUNS[name as keyof typeof RUNS] },
      )
    } finally {
      await palimpsest.close()
      await place.remove()
    }
  })
})
