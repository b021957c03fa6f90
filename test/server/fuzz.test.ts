import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { longest, runs } from '../runs.ts'
import { checkAnswer, isRefusal, send } from './fuzz-answers.ts'
import { type Operation, operationsOf } from './fuzz-operations.ts'
import { type FuzzedRequest, requestsTo, written } from './fuzz-requests.ts'
import { createWorlds, type World } from './fuzz-world.ts'

const worlds = await createWorlds()
const operations = await (async () => {
  await using world = await worlds.open()
  return operationsOf(world.app)
})()

let model: ModelServer
beforeAll(async () => {
  model = await startModelServer({ reply: 'Lemons are yellow.' })
})

const called = new Set<string>()
afterAll(async () => {
  await model.close()
  worlds[Symbol.dispose]()
})

/** So many to one server, one after the other: later ones meet what earlier ones left. An erasure takes its time. */
const MAX_CALLS: Readonly<Record<string, number>> = { GET: 40, DELETE: 4 }
const DEFAULT_CALLS = 10

/** Sends one after the other, and holds each answer, and what it left behind, against what always holds. */
async function attempt(world: World, requests: readonly FuzzedRequest[]): Promise<void> {
  let known = world.database.fingerprint()
  for (const request of requests) {
    const { url, init } = written(request)
    const answer = await send(world.app, url, init)
    checkAnswer(answer, request.method, new URL(url).pathname)
    expect(world.errors).toEqual([])
    await world.settled()
    if (isRefusal(answer)) expect(world.database.fingerprint(), 'changed by a refusal').toBe(known)
    if (request.path.includes('settings')) await world.resetSettings()
    known = world.database.fingerprint()
  }
}

describe('whatever is sent to', () => {
  test.each(operations)(
    '$name is answered or refused, and what is refused changes nothing',
    async (operation: Operation) => {
      called.add(operation.name)
      const maxLength = MAX_CALLS[operation.method] ?? DEFAULT_CALLS
      const isAnswering = operation.path === '/v1/chat/completions'
      const environments = isAnswering
        ? fc.constantFrom({}, { model: 'openai-compatible:qwen3', modelBaseUrl: model.url })
        : fc.constant({})
      await fc.assert(
        fc.asyncProperty(
          environments,
          fc.array(requestsTo(operation), { minLength: 1, maxLength, size: 'max' }),
          async (environment, requests) => {
            await using world = await worlds.open(environment)
            await attempt(world, requests)
          },
        ),
        { numRuns: runs(5, 10) },
      )
    },
    longest(60_000),
  )

  test('nothing of the document was left out', () => {
    expect([...called].sort()).toEqual(operations.map(({ name }) => name).sort())
  })
})
