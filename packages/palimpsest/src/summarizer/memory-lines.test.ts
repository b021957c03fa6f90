import { expect, test } from 'vitest'
import { MemoryLines } from './memory-lines.ts'

function fact(text: string) {
  return { text, section: 'profile', seq: 1, on: null } as const
}

test('a fact takes the place of lines, and a later fact takes its place with all that it had replaced', () => {
  const memory = new MemoryLines(['Ann lives in Rome', 'Ann likes tea', 'Ann works in Rome'])
  const [home, , work] = memory.current()
  const moved = memory.add(fact('Ann lives in Oslo'), [home!])!
  expect(memory.facts()).toMatchObject([{ text: 'Ann lives in Oslo', replaces: [0] }])
  memory.add(fact('Ann lives and works in Bergen'), [work!, moved])
  expect(memory.facts()).toMatchObject([{ text: 'Ann lives and works in Bergen', replaces: [0, 2] }])
  expect(memory.current().map(({ text }) => text)).toEqual(['Ann likes tea', 'Ann lives and works in Bergen'])
})

test('a line is replaced once', () => {
  const memory = new MemoryLines(['Ann lives in Rome'])
  const [home] = memory.current()
  memory.add(fact('Ann lives in Oslo'), [home!, home!])
  memory.add(fact('Ann lives in Paris'), [home!])
  expect(memory.facts().map(({ replaces }) => replaces)).toEqual([[0], []])
})

test('what it has is no fact, however it is spelled; what is gone may come back', () => {
  const memory = new MemoryLines([
    '- 2026-03-02: Ann likes TEA!',
    'ＡＮＮ lives in Rome',
    '👍',
    '2026-05-03 is a Sunday',
  ])
  expect(memory.add(fact('ann likes tea'), [])).toBeNull()
  expect(memory.add(fact('Ann lives in Rome.'), [])).toBeNull()
  expect(memory.add(fact('👍'), [])).toBeNull()
  expect(memory.add(fact('2026-05-03 is a Sunday.'), [])).toBeNull()
  const moved = memory.add(fact('Ann lives in Oslo'), [memory.current()[1]!])!
  expect(memory.add(fact('Ann lives in Rome'), [moved])).not.toBeNull()
  expect(memory.facts()).toEqual([])
})

test('lines that are the same are told apart by their place', () => {
  const memory = new MemoryLines(['Ann likes tea', 'Ann likes tea'])
  memory.add(fact('Ann likes coffee'), [memory.current()[0]!])
  expect(memory.facts()).toMatchObject([{ replaces: [0] }])
  expect(memory.add(fact('Ann likes tea'), [])).toBeNull()
})
