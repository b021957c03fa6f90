import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Layer } from '../../packages/palimpsest/src/config/index.ts'
import { sqlitePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

const place = sqlitePlace()
const path = '/v1/sessions/chat/context'
let client: Client
beforeAll(async () => {
  client = await openClient(place)
  await client.call('POST', '/v1/sessions/chat/messages', { messages: talk(40) })
  await client.call('POST', '/v1/sessions/chat/compact', { policy: 'count' })
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await place.remove()
})

describe('POST context', () => {
  test('gives instructions, messages and a report', async () => {
    const { status, json } = await client.call('POST', path, {
      instructions: 'Be brief.',
      tools: [{ name: 'search', description: 'finds things' }],
      outputReserve: 100,
    })
    expect(status).toBe(200)
    expect(json.instructions).toContain('Be brief.')
    expect(JSON.stringify(json.messages)).toContain('message 40')
    expect(json.report).toMatchObject({
      budget: 16_000,
      tokens: expect.any(Number),
      prefixHash: expect.any(String),
      omitted: expect.any(Array),
    })
    const names = json.report.blocks.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['instructions', 'tools', 'output_reserve', 'session_memory', 'raw']),
    )
  })

  test('for an earlier message shows nothing that others said later', async () => {
    const { status, json } = await client.call('POST', path, { throughSeq: 37 })
    expect([status, json.report.throughSeq]).toEqual([200, 37])
    expect(JSON.stringify(json.messages)).toContain('message 37')
    expect(JSON.stringify(json.messages)).not.toContain('message 38')
    expect(await client.call('POST', path, { throughSeq: 41 })).toMatchObject({
      status: 404,
      json: { error: { code: 'message_not_found' } },
    })
    expect(await client.call('POST', path, { throughSeq: 0 })).toMatchObject({ status: 422 })
  })

  test('says of each message what it takes and which one of the log it is', async () => {
    const { messages, messageTokens, messageSeqs, report } = (await client.call('POST', path, {})).json
    expect([messageTokens.length, messageSeqs.length]).toEqual([messages.length, messages.length])
    expect(messageSeqs.slice(0, 2)).toEqual([0, expect.any(Number)])
    expect(messageSeqs.at(-1)).toBe(40)
    const sum = messageTokens.reduce((total: number, tokens: number) => total + tokens, 0)
    const blocks = report.blocks.filter(({ name }: { name: string }) =>
      ['session_memory', 'raw', 'current'].includes(name),
    )
    expect(sum).toBe(blocks.reduce((total: number, { tokens }: { tokens: number }) => total + tokens, 0))
    const openai = await client.call('POST', path, { format: 'openai' })
    expect(Object.keys(openai.json)).not.toContain('messageTokens')
  })

  test('without a body, as it is configured', async () => {
    expect(await client.call('POST', path)).toMatchObject({
      status: 200,
      json: { report: { budget: 16_000 } },
    })
  })

  test('as OpenAI, Anthropic and text', async () => {
    const instructions = 'Be brief.'
    const openai = await client.call('POST', path, { instructions, format: 'openai' })
    expect(openai.json.messages[0]).toEqual({ role: 'system', content: expect.stringContaining('Be brief.') })
    const anthropic = await client.call('POST', path, { instructions, format: 'anthropic' })
    expect(anthropic.json).toMatchObject({ system: expect.anything(), messages: expect.any(Array) })
    const text = await client.call('POST', path, { instructions, format: 'text', limit: 500 })
    expect(text.json.text.length).toBeLessThanOrEqual(500)
    expect(text.json.text).toContain('message 40')
  })

  test('another budget or policy is a view, and leaves everything as it was', async () => {
    const before = (await client.call('GET', '/v1/sessions/chat')).json
    const usual = await client.call('POST', path, {})
    const small = await client.call('POST', path, { budget: 400 })
    expect(small.json.report).toMatchObject({ budget: 400 })
    expect(small.json.report.tokens).toBeLessThanOrEqual(400)
    const rounds = await client.call('POST', path, {
      policy: 'rounds',
      fullContextTurns: 1,
      cachedContextTurns: 1,
    })
    expect(rounds.json.messages.length).toBeLessThan(usual.json.messages.length)
    expect((await client.call('POST', path, {})).json).toEqual(usual.json)
    expect((await client.call('GET', '/v1/sessions/chat')).json).toEqual(before)
  })

  test('a reserve for one request is not what folds are made for; a configured one is', async () => {
    const figures = sqlitePlace()
    const overhead = async (environment: Layer, body: unknown) => {
      const store = await figures.open()
      const noted: number[] = []
      const { recordMeasures } = store.sessions
      store.sessions.recordMeasures = (key, measures) => {
        noted.push(measures.overheadTokens ?? 0)
        return recordMeasures(key, measures)
      }
      await using own = await openClient({ ...figures, open: async () => store }, { environment })
      const session = `/v1/sessions/${crypto.randomUUID()}`
      await own.call('POST', `${session}/messages`, { role: 'user', text: 'x' })
      expect((await own.call('POST', `${session}/context`, body)).status).toBe(200)
      return noted
    }
    expect(await overhead({}, { outputReserve: 4_000 })).toEqual([])
    expect(await overhead({ outputReserve: 500 }, {})).toEqual([500])
    expect(await overhead({ outputReserve: 500 }, { outputReserve: 4_000 })).toEqual([500])
    const instructions = 'Be brief.'
    expect(await overhead({}, { instructions, outputReserve: 4_000 })).toEqual(
      await overhead({}, { instructions }),
    )
    expect(await overhead({ outputReserve: 500 }, { notes: true })).toEqual([500])
    expect(await overhead({ outputReserve: 500 }, { instructions, notes: false })).toEqual([])
    await figures.remove()
  })

  test('a budget may be text', async () => {
    expect((await client.call('POST', path, { budget: '8000' })).json.report).toMatchObject({ budget: 8_000 })
    for (const budget of ['0', '-1', 'many', '', 1.5])
      expect(await client.call('POST', path, { budget })).toMatchObject({
        status: 422,
        json: { error: { details: { field: 'budget', allowed: 'a whole number of at least 1' } } },
      })
  })

  test('says what is wrong', async () => {
    expect(await client.call('POST', '/v1/sessions/nobody/context', {})).toMatchObject({
      status: 404,
      json: { error: { code: 'session_not_found' } },
    })
    expect(await client.call('POST', path, { budget: 20, instructions: 'word '.repeat(100) })).toMatchObject({
      status: 422,
      json: { error: { code: 'context_overflow', details: { budget: 20 } } },
    })
    expect(await client.call('POST', path, { cachedContextTurns: 0 })).toMatchObject({
      status: 422,
      json: { error: { code: 'invalid_settings' } },
    })
  })
})
