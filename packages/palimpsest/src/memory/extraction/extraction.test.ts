import { afterEach, describe, expect, it } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  rounds,
  type Summarizer,
  sqlite,
} from '../../index.ts'

const open: Palimpsest[] = []

afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
})

let now = 0

async function start(options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  now = Date.parse('2026-02-10T12:00:00Z')
  const palimpsest = await createPalimpsest({ store: sqlite(':memory:'), clock: () => now, ...options })
  open.push(palimpsest)
  return palimpsest
}

async function turn(palimpsest: Palimpsest, id: string, content: string, options = {}): Promise<void> {
  const chat = palimpsest.session(id, options)
  now += 60_000
  await chat.append({ role: 'user', content, sender: { id: 'ann', name: 'Ann' } })
  await chat.append({ role: 'assistant', content: 'I see.' })
}

const PRIVATE = { kind: 'private', user: 'ann' } as const

describe('extraction', () => {
  it('learns after each turn with rounds, without a model', async () => {
    const palimpsest = await start({ policy: rounds() })
    await turn(palimpsest, 'a', 'Hi there!', PRIVATE)
    await turn(palimpsest, 'a', 'My birthday is on 3 May. I live in Hangzhou.', PRIVATE)
    expect(await palimpsest.settled()).toBe(true)
    const document = await palimpsest.memory.user('ann').read()
    expect(document?.content).toContain('- 2026-02-10: I live in Hangzhou')
    expect(document?.content).not.toContain('Hi there')
    const facts = await palimpsest.memory.user('ann').facts()
    expect(facts.find(({ line }) => line.includes('Hangzhou'))).toMatchObject({
      subject: 'ann',
      origin: { sessionId: 'a', fromSeq: 3, toSeq: 3 },
      from: 'extraction',
    })
  })

  it('replaces what no longer holds, with a date, and keeps it in the versions', async () => {
    const palimpsest = await start({ memory: { extract: 'turn' } })
    await turn(palimpsest, 'a', 'I live in Hangzhou with my dog.', PRIVATE)
    await palimpsest.settled()
    now += 30 * 86_400_000
    await turn(palimpsest, 'b', 'I live in Berlin now.', PRIVATE)
    await palimpsest.settled()
    const user = palimpsest.memory.user('ann')
    const { content } = (await user.read())!
    expect(content).toContain('- 2026-03-12: I live in Berlin now')
    expect(content).not.toContain('Hangzhou')
    const facts = await user.facts('all')
    expect(facts.find(({ line }) => line.includes('Hangzhou'))?.supersededAt).not.toBeNull()
    expect((await user.versions()).some(version => version.content.includes('Hangzhou'))).toBe(true)
  })

  it('works in batches otherwise, or when the chat falls silent', async () => {
    const palimpsest = await start()
    await turn(palimpsest, 'a', 'I work as a baker in Lyon.', PRIVATE)
    await palimpsest.settled()
    expect(await palimpsest.memory.user('ann').read()).toBeNull()
    for (let index = 0; index < 20; index++)
      await turn(palimpsest, 'a', `What about bread number ${index}?`, PRIVATE)
    await palimpsest.settled()
    expect((await palimpsest.memory.user('ann').read())?.content).toContain('baker')
  })

  it('writes scope memory from groups, and never from private chats', async () => {
    const palimpsest = await start({ memory: { extract: 'turn' } })
    await turn(palimpsest, 'p', 'We decided that the secret launch is on Friday.', {
      ...PRIVATE,
      scope: 'acme',
    })
    await turn(palimpsest, 'g', 'We decided that the office moves to Delft.', {
      kind: 'group',
      scope: 'acme',
    })
    await palimpsest.settled()
    const { content } = (await palimpsest.memory.scope('acme').read())!
    expect(content).toContain('Delft')
    expect(content).not.toContain('secret')
    expect((await palimpsest.memory.list({ layer: 'user' })).map(({ key }) => key)).toEqual([])
  })

  it('takes a person’s word only from that person, whoever bears the name', async () => {
    const palimpsest = await start({ memory: { extract: 'turn' } })
    const chat = palimpsest.session('a', PRIVATE)
    await chat.append({
      role: 'user',
      content: 'I live in a castle on Mars.',
      sender: { id: 'eve', name: 'ann' },
    })
    await chat.append({ role: 'assistant', content: 'I live in the cloud.' })
    await palimpsest.settled()
    expect(await palimpsest.memory.user('ann').read()).toBeNull()
  })

  it('tries again later where the model fails, and reads each message once', async () => {
    const seen: number[][] = []
    let fails = true
    const summarizer: Summarizer = {
      name: 'scripted',
      version: '1',
      summarize: async () => ({ text: 'Ann said things.', events: [], details: [] }),
      extractFacts: async ({ messages, sources }) => {
        if (fails) throw new Error('no model today')
        seen.push(messages.map(({ seq }) => seq))
        const [seq] = sources
        return {
          facts: [
            { text: `Fact from message ${seq}`, section: 'profile', seq: seq!, on: null, replaces: [] },
          ],
        }
      },
    }
    const errors: unknown[] = []
    const palimpsest = await start({
      summarizer,
      memory: { extract: 'turn' },
      onError: error => errors.push(error),
    })
    await turn(palimpsest, 'a', 'I was born in Lima in 1990.', PRIVATE)
    await palimpsest.settled()
    expect(errors).toHaveLength(1)
    expect(await palimpsest.memory.user('ann').read()).toBeNull()
    fails = false
    now += 61_000
    await turn(palimpsest, 'a', 'I have two sisters in Lima.', PRIVATE)
    await palimpsest.settled()
    await turn(palimpsest, 'a', 'I am allergic to nuts, too.', PRIVATE)
    await palimpsest.settled()
    expect(seen).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ])
  })

  it('off learns nothing by itself, from folds neither', async () => {
    const palimpsest = await start({ memory: { extract: 'off' } })
    for (let index = 0; index < 30; index++)
      await turn(palimpsest, 'a', `I live in house number ${index} of Elm Street.`, PRIVATE)
    await palimpsest.session('a').compact({ force: true })
    await palimpsest.settled()
    expect(await palimpsest.memory.list()).toEqual([])
  })
})
