import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest, tokens } from '../packages/palimpsest/src/index.ts'
import type { Content } from '../packages/palimpsest/src/log/index.ts'
import { readOpenAI } from '../packages/replay/src/transcript/read-openai.ts'
import { scripted } from './folding-kit.ts'
import { openClient } from './server/client.ts'
import { PLACES, type StorePlace, sqlitePlace } from './stores.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = Buffer.from(`%PDF-1.4\n${'lemons '.repeat(2_000)}`).toString('base64')
const SOUND = Buffer.from('sound'.repeat(20_000)).toString('base64')

/** One of each kind, in the forms of several libraries. */
const CONTENT = [
  { type: 'text', text: 'Look and listen.' },
  { type: 'image_url', image_url: { url: 'https://a.dev/harbour.png' } },
  { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
  { type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } },
  { type: 'input_file', filename: 'invoice.pdf', file_data: `data:application/pdf;base64,${PDF}` },
  { type: 'audio', file: 'voice-7.ogg', mime_type: 'audio/ogg', duration: 12 },
  { type: 'video', url: 'https://a.dev/tide.mp4', name: 'tide.mp4', width: 640 },
  { type: 'sticker', id: 'fox-3', name: 'fox' },
] as unknown as Content

describe.for(Object.entries(PLACES))('%s', ([, place]) => {
  let at: StorePlace
  const opened: Palimpsest[] = []

  beforeEach(() => {
    at = place()
  })

  afterEach(async () => {
    for (const palimpsest of opened.splice(0)) await palimpsest.close()
    await at.remove()
  })

  async function open(options: Partial<Parameters<typeof createPalimpsest>[0]> = {}): Promise<Palimpsest> {
    const palimpsest = await createPalimpsest({
      store: await at.open(),
      folding: 'manual',
      memory: { extract: 'off' },
      ...options,
    })
    opened.push(palimpsest)
    return palimpsest
  }

  test('are stored as they came, and come back so from exports, copies and edits', async () => {
    const palimpsest = await open({ indexing: 'off' })
    const chat = palimpsest.session('chat')
    await chat.append([
      { role: 'user', content: CONTENT },
      { role: 'assistant', content: 'I see.' },
    ])
    expect((await chat.messages())[0]?.content).toEqual(CONTENT)
    const fork = await chat.fork('fork')
    expect((await fork.messages())[0]?.content).toEqual(CONTENT)
    await palimpsest.import({ ...(await chat.export()), id: 'imported' })
    expect((await palimpsest.session('imported').messages())[0]?.content).toEqual(CONTENT)
    await chat.edit(1, [{ type: 'video', path: '/tmp/new.mp4' }])
    expect((await chat.messages())[0]?.content).toEqual([{ type: 'video', path: '/tmp/new.mp4' }])
  })

  test('are rendered as each provider reads them, and otherwise named in a short note', async () => {
    const chat = (await open({ indexing: 'off' })).session('chat')
    await chat.append({ role: 'user', content: CONTENT })
    const context = await chat.context()
    const NOTES = ['(audio)', '(audio: voice-7.ogg, 12 s)', '(video: tide.mp4)', '(sticker: fox)']
    const dataUrl = `data:image/png;base64,${PNG}`
    const [openAI] = context.toOpenAI().messages.slice(-1)
    expect(openAI?.content).toEqual(
      expect.arrayContaining([
        { type: 'image_url', image_url: { url: 'https://a.dev/harbour.png' } },
        { type: 'image_url', image_url: { url: dataUrl } },
        { type: 'file', file: { filename: 'invoice.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
      ]),
    )
    const [anthropic] = context.toAnthropic().messages.slice(-1)
    expect(anthropic?.content).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: 'image', source: { type: 'url', url: 'https://a.dev/harbour.png' } }),
        expect.objectContaining({
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: PNG },
        }),
        expect.objectContaining({ type: 'document', title: 'invoice.pdf' }),
      ]),
    )
    const { messages } = context
    expect(messages.at(-1)?.content).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'file', data: 'https://a.dev/harbour.png', mediaType: 'image' }),
        expect.objectContaining({ type: 'file', data: PDF, mediaType: 'application/pdf' }),
      ]),
    )
    const text = context.toText()
    for (const note of NOTES)
      for (const form of [JSON.stringify(openAI), JSON.stringify(anthropic), JSON.stringify(messages), text])
        expect(form).toContain(note)
    for (const form of [JSON.stringify(openAI), JSON.stringify(anthropic), JSON.stringify(messages), text])
      expect(form).not.toContain(SOUND.slice(0, 80))
    // The next context begins with the same bytes.
    await chat.append([
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: 'And?' },
    ])
    const next = await chat.context()
    expect(JSON.stringify(next.messages.slice(0, messages.length - 1))).toBe(
      JSON.stringify(messages.slice(0, -1)),
    )
  })

  test('cost flat figures, however many bytes they have', async () => {
    const chat = (await open({ indexing: 'off' })).session('chat')
    await chat.append({ role: 'user', content: CONTENT })
    const { tokens: used } = (await chat.context()).report
    expect(used).toBeGreaterThan(2 * 1_000)
    expect(used).toBeLessThan(6_000)
    await chat.append({
      role: 'user',
      content: [{ type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } }] as never,
    })
    expect((await chat.context()).report.tokens - used).toBeLessThan(40)
  })

  test('reach a summariser by type, reference and meta, and search by their names', async () => {
    const { summarizer, summaries, updates } = scripted()
    const palimpsest = await open({ summarizer, policy: tokens({ budget: 4_000 }) })
    const chat = palimpsest.session('chat')
    await chat.append({ role: 'user', content: CONTENT })
    for (let turn = 0; turn < 8; turn++)
      await chat.append([
        { role: 'assistant', content: `Lemons for Porto, ${turn}. `.repeat(30) },
        { role: 'user', content: 'And then?' },
      ])
    await chat.compact({ force: true })
    expect(summaries.length + updates.length).toBeGreaterThan(0)
    const found = (await chat.search('voice-7')).results
    expect(found.map(({ seq }) => seq)).toContain(1)
    expect((await chat.search('harbour.png')).results.map(({ seq }) => seq)).toContain(1)
    expect(JSON.stringify(await chat.segments())).not.toContain(SOUND.slice(0, 80))
  })
})

test('are taken over HTTP, and what is none is named', async () => {
  const place = sqlitePlace()
  const client = await openClient(place)
  const path = '/v1/sessions/chat/messages'
  expect((await client.call('POST', path, { role: 'user', content: CONTENT })).status).toBe(201)
  expect((await client.call('GET', path)).json.messages[0].content).toEqual(CONTENT)
  const refused = await client.call('POST', path, { role: 'user', content: [{ type: 'tool_use', id: 'c' }] })
  expect(refused.status).toBe(422)
  expect(refused.json.error.message).toContain('one of file, url, path, id, name')
  const { json } = await client.call('POST', '/v1/sessions/chat/context', {})
  expect(JSON.stringify(json)).toContain('(video: tide.mp4)')
  await client[Symbol.asyncDispose]()
  await place.remove()
})

test('are taken from a transcript', () => {
  const conversations = readOpenAI([{ role: 'user', content: CONTENT }])
  const text = JSON.stringify(conversations)
  for (const part of ['voice-7.ogg', 'https://a.dev/tide.mp4', 'fox-3', 'invoice.pdf', 'harbour.png'])
    expect(text).toContain(part)
  expect(JSON.stringify(readOpenAI([{ role: 'user', content: [{ type: 'sticker' }] }]))).toContain(
    'one of file, url, path, id, name',
  )
})
