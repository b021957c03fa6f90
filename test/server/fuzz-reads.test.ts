import { afterAll, expect, test } from 'vitest'
import { longest } from '../runs.ts'
import { checkAnswer, send } from './fuzz-answers.ts'
import { type Operation, operationsOf } from './fuzz-operations.ts'
import { HOSTILE_PARTS, knownParts, QUERY_VALUES, UNKNOWN_QUERIES } from './fuzz-parts.ts'
import { createWorlds } from './fuzz-world.ts'

/** Reads are cheap: beside what chance finds, each value is tried at each place, all else being sound. */
const worlds = await createWorlds()
const world = await worlds.open()
const operations = await operationsOf(world.app)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  worlds[Symbol.dispose]()
})

function soundPath({ path }: Operation, given: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name] ?? knownParts(name)[0]!)
}

function* addressesOf(operation: Operation): Generator<string> {
  const { parts, queries } = operation
  const needed = queries.includes('q') ? 'q=lemons' : ''
  for (const name of parts)
    for (const value of [...knownParts(name), ...HOSTILE_PARTS])
      yield `${soundPath(operation, { [name]: value })}?${needed}`
  for (const name of queries)
    for (const value of QUERY_VALUES) {
      const given = `${name}=${value}`
      yield `${soundPath(operation)}?${name === 'q' ? given : `${needed}&${given}`}`
    }
  for (const name of UNKNOWN_QUERIES) yield `${soundPath(operation)}?${needed}&${name}=1`
  for (const name of queries) yield `${soundPath(operation)}?${name}=1&${name}=2&${name}=`
}

test.each(operations.filter(({ method }) => method === 'GET'))(
  '$name is answered or refused, whatever stands in its path or its query',
  async operation => {
    const before = world.database.fingerprint()
    const answers = new Set<number>()
    for (const address of addressesOf(operation)) {
      const answer = await send(world.app, `http://localhost${address}`, { method: 'GET' })
      checkAnswer(answer, 'GET', operation.path)
      answers.add(answer.status)
      expect(world.errors, address.slice(0, 200)).toEqual([])
    }
    expect([...answers].some(status => status >= 400)).toBe(true)
    expect(world.database.fingerprint()).toBe(before)
  },
  longest(60_000),
)
