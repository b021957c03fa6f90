import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { Clock } from './kit.ts'

describe.each(Object.entries(PLACES))('what a person says of themself, turn by turn, on %s', (_, placeOf) => {
  let place: StorePlace
  let palimpsest: Palimpsest
  let clock: Clock

  beforeEach(async () => {
    clock = new Clock()
    place = placeOf()
    palimpsest = await createPalimpsest({
      store: await place.open(),
      clock: clock.read,
      memory: { extract: 'turn' },
    })
    // It looks for what an earlier process left: a turn that ends meanwhile would be read a second later.
    await palimpsest.settled()
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  const chatOf = (user: string) => palimpsest.session(`of-${user}`, { kind: 'private', user })

  /** A turn of its own: what it says is learned before the next one begins. The `seq` of what was said. */
  async function say(content: string, { by = 'ann', to = 'ann', answer = 'I see.' } = {}): Promise<number> {
    clock.pass({ minutes: 1 })
    const { messages } = await chatOf(to).append({ role: 'user', content, sender: { id: by, name: by } })
    await chatOf(to).append({ role: 'assistant', content: answer })
    expect(await palimpsest.settled()).toBe(true)
    return messages[0]!.seq
  }

  /** Without headings and days. */
  async function linesOf(user: string): Promise<string[]> {
    const content = (await palimpsest.memory.user(user).read())?.content ?? ''
    return content.split('\n').flatMap(line => /^- \d{4}-\d\d-\d\d: (.*)$/.exec(line)?.[1] ?? [])
  }

  test('a move takes the place of the home before', async () => {
    await say('I live in Berlin.')
    await say('I moved to Porto, finally by the sea')
    expect(await linesOf('ann')).toEqual(['I moved to Porto, finally by the sea'])
    await say('我住在北京', { by: 'li', to: 'li' })
    await say('我搬去上海了', { by: 'li', to: 'li' })
    expect(await linesOf('li')).toEqual(['我搬去上海了'])
  })

  test('what has ended goes', async () => {
    await say('I work at Siemens.')
    await say('I love jazz')
    await say("I don't work at Siemens anymore")
    const lines = await linesOf('ann')
    expect(lines).not.toContain('I work at Siemens.')
    expect(lines).toContain('I love jazz')
  })

  test.each([
    ['I live in Oslo.', 'I live in Narvik on the moon base', 'haha just kidding'],
    ['我住在杭州', '我住在西藏', '哈哈骗你的'],
  ])('a joke goes with the next message, and what it replaced holds again: %s', async (home, joke, back) => {
    await say(home)
    await say(joke)
    const told = await linesOf('ann')
    await say(back)
    expect(await linesOf('ann')).toEqual([home])
    expect(told.length).toBeGreaterThan(0)
  })

  test('another person takes nothing back', async () => {
    await say('I live in Oslo.')
    await say('just kidding', { by: 'bob' })
    await say('*Bergen, typo', { by: 'bob' })
    expect(await linesOf('ann')).toEqual(['I live in Oslo.'])
  })

  test.each([
    ['My name is Jon', '*Jan, typo', 'My name is Jan'],
    ['I live in Linz. I love tea.', 'sorry, I mean Graz, not Linz', 'I live in Graz.'],
    ['I live in Linz.', 'Sorry, I live in Graz', 'Sorry, I live in Graz'],
    ['我住在北京', '说错了，是天津', '我住在天津'],
    ['我叫小雨', '不对，是小雅', '我叫小雅'],
  ])('a correction in the next message: %s', async (said, correction, right) => {
    await say(said)
    const [wrong, ...others] = await linesOf('ann')
    await say(correction)
    const lines = await linesOf('ann')
    expect(lines).toContain(right)
    expect(lines).not.toContain(wrong)
    for (const other of others) expect(lines).toContain(other)
  })

  test.each([
    ['said first', 0],
    ['put right', 1],
  ])('a corrected line goes with the message in which it was %s', async (_, which) => {
    const seqs = [await say('I live in Linz.'), await say('sorry, I mean Graz, not Linz')]
    expect(await linesOf('ann')).toEqual(['I live in Graz.'])
    await palimpsest.forget({ kind: 'messages', sessionId: 'of-ann', seqs: [seqs[which]!] })
    await palimpsest.settled()
    const content = (await palimpsest.memory.user('ann').read())?.content ?? ''
    expect(content).not.toContain('Graz')
  })

  test('an edited correction, and an edited joke, are read again', async () => {
    await say('I live in Linz.')
    const seq = await say('sorry, I mean Graz, not Linz')
    await chatOf('ann').edit(seq, 'sorry, I mean Wels, not Linz')
    clock.pass({ minutes: 10 })
    await say('what a nice day it is in the park')
    expect(await linesOf('ann')).toEqual(['I live in Wels.'])
    const joke = await say('I have three cats')
    await say('jk')
    await chatOf('ann').edit(joke, 'I have three dogs')
    clock.pass({ minutes: 10 })
    await say('the park is still very nice today')
    expect(await linesOf('ann')).toEqual(['I live in Wels.'])
  })

  test('an edit of its message takes a fact along, and so does an erasure', async () => {
    const seq = await say("I'm allergic to peanuts")
    const other = await say('I live in Elmstadt.')
    await chatOf('ann').edit(seq, "I'm allergic to walnuts")
    expect(await linesOf('ann')).toEqual(['I live in Elmstadt.'])
    clock.pass({ minutes: 10 })
    await say('what a nice day it is in the park')
    expect((await linesOf('ann')).toSorted()).toEqual(['I live in Elmstadt.', "I'm allergic to walnuts"])
    await palimpsest.forget({ kind: 'messages', sessionId: 'of-ann', seqs: [other] })
    await palimpsest.settled()
    const user = palimpsest.memory.user('ann')
    expect(await linesOf('ann')).toEqual(["I'm allergic to walnuts"])
    for (const { content } of await user.versions()) expect(content).not.toContain('Elmstadt')
    expect(JSON.stringify(await user.facts('all'))).not.toContain('Elmstadt')
  })

  test('two people in a group get none of each other’s facts, nor their own into each other’s memory', async () => {
    const group = palimpsest.session('group', { kind: 'group', scope: 'harbour' })
    await say('I live in Oslo.')
    await say('I live in Rome.', { by: 'bob', to: 'bob' })
    for (const [id, content] of [
      ['ann', "I'm allergic to peanuts"],
      ['bob', 'I love shellfish'],
      ['ann', 'just kidding'],
      ['bob', '*Naples, typo'],
    ]) {
      clock.pass({ minutes: 1 })
      await group.append({ role: 'user', content: content!, sender: { id: id!, name: 'Alex' } })
    }
    await group.append({ role: 'assistant', content: 'Noted.' })
    await palimpsest.settled()
    await say('I am vegan', { by: 'bob', to: 'ann' })
    expect(await linesOf('ann')).toEqual(['I live in Oslo.'])
    expect(await linesOf('bob')).toEqual(['I live in Rome.'])
  })
})
