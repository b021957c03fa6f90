import { expect, it } from 'vitest'
import { tokens } from '../../packages/palimpsest/src/index.ts'
import { ANN, clock, start } from './chat-kit.ts'

it('memory makes no context overflow that fits without it', async () => {
  const palimpsest = await start({ folding: 'manual', policy: tokens({ budget: 8_000 }) })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'And now?' })
  await palimpsest.memory.persona.replace('You are kind and know much about trains. '.repeat(200))
  await palimpsest.memory.global.replace('- Our trains are green and go to every town.\n'.repeat(150))
  const tools = (await chat.memoryTools()).toAISDK()
  for (const words of [0, 2_000, 4_000, 5_000, 5_500, 6_000]) {
    const instructions = 'obey '.repeat(words)
    const { report } = await chat.context({ instructions, tools })
    expect(report.tokens).toBeLessThanOrEqual(8_000)
  }
  for (const budget of [900, 1_200, 2_000, 100_000])
    expect((await chat.context({ budget, tools })).report.tokens).toBeLessThanOrEqual(budget)
})

it('a bot that always names its budget has a prefix that stays, too', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'Hello there, how are things?' })
  await chat.memory.append('- one', { section: 'A' })
  const first = await chat.context({ budget: 9_000 })
  await chat.memory.append('- two', { section: 'A' })
  const second = await chat.context({ budget: 9_000 })
  expect(second.instructions).toBe(first.instructions)
  expect(JSON.stringify(second.messages)).toContain('chat_memory, new: two')
})

it('a heading that changes, and a budget, are noticed', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'Hello there, how are things?' })
  await chat.append({ role: 'assistant', content: 'Well.' })
  await palimpsest.memory.user('ann').replace(`## Likes\n- tea\n\n${'- and cake with cream\n'.repeat(60)}`)
  expect((await chat.context()).instructions).toContain('## Likes')
  await palimpsest.memory.user('ann').replace(`## Dislikes\n- tea\n\n${'- and cake with cream\n'.repeat(60)}`)
  clock.now += 2 * 3_600_000
  const { instructions } = await chat.context()
  expect(instructions).toContain('## Dislikes')
  palimpsest.configure({ memory: { budgets: { user: 100 } } })
  expect((await chat.context()).instructions.length).toBeLessThan(instructions.length / 2)
})
