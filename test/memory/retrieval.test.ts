import { afterAll, describe, expect, test } from 'vitest'
import {
  type Context,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  rounds,
} from '../../packages/palimpsest/src/index.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { blockIn } from './blocks.ts'

/**
 * User and scope memory are retrieved for the call, not only listed: what they have no room to show is there when it is
 * asked about.
 */

const ANN = { kind: 'private', user: 'ann', scope: 'harbour' } as const
const BOB = { kind: 'private', user: 'bob', scope: 'harbour' } as const

const BUDGETS = { user: 160, scope: 160 }
const SMALL_TALK = 'Thank you, and how are things?'

function open(place: StorePlace, options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  return place.open().then(store =>
    createPalimpsest({
      store,
      policy: rounds(),
      namespace: crypto.randomUUID(),
      memory: { extract: 'off', budgets: BUDGETS },
      ...options,
    }),
  )
}

/** Notes by hand, of which the middle has no room. */
const notes = (fact: string) =>
  [...Array(20).keys()]
    .map(place => (place === 10 ? `- ${fact}` : `- Crate ${place} stands in row ${place} of the shed`))
    .join('\n')

function recalledIn({ messages }: Pick<Context, 'messages'>): string {
  const texts = messages.flatMap(({ content }) => (typeof content === 'string' ? [content] : []))
  return blockIn(texts.find(text => text.startsWith('<recalled_memory>')) ?? '', 'recalled_memory') ?? ''
}

describe.each(Object.entries(PLACES))('memory that is larger than its budget, on %s', (_, newPlace) => {
  const place = newPlace()
  afterAll(() => place.remove())

  test('is there when it is asked about: by the current message, or by a query', async () => {
    await using palimpsest = await open(place)
    await palimpsest.memory.user('ann').append(notes('The boat is called Aurora and lies at pier seventeen'))
    await palimpsest.memory.scope('harbour').append(notes('The crane is repaired by Nowak and Sons'))
    const chat = palimpsest.session('a', ANN)
    await chat.append({ role: 'user', content: SMALL_TALK })
    const plain = await chat.context()
    expect(plain.instructions).not.toMatch(/Aurora|Nowak/)
    expect(plain.report.omitted).toContainEqual(expect.objectContaining({ what: 'memory' }))
    expect(recalledIn(plain)).toBe('')
    expect(recalledIn(await chat.context({ query: 'Where is the boat?' }))).toContain(
      'user_memory: The boat is called Aurora and lies at pier seventeen',
    )
    await chat.append({ role: 'assistant', content: 'Fine.' })
    await chat.append({ role: 'user', content: 'Who repairs the crane?' })
    const asked = await chat.context()
    expect(recalledIn(asked)).toContain('scope_memory: The crane is repaired by Nowak and Sons')
    expect(recalledIn(asked)).not.toContain('Aurora')
    // Before the question, and behind all that stays.
    expect(asked.messages.at(-1)!.content).toContain('Who repairs the crane?')
    const stable = asked.messages.slice(0, asked.report.stableMessages)
    expect(stable.map(({ content }) => content)).toEqual([SMALL_TALK, 'Fine.'])
    expect(asked.instructions).toBe(plain.instructions)
    expect(asked.report.blocks.map(({ name }) => name)).toContain('recalled_memory')
    expect(asked.report.tokens).toBeLessThanOrEqual(asked.report.budget)
  })

  test('says nothing twice, and nothing of what is shown whole', async () => {
    await using palimpsest = await open(place)
    await palimpsest.memory.user('ann').append('- The boat is called Aurora')
    const chat = palimpsest.session('a', ANN)
    await chat.append({ role: 'user', content: 'What is my boat called?' })
    const context = await chat.context()
    expect(context.instructions).toContain('Aurora')
    expect(recalledIn(context)).toBe('')
    // Written since the epoch began, it is told as a change.
    await palimpsest.memory.user('ann').append('- The boat lies at pier seventeen')
    const later = await chat.context()
    expect(JSON.stringify(later.messages)).toContain('pier seventeen')
    expect(recalledIn(later)).toBe('')
  })

  test('is seen by those who see the document, and by no other', async () => {
    await using palimpsest = await open(place)
    await palimpsest.memory.user('ann').append(notes('The boat is called Aurora and lies at pier seventeen'))
    await palimpsest.memory.scope('diary').append(notes('The boat is sold to Nowak in secret'))
    await palimpsest.memory.scope('diary').declarePersonal('ann')
    const ask = async (id: string, traits: object) => {
      const chat = palimpsest.session(id, traits)
      await chat.append({ role: 'user', content: 'What about the boat, who buys it, at which pier?' })
      return recalledIn(await chat.context())
    }
    expect(await ask('own', { kind: 'private', user: 'ann', scope: 'diary' })).toMatch(/Aurora[\s\S]*Nowak/)
    expect(await ask('bob', { kind: 'private', user: 'bob', scope: 'diary' })).toBe('')
    expect(await ask('group', { kind: 'group', user: 'ann', scope: 'diary' })).toBe('')
    expect(await ask('elsewhere', BOB)).toBe('')
  })

  test('finds what lines were condensed from, until a person takes them out, or they are taken back', async () => {
    await using palimpsest = await open(place, { memory: { extract: 'turn', budgets: BUDGETS } })
    const chat = palimpsest.session('a', { kind: 'private', user: 'ann' })
    const say = async (content: string) => {
      await chat.append([
        { role: 'user', content, sender: { id: 'ann' } },
        { role: 'assistant', content: 'I see.' },
      ])
      await expect
        .poll(async () => {
          await palimpsest.settled()
          const { extractedThrough, messages } = await chat.export()
          return extractedThrough === messages.at(-1)!.seq
        })
        .toBe(true)
    }
    await chat.append({ role: 'user', content: 'Hello.', sender: { id: 'ann' } })
    await say('I am allergic to peanuts.')
    for (const food of [
      'lemons',
      'oranges',
      'walnuts',
      'olives',
      'cheese',
      'bread',
      'honey',
      'salmon',
      'garlic',
    ])
      await say(`I like ${food} with my dinner very much in the evening.`)
    const document = palimpsest.memory.user('ann')
    const { content } = (await document.read())!
    expect(content).toMatch(/\[\d+ lines\]/)
    const missing = ['lemons', 'oranges', 'walnuts'].find(
      food => !new RegExp(`^- .{12}[^[]*${food}`, 'm').test(content),
    )!
    const about = async () => recalledIn(await chat.context({ query: `Do I like ${missing}?` }))
    expect(await about()).toMatch(new RegExp(`user_memory: \\d{4}-\\d\\d-\\d\\d: .*${missing}`))
    // Deleting the line that stands for it is how a person forgets it.
    const without = content.replace(/^.*\[\d+ lines\].*\n?/gm, '')
    await document.replace(without)
    expect(await about()).toBe('')
    await document.undo()
    expect(await about()).toContain(missing)
    await chat.rollback(1)
    expect(await about()).toBe('')
  })
})
