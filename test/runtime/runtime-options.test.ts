import { afterEach, expect, test } from 'vitest'
import { type Kit, type KitOptions, MemoryPlatform, quiet, runtimeKit } from './runtime-kit.ts'

const cleanUps: (() => Promise<unknown>)[] = []

async function open(options: KitOptions = {}): Promise<Kit> {
  const kit = await runtimeKit({ inbox: { quietMs: 0 }, ...options })
  cleanUps.push(kit.close)
  return kit
}

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

test('an option that is undefined is one that was left out', async () => {
  const kit = await open({
    turns: { concurrency: undefined, timeoutMs: undefined } as never,
    groups: { proactivePerHour: undefined } as never,
  })
  await kit.say('hello')
  await quiet(kit)
  expect(kit.platform.texts).toEqual(['answer to hello'])
  await expect(runtimeKit({ platform: new MemoryPlatform({ mostCharacters: 0 }) })).rejects.toThrow(
    /at least 20/,
  )
})
