import { afterEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Session,
} from '../packages/palimpsest/src/index.ts'
import { changeRows, PLACES, type StorePlace } from './stores.ts'

const places: StorePlace[] = []
const open: Palimpsest[] = []

async function instance(place: StorePlace, zone: string): Promise<Palimpsest> {
  const options: Partial<PalimpsestOptions> = {
    zone,
    folding: 'manual',
    policy: count({ threshold: 6, keepLast: 2 }),
  }
  const palimpsest = await createPalimpsest({ store: await place.open(), ...options })
  open.push(palimpsest)
  return palimpsest
}

afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
  for (const place of places.splice(0)) await place.remove()
})

const [BEFORE, AFTER] = ['America/Los_Angeles', 'Asia/Shanghai']
// The evening of the 9th in Los Angeles, the 10th in Shanghai.
const EVENING = '2026-03-10T03:30:00Z'

/** Speaks of tomorrow, and of enough else that it is folded. */
async function tell(chat: Session): Promise<void> {
  await chat.append({ role: 'user', text: 'I fly to Lisbon tomorrow with my sister Marta.', at: EVENING })
  for (let turn = 1; turn <= 8; turn++)
    await chat.append({
      role: turn % 2 ? 'assistant' : 'user',
      text: `Line ${turn} about lemons.`,
      at: EVENING,
    })
}

/** All that a fold made of it: the segment, and memory of the chat and of the day. */
async function told(palimpsest: Palimpsest, id: string): Promise<string> {
  const chat = palimpsest.session(id)
  const { segments } = await chat.export()
  const { documents } = await chat.export()
  return JSON.stringify([
    segments.map(({ text, events }) => ({ text, events })),
    documents.map(({ versions, facts }) => ({ last: versions.at(-1)?.content, facts })),
  ])
}

describe.each(Object.entries(PLACES))('a change of the zone setting on %s', (_, create) => {
  function placed(): StorePlace {
    const place = create()
    places.push(place)
    return place
  }

  test('does not change what "tomorrow" meant before it, in what is folded or made anew later', async () => {
    const place = placed()
    const before = await instance(place, BEFORE)
    for (const id of ['folded', 'waiting']) await tell(before.session(id))
    await before.session('folded').compact()
    await before.session('waiting').fork('forked')
    const after = await instance(place, AFTER)
    await after.import({ ...(await after.session('waiting').export()), id: 'imported' })
    for (const id of ['waiting', 'forked', 'imported']) await after.session(id).compact()
    const expected = await told(after, 'folded')
    expect(expected).toContain('2026-03-10')
    expect(expected).toContain('- 2026-03-09: ')
    expect(expected).not.toContain('2026-03-11')
    for (const id of ['waiting', 'forked']) expect(await told(after, id)).toBe(expected)
    expect((await told(after, 'imported')).includes('2026-03-11')).toBe(false)
    // An erasure has the segment made anew.
    await after.forget({ kind: 'messages', sessionId: 'waiting', seqs: [2] })
    await after.settled()
    expect(await told(after, 'waiting')).not.toContain('2026-03-11')
    expect(await told(after, 'waiting')).toContain('- 2026-03-09: ')
  })

  test('holds for what is said from then on, which keeps the zone it was said in', async () => {
    const place = placed()
    const before = await instance(place, BEFORE)
    await before.session('chat').append({ role: 'user', text: 'Good evening.', at: EVENING })
    const after = await instance(place, AFTER)
    await tell(after.session('chat'))
    await after
      .session('chat')
      .append({ role: 'user', text: 'From Berlin.', at: EVENING, zone: 'Europe/Berlin' })
    const messages = await after.session('chat').messages()
    expect(messages.map(({ zone }) => zone)).toEqual([null, ...Array(9).fill(AFTER), 'Europe/Berlin'])
    const again = await instance(place, BEFORE)
    await again.session('chat').compact()
    const said = await told(again, 'chat')
    expect(said).toContain('2026-03-11')
    expect(said).toContain('- 2026-03-10: ')
  })

  test('a session of an earlier version is taken in the zone in which it is next written', async () => {
    const place = placed()
    const before = await instance(place, BEFORE)
    await tell(before.session('chat'))
    await changeRows(place, 'UPDATE sessions SET zone = NULL')
    await before.session('chat').append({ role: 'user', text: 'Still here.', at: EVENING })
    const after = await instance(place, AFTER)
    await after.session('chat').compact()
    expect(await told(after, 'chat')).toContain('- 2026-03-09: ')
  })
})
