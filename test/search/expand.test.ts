import { expect, test } from 'vitest'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { sqlitePlace } from '../stores.ts'

async function foldedChat() {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: 3_000 }),
    folding: 'manual',
  })
  const chat = palimpsest.session('chat')
  const talk = smallTalk(7)
  for (let index = 0; index < 900; index++) {
    const { decision } = await chat.append(talk.next().value)
    if (decision) await chat.compact()
  }
  const close = async () => {
    await palimpsest.close()
    await place.remove()
  }
  return { chat, close }
}

test('a segment opens level by level down to the messages, each of them once and whole', async () => {
  const { chat, close } = await foldedChat()
  const shown = await chat.segments()
  const top = shown.reduce((highest, segment) => (segment.level > highest.level ? segment : highest))
  expect(top.level).toBeGreaterThan(1)

  const read = async (id: number): Promise<readonly number[]> => {
    const seqs: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      const page = await chat.expand({ segment: id, after, limit: 3 })
      expect(page.segment?.id).toBe(id)
      expect(page.segments.length + page.messages.length).toBeLessThanOrEqual(3)
      expect(page.segments.length === 0 || page.messages.length === 0).toBe(true)
      for (const lower of page.segments) {
        expect(lower.level).toBeLessThan(page.segment!.level)
        seqs.push(...(await read(lower.id)))
      }
      seqs.push(...page.messages.map(({ seq }) => seq))
      after = page.next
    }
    return seqs
  }
  const original = (await chat.messages({ limit: 10_000 })).map(({ seq }) => seq)
  expect(await read(top.id)).toEqual(original.filter(seq => seq >= top.fromSeq && seq <= top.toSeq))

  const straight: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = await chat.expand({ segment: top.id, to: 'messages', after, tokens: 500 })
    expect(page.segments).toEqual([])
    straight.push(...page.messages.map(({ seq }) => seq))
    after = page.next
  }
  expect(straight).toEqual(await read(top.id))
  await close()
}, 60_000)

test('a page is bounded by tokens, and has one message at least', async () => {
  const { chat, close } = await foldedChat()
  const many = await chat.expand({ fromSeq: 1, toSeq: 900, tokens: 200, limit: 1_000 })
  expect(many.messages.length).toBeGreaterThan(1)
  expect(many.messages.length).toBeLessThan(50)
  expect(many.next).toBe(many.messages.at(-1)!.seq)
  expect((await chat.expand({ fromSeq: 5, tokens: 1 })).messages.map(({ seq }) => seq)).toEqual([5])
  expect(await chat.expand({ fromSeq: 2_000 })).toMatchObject({ messages: [], next: null })
  await close()
}, 60_000)

test('what is wrong is said', async () => {
  const { chat, close } = await foldedChat()
  await expect(chat.expand({ segment: 12_345 })).rejects.toMatchObject({ code: 'segment_not_found' })
  await expect(chat.expand({})).rejects.toThrow('fromSeq')
  await expect(chat.expand({ fromSeq: 5, toSeq: 4 })).rejects.toThrow('toSeq')
  await expect(chat.expand({ fromSeq: 5, limit: 0 })).rejects.toThrow('limit')
  await expect(chat.expand({ fromSeq: 5, to: 'top' as never })).rejects.toThrow('level, messages')
  await close()
}, 60_000)
