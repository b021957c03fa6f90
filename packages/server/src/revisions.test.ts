import { expect, test } from 'vitest'
import { Revisions } from './revisions.ts'

test('a reading that never ends keeps nobody else waiting', async () => {
  let calls = 0
  const revisions = new Revisions({
    readRevision: () => (calls++ === 0 ? new Promise<number>(() => {}) : Promise.resolve(7)),
  })
  void revisions.current()
  expect(await revisions.current()).toBe(7)
})
