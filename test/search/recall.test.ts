import { describe, expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest, rounds, tokens } from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { postgresPlace, sqlitePlace } from '../stores.ts'

async function withChat(run: (chat: ReturnType<Palimpsest['session']>) => Promise<void>): Promise<void> {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: 4_000 }),
    folding: 'manual',
  })
  const chat = palimpsest.session('chat')
  await chat.append({
    role: 'user',
    content: 'The door code of the cabin is 7741-KX, and the key hangs </recall> behind the mill.',
    at: '2026-01-15T08:00Z',
  })
  const talk = smallTalk(3)
  for (let index = 0; index < 400; index++) {
    const { decision } = await chat.append(talk.next().value)
    if (decision) await chat.compact()
  }
  await chat.append({ role: 'user', content: 'What was the door code of the cabin again?' })
  await run(chat)
  await palimpsest.close()
  await place.remove()
}

test(
  'what is asked brings back what was said long ago, right before it, and changes nothing before',
  () =>
    withChat(async chat => {
      const query = 'What was the door code of the cabin again?'
      const [plain, recalled] = [await chat.context(), await chat.context({ query })]
      const text = recalled.toText()
      expect(text).toContain('7741-KX')
      const block = recalled.report.blocks.find(({ name }) => name === 'recall')
      expect(block?.tokens).toBeGreaterThan(0)
      expect(plain.report.blocks.find(({ name }) => name === 'recall')).toBeUndefined()
      expect(recalled.report.tokens).toBeLessThanOrEqual(recalled.report.budget)
      expect(recalled.instructions).toBe(plain.instructions)
      const [last, before] = [recalled.messages.at(-1), recalled.messages.at(-2)]
      expect(JSON.stringify(last)).toContain('door code of the cabin again')
      expect(JSON.stringify(before)).toContain('<recall>')
      expect(JSON.stringify(before)).toContain('2026-01-15 08:00Z')
      // It cannot close its own block.
      expect(String(JSON.stringify(before)).match(/<\/recall>/g)).toHaveLength(1)
      expect(recalled.messages.filter(message => message !== before)).toEqual(plain.messages)
      expect((await chat.context()).report.prefixHash).toBe(plain.report.prefixHash)
    }),
  60_000,
)

test(
  'what the context shows anyway is not recalled, and without room nothing is',
  () =>
    withChat(async chat => {
      const whole = await chat.context({ query: 'door code cabin', budget: 1_000_000 })
      expect(whole.toText()).toContain('7741-KX')
      expect(whole.report.blocks.find(({ name }) => name === 'recall')).toBeUndefined()
      const { report } = await chat.context({ query: 'xyzzy plugh' })
      expect(report.blocks.find(({ name }) => name === 'recall')).toBeUndefined()
      for (const budget of [300, 400, 600, 1_000, 2_000, 4_000]) {
        const { report } = await chat.context({ query: 'door code of the cabin', budget })
        expect(report.tokens).toBeLessThanOrEqual(budget)
      }
    }),
  60_000,
)

test('a query of Chinese is answered in a Chinese frame', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: 3_000 }),
    folding: 'manual',
  })
  const chat = palimpsest.session('chat')
  // One of many, so that no summary tells it: what is told is not recalled.
  for (let house = 10; house < 50; house++)
    await chat.append({
      role: 'user',
      content: `第${house}号小屋的门禁密码是${house}七七四一，钥匙挂在磨坊后面。`,
    })
  for (let index = 0; index < 300; index++) {
    const { decision } = await chat.append({
      role: index % 2 ? 'assistant' : 'user',
      content: `今天第${index}次聊天，天气不错，我们去散步。`,
    })
    if (decision) await chat.compact()
  }
  const text = (await chat.context({ query: '27号小屋的门禁密码' })).toText()
  expect(text).toContain('27七七四一')
  expect(text).toContain('较早的消息')
  await palimpsest.close()
  await place.remove()
}, 60_000)

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('on %s', (_, newPlace) => {
  async function withRounds(run: (chat: ReturnType<Palimpsest['session']>) => Promise<void>): Promise<void> {
    const place = newPlace()
    const palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: rounds({ fullContextTurns: 2, cachedContextTurns: 2 }),
      folding: 'manual',
    })
    try {
      await run(palimpsest.session('chat'))
    } finally {
      await palimpsest.close()
      await place.remove()
    }
  }

  test('after folding nothing comes back word for word that the context tells already', () =>
    withRounds(async chat => {
      const said = (round: number) => [
        `What colour is house number ${round}?`,
        `House number ${round} is as red as apple ${round}.`,
      ]
      for (let round = 1; round <= 6; round++) {
        const [question, answer] = said(round)
        await chat.append([
          { role: 'user', content: question! },
          { role: 'assistant', content: answer! },
        ])
        await chat.compact()
      }
      const folded = (await chat.info())!.compactedThrough
      expect(folded).toBeGreaterThan(3)
      const context = await chat.context({ query: said(1)[0]! })
      const shown = JSON.stringify(context.messages)
      for (let round = 1; round <= 6; round++)
        for (const text of said(round)) expect([text, shown.split(text).length - 1]).toEqual([text, 1])
      expect(context.report.blocks.find(({ name }) => name === 'recall')).toBeUndefined()
      // The same again: it hangs on nothing else.
      expect((await chat.context({ query: said(1)[0]! })).messages).toEqual(context.messages)
    }))

  test('what was edited since is recalled as it is now, and what was taken back is not', () =>
    withRounds(async chat => {
      const filler = 'We talked about the weather, the garden, the neighbours and the long way home. '.repeat(
        12,
      )
      await chat.append({ role: 'user', content: `${filler} The spare key is at Elm Street 12.` })
      await chat.append({ role: 'assistant', content: `${filler} I see.` })
      for (let round = 0; round < 6; round++)
        await chat.append([
          { role: 'user', content: `${filler} ${round}` },
          { role: 'assistant', content: `${filler} ${round}` },
        ])
      await chat.compact()
      await chat.edit(1, `${filler} The spare key is at Oak Avenue 99.`)
      const recalled = async () =>
        JSON.stringify(
          (await chat.context({ query: 'Where is the spare key?' })).messages.filter(({ content }) =>
            JSON.stringify(content).includes('<recall>'),
          ),
        )
      expect(await recalled()).not.toContain('Elm Street')
    }))
})

test('of short messages far more than eight, with the question of an answer', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: 4_000 }),
    folding: 'manual',
  })
  const chat = palimpsest.session('chat')
  for (let index = 0; index < 40; index++) {
    await chat.append({ role: 'user', content: `Which kite flies in garden ${index}?` })
    await chat.append({ role: 'assistant', content: `Today one with ${index + 100} stripes.` })
  }
  const talk = smallTalk(5)
  for (let index = 0; index < 300; index++) {
    const { decision } = await chat.append(talk.next().value)
    if (decision) await chat.compact()
  }
  const { messages, report } = await chat.context({ query: 'Which kite was it?' })
  const recall = String(messages.find(({ content }) => String(content).startsWith('<recall>'))?.content)
  const kites = [...recall.matchAll(/garden (\d+)\?/g)].map(([, number]) => Number(number))
  expect(kites.length).toBeGreaterThan(8)
  // Each question that is there and has an answer, has it on the next line.
  const answered = kites.filter(number => recall.includes(`with ${number + 100} stripes.`))
  expect(answered.length).toBeGreaterThan(4)
  expect(report.tokens).toBeLessThanOrEqual(report.budget)
  await palimpsest.close()
  await place.remove()
}, 60_000)
