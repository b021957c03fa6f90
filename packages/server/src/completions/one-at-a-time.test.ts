import { expect, test } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

test('work for one key waits for the work before it, however that ends, and other keys do not', async () => {
  const turns = new OneAtATime()
  const first = Promise.withResolvers<void>()
  const done: string[] = []
  const failing = turns.run('a', async () => {
    await first.promise
    done.push('first')
    throw new Error('no')
  })
  const waiting = turns.run('a', async () => done.push('second'))
  await turns.run('b', async () => done.push('other'))
  expect(done).toEqual(['other'])
  first.resolve()
  await expect(failing).rejects.toThrow('no')
  await waiting
  expect(done).toEqual(['other', 'first', 'second'])
  expect(turns.size).toBe(0)
})
