import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type Palimpsest,
  type Summarizer,
} from '../packages/palimpsest/src/index.ts'
import { changeRows, PLACES, type StorePlace } from './stores.ts'

/** Says what it was given first, and repeats what it said of the part before. */
const SUMMARIZER: Summarizer = {
  name: 'invented',
  version: '1',
  summarize: async ({ messages }) => ({
    text: `- zebra: ${messages.length} messages about the harbour, from ${messages[0]!.seq} on`,
    events: [{ on: '2026-03-06', text: 'the ship sails on Friday', seq: messages[0]!.seq }],
    details: ['berth 14'],
  }),
}

const FILLER = 'and the harbour office wants to hear of it before the ship sails with the next tide '

describe.each(Object.entries(PLACES))('segments of the first schema on %s', (_, newPlace) => {
  let place: StorePlace
  const opened: Palimpsest[] = []

  beforeEach(() => {
    place = newPlace()
  })

  afterEach(async () => {
    for (const palimpsest of opened.splice(0)) await palimpsest.close()
    await place.remove()
  })

  async function open(summarizer?: Summarizer): Promise<Palimpsest> {
    const palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: count({ threshold: 12, keepLast: 4 }),
      folding: 'manual',
      ...(summarizer && { summarizer }),
      onError: error => {
        throw error
      },
    })
    opened.push(palimpsest)
    return palimpsest
  }

  /** As the second migration left them: it gave them a column for the text, with nothing in it. */
  async function fillFirstSchema(): Promise<unknown> {
    const palimpsest = await open(SUMMARIZER)
    await changeRows(place, 'UPDATE layout SET is_compact = 0')
    const chat = palimpsest.session('chat')
    for (let round = 0; round < 20; round++) {
      await chat.append([
        { role: 'user', content: `Crate ${round} of lemons, ${FILLER.repeat(4)}` },
        { role: 'assistant', content: `Noted: crate ${round}, ${FILLER.repeat(4)}` },
      ])
      await chat.compact()
    }
    const before = await read(palimpsest)
    await changeRows(place, `UPDATE segments SET text = '""'`)
    return before
  }

  async function read(palimpsest: Palimpsest, id = 'chat') {
    const chat = palimpsest.session(id)
    const segments = await chat.segments('all')
    return {
      segments,
      context: (await chat.context()).toOpenAI(),
      expanded: (await chat.expand({ segment: segments[0]!.id })).segment,
      exported: JSON.parse(JSON.stringify((await chat.export()).segments)),
      found: (await chat.search('crate 3')).results.map(({ seq }) => seq),
    }
  }

  test('say all that they said, wherever they are read', async () => {
    const before = await fillFirstSchema()
    const palimpsest = await open(SUMMARIZER)
    expect(await read(palimpsest)).toEqual(before)
    expect(JSON.stringify(before)).toContain('## Messages 1–')
    // In a fork, and by way of a file.
    const chat = palimpsest.session('chat')
    await chat.fork('fork', await chat.count())
    await palimpsest.import(await chat.export(), { id: 'copy' })
    for (const id of ['fork', 'copy'])
      expect((await read(palimpsest, id)).context).toEqual((await read(palimpsest)).context)
  })

  test('lose what they said of an erased message, and so do those that a model wrote after them', async () => {
    await fillFirstSchema()
    const palimpsest = await open()
    const { id } = await palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [1] })
    const { places } = await palimpsest.erased(id)
    expect(places.find(({ place }) => place === 'segments')!.count).toBeGreaterThan(1)
    const segments = await palimpsest.session('chat').segments('all')
    expect(JSON.stringify(segments)).not.toContain('zebra')
    expect(JSON.stringify((await palimpsest.session('chat').context()).toOpenAI())).not.toContain('zebra')
  })
})
