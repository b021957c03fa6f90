import { expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest, tokens } from '../../src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { sqlitePlace } from '../stores.ts'

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
  await chat.append({ role: 'user', content: '小屋的门禁密码是七七四一，钥匙挂在磨坊后面。' })
  for (let index = 0; index < 300; index++) {
    const { decision } = await chat.append({
      role: index % 2 ? 'assistant' : 'user',
      content: `今天第${index}次聊天，天气不错，我们去散步。`,
    })
    if (decision) await chat.compact()
  }
  const text = (await chat.context({ query: '门禁密码' })).toText()
  expect(text).toContain('七七四一')
  expect(text).toContain('较早的消息')
  await palimpsest.close()
  await place.remove()
}, 60_000)
