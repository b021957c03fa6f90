import { afterAll, expect, test } from 'vitest'
import { checkAnswer, send } from './fuzz-answers.ts'
import { operationsOf } from './fuzz-operations.ts'
import { knownParts } from './fuzz-parts.ts'
import { createWorlds } from './fuzz-world.ts'

const worlds = await createWorlds()
const world = await worlds.open()
const operations = await operationsOf(world.app)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  worlds[Symbol.dispose]()
})

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
  'get',
  'X-Y',
]
const NOWHERE = [
  '/v1',
  '/v1/',
  '/v2/sessions',
  '/v1/sessions/s/nothing',
  '//v1/sessions',
  '/openapi.yaml',
  '/.env',
]

test.each([...Map.groupBy(operations, ({ path }) => path)])(
  'to %s no other method is taken, and none changes anything',
  async (path, known) => {
    const taken = known.map(({ method }) => method)
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => knownParts(name)[0]!)
    for (const method of METHODS.filter(method => !taken.includes(method.toUpperCase()))) {
      const before = world.database.fingerprint()
      const answer = await send(world.app, `http://localhost${filled}`, { method })
      checkAnswer(answer, method, filled)
      expect(world.database.fingerprint()).toBe(before)
      if (method === 'HEAD' && taken.includes('GET')) continue
      expect(answer.status, method).toBeGreaterThanOrEqual(400)
      if (answer.status === 405) expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(taken.sort())
    }
    expect(world.errors).toEqual([])
  },
)

test.each(NOWHERE)('%s is nowhere, whatever the method', async path => {
  const before = world.database.fingerprint()
  for (const method of METHODS) {
    const answer = await send(world.app, `http://localhost${path}`, { method })
    checkAnswer(answer, method, path)
    expect(answer.status).toBe(404)
  }
  expect(world.database.fingerprint()).toBe(before)
})
