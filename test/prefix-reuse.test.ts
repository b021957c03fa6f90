import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, test } from 'vitest'
import { count, createPalimpsest, modelSummarizer } from '../packages/palimpsest/src/index.ts'
import { startModelServer } from '../packages/palimpsest/src/testing/index.ts'
import { smallTalk } from './scenarios/small-talk.ts'
import { sqlitePlace } from './stores.ts'

const ANSWER = JSON.stringify({
  summary: 'They spoke about a bicycle.',
  events: [{ on: '2024-01-05', text: 'user: the bicycle is due', seq: 3 }],
  details: [],
  memo: '{"topic":"bicycle"}',
})
const INSTRUCTIONS = 'You are a friendly assistant for everything.'

test('a summariser that reuses the prefix sends, byte for byte, what the model was sent before', async () => {
  await using server = await startModelServer({ reply: ANSWER })
  const { chat, talk, close } = await openReusing(server.url)
  for (let round = 0; round < 3; round++) {
    while ((await chat.append(talk.next().value)).decision === null);
    const { messages } = (await chat.context({ instructions: INSTRUCTIONS })).toOpenAI()
    const outcome = await chat.compact()
    expect(outcome).toMatchObject({ outcome: 'applied', warnings: [] })
    const sent = server.requests.at(-1)!.body.messages!
    const same = sent.slice(0, -1)
    // The instructions, the session memory if there is one, and the messages of the range.
    expect(same).toHaveLength(1 + (round === 0 ? 0 : 1) + (outcome.toSeq! - outcome.fromSeq! + 1))
    expect(JSON.stringify(same)).toBe(JSON.stringify(messages.slice(0, same.length)))
    expect(String(sent.at(-1)!.content)).toContain(`#${outcome.toSeq} `)
    expect(server.requests.at(-1)!.body).not.toHaveProperty('response_format')
  }
  expect(server.requests).toHaveLength(3)
  const [segment] = await chat.segments()
  expect(segment).toMatchObject({ summary: 'They spoke about a bicycle.' })
  expect((await chat.info())?.memo).toMatchObject({ topic: 'bicycle' })
  await close()
})

test('what somebody only looks at is not what the model was sent', async () => {
  await using server = await startModelServer({ reply: ANSWER })
  const { chat, talk, close } = await openReusing(server.url)
  while ((await chat.append(talk.next().value)).decision === null);
  await chat.context({ instructions: INSTRUCTIONS })
  await chat.context({ notes: false })
  await chat.compact()
  expect(server.requests[0]!.body.messages![0]!.content).toContain(INSTRUCTIONS)
  await close()
})

test('without a context in this process there is no prefix, and the fold does without', async () => {
  await using server = await startModelServer({ reply: ANSWER })
  const { chat, talk, close } = await openReusing(server.url)
  while ((await chat.append(talk.next().value)).decision === null);
  expect(await chat.compact()).toMatchObject({ outcome: 'applied' })
  expect(server.requests[0]!.body.messages).toHaveLength(2)
  await close()
})

/** A session whose summariser is a model behind this address, which reuses the prefix. */
async function openReusing(baseURL: string) {
  const model = createOpenAICompatible({ name: 'loopback', baseURL })('scripted')
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: count({ threshold: 40, keepLast: 10 }),
    summarizer: modelSummarizer(model, { reusePrefix: true }),
    folding: 'manual',
  })
  const close = async () => {
    await palimpsest.close()
    await place.remove()
  }
  return { chat: palimpsest.session('a'), talk: smallTalk(2), close }
}
