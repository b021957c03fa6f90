import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createClassic } from '../packages/palimpsest/src/classic/index.ts'
import { createPalimpsest, type Palimpsest, window } from '../packages/palimpsest/src/index.ts'
import { openTranscripts, toSessionFile } from '../packages/replay/src/index.ts'
import { anthropicViolations, openAIViolations } from './provider-rules.ts'
import { PLACES, type StorePlace } from './stores.ts'

const folder = mkdtempSync(join(tmpdir(), 'older-sessions-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function fileOf(value: unknown) {
  const path = join(folder, 'session.json')
  writeFileSync(path, JSON.stringify(value))
  const [transcript] = await openTranscripts(path)
  return (await toSessionFile(transcript!)).file
}

const chat = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `message ${index + 1} about the harbour of Porto`,
    timestamp: new Date(Date.UTC(2026, 0, 15, 8, index)).toISOString(),
  }))

describe.each(Object.entries(PLACES))('a session of an older system, imported into %s', (_, makePlace) => {
  let place: StorePlace
  let palimpsest: Palimpsest

  beforeEach(async () => {
    place = makePlace()
    palimpsest = await createPalimpsest({
      store: await place.open(),
      folding: 'manual',
      policy: window({ contextSize: 10, tailKeepSize: 2, compressionWindowSize: 2 }),
    })
  })
  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  test('74: goes on from its cursor: the old summary, then what was raw, with all times', async () => {
    const file = await fileOf({
      messages: chat(10),
      last_consolidated: 6,
      last_consolidated_at: '2026-01-15T09:00:00Z',
      summary: 'They met at the harbour.',
    })
    const { session } = await palimpsest.import(file, { id: 'telegram:42' })
    expect(await session.info()).toMatchObject({ compactedThrough: 6 })
    const text = (await session.context()).toText()
    expect(text).toContain('They met at the harbour.')
    expect(text).not.toContain('message 6 about')
    expect(text).toContain('message 7 about')
    const messages = await session.messages()
    expect(messages.map(({ at }) => at.toISOString())).toEqual(chat(10).map(({ timestamp }) => timestamp))
    expect(messages.map(({ archived }) => archived).indexOf(false)).toBe(6)
    const { results } = await session.search('"message 3"')
    expect(results[0]).toMatchObject({ seq: 3 })
    const outcome = await session.compact({ force: true })
    expect(outcome).toMatchObject({ outcome: 'applied', fromSeq: 7 })
  })

  test('what an extract told is told no more once its message is erased', async () => {
    const messages = [{ role: 'user', content: 'my code is 4711-CANARY' }, ...chat(7)]
    const { session } = await palimpsest.import(await fileOf({ messages, last_consolidated: 6 }), { id: 's' })
    expect((await session.context()).toText()).toContain('4711-CANARY')
    const receipt = await palimpsest.forget({ kind: 'messages', sessionId: 's', seqs: [1] })
    await palimpsest.erased(receipt.id)
    expect(JSON.stringify(await session.export())).not.toContain('4711-CANARY')
    expect((await session.context()).toText()).toContain('message 7 about')
  })

  test('a cursor between a tool call and its result gives what providers take', async () => {
    const messages = [
      { role: 'user', content: 'When?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'noon' },
      { role: 'assistant', content: 'Noon.' },
      { role: 'user', content: 'Thanks' },
    ]
    for (let cursor = 0; cursor <= 5; cursor += 1) {
      const file = await fileOf({ messages, last_consolidated: cursor })
      const { session } = await palimpsest.import(file, { id: `s${cursor}` })
      expect(await session.info()).toMatchObject({ compactedThrough: cursor })
      if (cursor === 5) await session.append({ role: 'user', content: 'And now?' })
      const context = await session.context()
      expect(openAIViolations(context.toOpenAI())).toEqual([])
      expect(anthropicViolations(context.toAnthropic())).toEqual([])
    }
  })

  test('the current history of a classic session is what it was', async () => {
    const full = chat(6)
    const gist = { role: 'system', content: 'They talk about the harbour.' }
    const file = await fileOf({
      full_chat_history: full,
      current_chat_history: [gist, ...full.slice(4)],
      memo: { city: 'Porto' },
    })
    await palimpsest.import(file, { id: 'classic' })
    await using classic = await createClassic({ store: await place.open() })
    const session = await classic.session('classic')
    expect(session.currentHistory.map(({ content }) => content)).toEqual(
      [gist, ...full.slice(4)].map(({ content }) => content),
    )
    expect(session.memo).toMatchObject({ city: 'Porto' })
    expect(session.fullHistory().length).toBe(6)
  })

  test('messages of an exported file without times are not of 1970', async () => {
    const { session } = await palimpsest.import({
      id: 'bare',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', at: '2026-01-15T08:00:00Z' },
        { role: 'user', content: 'c' },
      ],
    })
    const times = (await session.messages()).map(({ at }) => at.toISOString())
    expect(new Set(times)).toEqual(new Set(['2026-01-15T08:00:00.000Z']))
    const empty = await palimpsest.import({ id: 'empty', messages: [] })
    expect((await empty.session.info())!.createdAt.getUTCFullYear()).toBeGreaterThan(2000)
  })
})
