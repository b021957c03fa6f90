import { expect, test } from 'vitest'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { sqlitePlace } from '../stores.ts'

test('erasing one message takes its own lines from memory, and the others of its fold are written again', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: 4_000 }),
    folding: 'manual',
  })
  const chat = palimpsest.session('chat')
  const talk = smallTalk(3)
  for (let index = 0; index < 200; index++) {
    const { decision } = await chat.append(talk.next().value)
    if (decision) await chat.compact()
  }
  const lines = async () =>
    ((await chat.memory.read())?.content ?? '').split('\n').filter(line => line.startsWith('- 20'))
  const forget = async (seq: number) =>
    palimpsest.erased((await palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [seq] })).id)
  const before = await lines()
  const messages = await chat.messages({ limit: 1_000 })
  // The day that was put in is no word of theirs.
  const wordsOf = (line: string) => line.split(': user: ')[1]!.replace(/ \(\d{4}-\d{2}-\d{2}\)/, '')
  const told = before.at(-1)!
  const words = wordsOf(told)
  const source = messages.find(({ content }) => String(content).includes(words))!
  const untold = messages.find(({ content }) => content === 'ok thanks' || content === 'Sure!')!
  // A message that memory does not tell of takes nothing along; one that it does takes its own line.
  await forget(untold.seq)
  expect(await lines()).toEqual(before)
  await forget(source.seq)
  const after = await lines()
  expect(after).not.toContain(told)
  expect(after.length).toBeGreaterThanOrEqual(before.length - 2)
  expect(after.filter(line => before.includes(line)).length).toBeGreaterThan(0)
  await palimpsest.close()
  await place.remove()
}, 60_000)
