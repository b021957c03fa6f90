import { expect, test } from 'vitest'
import { rounds } from '../packages/palimpsest/src/index.ts'
import { withChat } from './folding-kit.ts'

const SMALL_TALK = [
  ...[
    '今天天气不错',
    '好的',
    'ok',
    'hahaha',
    'good morning',
    '哈哈哈',
    'The weather is nice today',
    '我累了',
  ],
  ...['刚吃完饭', 'I am on my way now', 'It was fun and relaxing', 'Let me know what you think'],
]

async function history(said: readonly string[]): Promise<{ chat: string; daily: string }> {
  let documents = { chat: '', daily: '' }
  await withChat({ policy: rounds({ fullContextTurns: 1, cachedContextTurns: 1 }) }, async chat => {
    for (const content of said) {
      await chat.append({ role: 'user', sender: 'Ann', content, at: Date.UTC(2026, 2, 2, 10) })
      await chat.append({ role: 'assistant', content: '好的！', at: Date.UTC(2026, 2, 2, 10) })
      await chat.compact()
    }
    const daily = (await chat.daily('2026-03-02').read())?.content ?? ''
    documents = { chat: (await chat.memory.read())?.content ?? '', daily }
  })
  return documents
}

test('folds of short chats give chat memory the lines that are worth it, and no small talk', async () => {
  const { chat, daily } = await history(SMALL_TALK)
  for (const said of SMALL_TALK) expect(`${chat}\n${daily}`).not.toContain(said)
  expect(daily).toBe('')
  const worth = await history(['好的', '我们决定下周五去杭州', 'ok'])
  for (const document of [worth.chat, worth.daily]) {
    expect(document).toMatch(/2026-03-02.*我们决定下周五/)
    expect(document).not.toMatch(/好的$|ok$/m)
  }
})

test.each([
  'We decided to go with PostgreSQL',
  '我们决定下周五去杭州',
  'I am allergic to walnuts',
  '我喜欢喝龙井茶',
  'I will send the report to Bob',
  'The order no. 10017 is late',
  '我叫小林',
])('what is worth remembering does, in short chats too: %s', async said => {
  const { chat, daily } = await history([...SMALL_TALK.slice(0, 3), said, ...SMALL_TALK.slice(3, 6)])
  const words = said.slice(0, 5)
  expect(chat).toContain(words)
  expect(daily).toContain(words)
})
