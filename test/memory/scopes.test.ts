import { afterAll, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  rounds,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import type { Summarizer } from '../../packages/palimpsest/src/summarizer/index.ts'
import { extractive } from '../../packages/palimpsest/src/summarizer/index.ts'
import { PLACES, type StorePlace } from '../stores.ts'

const ANN = { kind: 'private', user: 'ann', scope: 'porto' } as const
const BOB = { kind: 'private', user: 'bob', scope: 'porto' } as const
const TEAM = { kind: 'group', scope: 'porto' } as const

const FACT = 'We decided to ship the crates of lemons to Porto on Friday. I live in Hangzhou with my dog.'

async function open(place: StorePlace, options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  const store = await place.open()
  return createPalimpsest({ store, policy: rounds(), namespace: crypto.randomUUID(), ...options })
}

async function say(
  palimpsest: Palimpsest,
  id: string,
  traits: typeof ANN | typeof BOB | typeof TEAM,
  text = FACT,
) {
  const chat = palimpsest.session(id, traits)
  const sender = 'user' in traits ? { id: traits.user } : { id: 'ann' }
  await chat.append([
    { role: 'user', content: text, sender },
    { role: 'assistant', content: 'I see.' },
  ])
  await readThrough(palimpsest, chat)
  return chat
}

/** In the background, all that was said in the session. */
async function readThrough(palimpsest: Palimpsest, chat: Session): Promise<void> {
  const isRead = async () => {
    await palimpsest.settled()
    const { extractedThrough, messages } = await chat.export()
    return extractedThrough === messages.at(-1)!.seq
  }
  await expect.poll(isRead, { timeout: 20_000 }).toBe(true)
}

const contentOf = async (document: { read(): Promise<{ content: string } | null> }) =>
  (await document.read())?.content ?? ''

const shownIn = async (palimpsest: Palimpsest, id: string) => {
  return (await palimpsest.session(id).context()).instructions
}

describe.each(Object.entries(PLACES))('on %s', (_, newPlace) => {
  const place = newPlace()
  afterAll(() => place.remove())

  test('with all, each turn of a private chat feeds the memory of its person and of its scope', async () => {
    const reports: string[] = []
    await using palimpsest = await open(place, {
      memory: { scopeLearnsFrom: 'all' },
      onExtraction: ({ layer }) => reports.push(layer),
    })
    await say(palimpsest, 'a', ANN)
    expect(await contentOf(palimpsest.memory.user('ann'))).toContain('Hangzhou')
    expect(await contentOf(palimpsest.memory.scope('porto'))).toContain('lemons')
    expect(reports.toSorted()).toEqual(['scope', 'user'])
    await say(
      palimpsest,
      'a',
      ANN,
      'My birthday is on 3 May. We decided to ship oranges to Lisbon on Monday.',
    )
    expect(await contentOf(palimpsest.memory.user('ann'))).toContain('3 May')
    expect(await contentOf(palimpsest.memory.scope('porto'))).toContain('Lisbon')
    // What it means: the scope's other people see it, and of the person's own memory nothing.
    await say(palimpsest, 'b', BOB, 'Hello there, what is new?')
    expect(await shownIn(palimpsest, 'b')).toContain('Lisbon')
    expect(await shownIn(palimpsest, 'b')).not.toContain('3 May')
  })

  test('with shared, a private chat feeds its person alone, and a group its scope', async () => {
    await using palimpsest = await open(place)
    await say(palimpsest, 'a', ANN)
    expect(await contentOf(palimpsest.memory.user('ann'))).toContain('Hangzhou')
    expect(await palimpsest.memory.scope('porto').read()).toBeNull()
    await say(palimpsest, 'team', TEAM)
    expect(await contentOf(palimpsest.memory.scope('porto'))).toContain('lemons')
  })

  test('a personal scope is fed by its owner in private and shown to nobody else', async () => {
    await using palimpsest = await open(place)
    await palimpsest.memory.scope('porto').declarePersonal('ann')
    await say(palimpsest, 'a', ANN)
    const scope = palimpsest.memory.scope('porto')
    expect(await scope.read()).toMatchObject({ owner: 'ann', content: expect.stringContaining('lemons') })
    expect(await contentOf(palimpsest.memory.user('ann'))).toContain('Hangzhou')
    await say(palimpsest, 'b', BOB, 'We decided to sell the olive trees to Faro.')
    await say(palimpsest, 'team', TEAM, 'We decided to paint the boat in Setúbal.')
    expect(await contentOf(scope)).not.toMatch(/Faro|Setúbal/)
    await say(palimpsest, 'a2', ANN, 'Hello again, what is new?')
    expect(await shownIn(palimpsest, 'a2')).toContain('lemons')
    for (const id of ['b', 'team']) expect(await shownIn(palimpsest, id)).not.toContain('lemons')
    await expect(scope.declarePersonal('bob')).rejects.toMatchObject({ code: 'scope_owned' })
    await expect(palimpsest.memory.user('ann').declarePersonal('ann')).rejects.toThrow('scope')
  })

  test('one that is declared later is gone at once from the sessions of others, also within an epoch', async () => {
    await using palimpsest = await open(place)
    await say(palimpsest, 'team', TEAM)
    await say(palimpsest, 'b', BOB, 'Hello there, what is new?')
    for (const id of ['team', 'b']) expect(await shownIn(palimpsest, id)).toContain('lemons')
    await palimpsest.memory.scope('porto').declarePersonal('ann')
    for (const id of ['team', 'b']) expect(await shownIn(palimpsest, id)).not.toContain('crates of lemons')
    await say(palimpsest, 'a', ANN, 'Hello there, what is new?')
    expect(await shownIn(palimpsest, 'a')).toContain('lemons')
  })

  test('what was being read for it when it was declared is not written into it', async () => {
    const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const plain = extractive()
    const slow: Summarizer = {
      ...plain,
      extractFacts: async request => {
        noteAsked()
        await released
        return plain.extractFacts!(request)
      },
    }
    await using palimpsest = await open(place, { summarizer: slow })
    await palimpsest.session('team', TEAM).append([
      { role: 'user', content: FACT, sender: { id: 'bob' } },
      { role: 'assistant', content: 'I see.' },
    ])
    await asked
    await palimpsest.memory.scope('porto').declarePersonal('ann')
    release()
    await palimpsest.settled()
    expect(await contentOf(palimpsest.memory.scope('porto'))).not.toContain('lemons')
  })

  test('it goes with its owner when that person is erased', async () => {
    await using palimpsest = await open(place)
    await palimpsest.memory.scope('porto').declarePersonal('ann')
    await say(palimpsest, 'a', ANN)
    await palimpsest.memory.scope('team').append('- a note of the team')
    const receipt = await palimpsest.forget({ kind: 'person', id: 'ann' })
    await palimpsest.erased(receipt.id)
    expect(await palimpsest.memory.scope('porto').read()).toBeNull()
    expect(await contentOf(palimpsest.memory.scope('team'))).toContain('a note of the team')
    // Nothing of the name is left to keep others from it.
    expect(await palimpsest.memory.scope('porto').declarePersonal('bob')).toMatchObject({ owner: 'bob' })
  })
})
