import { expect, test } from 'vitest'
import { open, say } from './search-kit.ts'

test('over several sessions scores do not depend on how far the index has come', async () => {
  const palimpsest = await open()
  for (const [id, text] of [
    ['a', 'the ferry leaves at nine'],
    ['b', 'is there a ferry?'],
    ['c', 'nothing here'],
    ['d', 'shall we go?'],
  ] as const)
    await palimpsest.session(id).append(say(text, '2026-01-01T00:00Z'))
  const before = await palimpsest.search('when does the ferry leave')
  await palimpsest.settled()
  expect(await palimpsest.search('when does the ferry leave')).toEqual(before)
})

test('of many small sessions little is kept', async () => {
  const palimpsest = await open()
  for (let session = 0; session < 1_200; session++)
    await palimpsest.session(`s${session}`).append(say('hello word'))
  await palimpsest.settled()
  const before = process.memoryUsage().arrayBuffers
  expect((await palimpsest.search('word', { limit: 100 })).results).toHaveLength(100)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
}, 60_000)
