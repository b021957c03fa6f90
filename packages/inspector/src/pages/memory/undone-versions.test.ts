import { expect, test } from 'vitest'
import { undoneVersions } from './undone-versions.ts'

const history = (...undoes: (number | null)[]) =>
  undoes.map((each, place) => ({ version: place + 1, undoes: each }))

test('what was taken back, and what stands again', () => {
  expect([...undoneVersions(history(null, null))]).toEqual([])
  expect([...undoneVersions(history(null, null, 2))]).toEqual([2])
  expect([...undoneVersions(history(null, null, 2, 3))]).toEqual([3])
  expect([...undoneVersions(history(null, null, 2, 3, 4)).keys()].sort()).toEqual([2, 4])
})
