import { afterEach, describe, expect, test } from 'vitest'
import { type Kit, quiet, runtimeKit } from './runtime-kit.ts'

let kit: Kit
afterEach(() => kit.close())

const ENGLISH = 'A new beginning. What we said before is kept, and I can look it up.'
const chatOf = ({ palimpsest }: Kit, id = 'memory:42') => palimpsest.session(id)

describe('/new', () => {
  test('begins a private chat anew, once, and says so', async () => {
    kit = await runtimeKit()
    await kit.say('I live in Elm Street')
    await quiet(kit)
    await kit.say('/new', { id: 'twice' })
    await kit.say('/new', { id: 'twice' })
    await kit.say('Hello')
    await quiet(kit)
    expect(kit.platform.texts).toEqual(['answer to I live in Elm Street', ENGLISH, 'answer to Hello'])
    expect((await chatOf(kit).beginnings()).map(({ afterSeq }) => afterSeq)).toEqual([3])
    const shown = JSON.stringify((await chatOf(kit).context()).messages)
    expect(shown).toContain('Hello')
    expect(shown).not.toContain('Elm Street')
    expect(shown).not.toContain('/new')
  })

  test('is answered in the language of the chat, and after a restart', async () => {
    kit = await runtimeKit()
    await kit.say('我住在上海，喜欢喝茶')
    await quiet(kit)
    await kit.say('/new')
    kit = await kit.restart()
    await quiet(kit)
    expect(kit.platform.texts.at(-1)).toBe('新的开始。之前的对话都留着，需要时我可以查到。')
    expect((await chatOf(kit).info())?.beginsAfter).toBe(3)
  })

  test('in a group it has to be said to the bot', async () => {
    kit = await runtimeKit()
    const group = { chat: 'g', kind: 'group' as const }
    await kit.say('We meet at noon', group)
    await kit.say('/new', group)
    await quiet(kit)
    expect((await chatOf(kit, 'memory:g').info())?.beginsAfter).toBeNull()
    await kit.say('@bot /new', { ...group, mentionsBot: true })
    await kit.say('/new@bot', { ...group, mentionsBot: true })
    await kit.say('is /new a command?', { ...group, mentionsBot: true })
    await quiet(kit)
    expect((await chatOf(kit, 'memory:g').beginnings()).map(({ afterSeq }) => afterSeq)).toEqual([3, 4])
  })

  test('other words do it, or none', async () => {
    kit = await runtimeKit({ commands: { newBeginning: ['/reset', '重新开始'] } })
    await kit.say('/new')
    await quiet(kit)
    expect((await chatOf(kit).info())?.beginsAfter).toBeNull()
    await kit.say('重新开始')
    await quiet(kit)
    expect((await chatOf(kit).info())?.beginsAfter).toBe(3)
    kit = await kit.restart({ commands: { newBeginning: [] } })
    await kit.say('/reset')
    await quiet(kit)
    expect(kit.platform.texts.at(-1)).toBe('answer to /reset')
  })
})

test('a question whose answer was stored and not delivered is answered again after a rollback of the answer', async () => {
  kit = await runtimeKit()
  kit.platform.failures.push(...Array.from({ length: 40 }, () => new Error('away')))
  await kit.say('What is the capital?')
  const chat = chatOf(kit)
  for (let tries = 0; tries < 200 && (await chat.count()) < 2; tries++) await kit.clock.advance(500)
  expect(await chat.count()).toBe(2)
  await chat.rollback(1)
  expect((await chat.waiting()).map(({ seq, reply }) => [seq, reply])).toEqual([[1, null]])
  kit.platform.failures.length = 0
  await quiet(kit)
  expect(kit.platform.texts).toEqual(['answer to What is the capital?'])
  expect((await chat.messages()).map(({ seq }) => seq)).toEqual([1, 3])
  expect(await chat.waiting()).toEqual([])
})
