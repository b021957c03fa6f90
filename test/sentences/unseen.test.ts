import { expect, test } from 'vitest'
import { readChats, score, tell } from './unseen.ts'

/** What holds a fact about who says it, and nothing else, is taken. */
const MIN_PRECISION = 0.97

test.each([
  ['unseen-1.txt', 300],
  ['unseen-2.txt', 150],
  ['unseen-3.txt', 100],
  ['unseen-4.txt', 100],
])('of chats that the code had not seen, %s, only facts are taken', async (name, atLeast) => {
  const chats = readChats(name)
  expect(chats.length).toBeGreaterThanOrEqual(atLeast)
  const figures = await score(chats)
  console.log(tell(name, figures))
  expect(figures.right / figures.taken).toBeGreaterThanOrEqual(MIN_PRECISION)
})
