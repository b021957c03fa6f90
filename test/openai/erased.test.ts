import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { type Kit, start, user } from './kit.ts'

const WORDS = 'zebra-5c1d77'
const QUESTION = { model: 'any', messages: [user(`What is ${WORDS}?`)] }
const HEADERS = { 'x-palimpsest-user': 'ann' }
const GONE = { code: 'erased_meanwhile', details: { sessionId: 's', erased: 'session' } }

/** A provider that says a little, and the rest when it is told to. */
class HeldProvider implements AsyncDisposable {
  readonly #asked = Promise.withResolvers<ServerResponse>()
  readonly #server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      this.#say(outgoing, { content: `You said ${WORDS}` })
      this.#asked.resolve(outgoing)
    })
  })

  #say(outgoing: ServerResponse, delta: object, finish_reason: string | null = null): void {
    const choices = [{ index: 0, delta, finish_reason }]
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'x', choices }
    outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }

  get asked(): Promise<unknown> {
    return this.#asked.promise
  }

  async finish(usage?: object): Promise<void> {
    const outgoing = await this.#asked.promise
    this.#say(outgoing, { content: `, and ${WORDS} again.` })
    this.#say(outgoing, {}, 'stop')
    if (usage) outgoing.write(`data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\n`)
    outgoing.end('data: [DONE]\n\n')
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

const providers: HeldProvider[] = []
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider[Symbol.asyncDispose]()
})

async function held(settings = {}): Promise<{ kit: Kit; provider: HeldProvider }> {
  const provider = new HeldProvider()
  providers.push(provider)
  return { provider, kit: await start('', { modelBaseUrl: await provider.listen(), ...settings }) }
}

async function erase(kit: Kit, path: string): Promise<void> {
  const response = await fetch(`${kit.url()}${path}`, { method: 'DELETE' })
  expect(response.ok).toBe(true)
  await response.text()
}

/** All that is there: sessions of anybody, and what any of them says. */
async function everything(kit: Kit): Promise<string> {
  const found = await kit.get(`/v1/search?q=${WORDS}`)
  return JSON.stringify([await kit.get('/v1/sessions'), found, await kit.get('/v1/memory/user/ann')])
}

describe.for(['/v1/users/ann', '/v1/sessions/s'])('an answer under way while %s is erased', path => {
  test('streaming: it ends with an error of the wire, and nothing is stored', async () => {
    const { kit, provider } = await held()
    const client = kit.client('s', HEADERS)
    const stream = await client.chat.completions.create({ ...QUESTION, stream: true })
    const heard: string[] = []
    const reading = (async () => {
      for await (const { choices } of stream) heard.push(choices[0]?.delta.content ?? '')
    })()
    const refused = expect(reading).rejects.toMatchObject({
      error: { ...GONE, type: 'invalid_request_error', message: expect.any(String) },
    })
    await provider.asked
    await erase(kit, path)
    await provider.finish()
    await refused
    expect(heard.join('')).toContain('You said')
    expect(await kit.get('/v1/sessions/s')).toMatchObject({ status: 404 })
    expect(await everything(kit)).not.toMatch(/"s"|You said/)
    expect(kit.warnings).toEqual([])
  })

  test('at once: 409, and nothing is stored, also not in a session that bears its name by then', async () => {
    const { kit, provider } = await held()
    const asking = kit.client('s', HEADERS).chat.completions.create(QUESTION)
    const refused = expect(asking).rejects.toMatchObject({ status: 409, error: GONE })
    await provider.asked
    await erase(kit, path)
    await kit.post('/v1/sessions/s/messages', { role: 'user', text: 'Hello again' })
    await provider.finish()
    await refused
    await expect(asking).rejects.toBeInstanceOf(OpenAI.ConflictError)
    expect((await kit.log('s')).map(({ text }) => text)).toEqual(['Hello again'])
  })
})

test('an answer under way whose question is erased as a message', async () => {
  const { kit, provider } = await held()
  const asking = kit.client('s', HEADERS).chat.completions.create(QUESTION)
  const refused = expect(asking).rejects.toMatchObject({ status: 409, error: { code: 'erased_meanwhile' } })
  await provider.asked
  await erase(kit, '/v1/sessions/s/messages/1')
  await provider.finish()
  await refused
  expect(await kit.log('s')).toEqual([])
})

test('an answer under way whose question is taken back is no answer to the next', async () => {
  const { kit, provider } = await held()
  const asking = kit.client('s', HEADERS).chat.completions.create(QUESTION)
  const refused = expect(asking).rejects.toMatchObject({ status: 409, error: { code: 'taken_back' } })
  await provider.asked
  await kit.post('/v1/sessions/s/rollback', { toSeq: 0 })
  await kit.post('/v1/sessions/s/messages', { role: 'user', text: 'What time is it?' })
  await provider.finish()
  await refused
  expect((await kit.log('s')).map(({ text }) => text)).toEqual(['What time is it?'])
})

test('what an answer took is counted, though nothing of it can be stored', async () => {
  const { kit, provider } = await held()
  const asking = kit.client('s', HEADERS).chat.completions.create(QUESTION)
  const refused = expect(asking).rejects.toMatchObject({ status: 409 })
  await provider.asked
  await erase(kit, '/v1/sessions/s')
  await provider.finish({ prompt_tokens: 321, completion_tokens: 12, total_tokens: 333 })
  await refused
  const figures = await (await fetch(`${kit.url()}/metrics`)).text()
  expect(figures).toContain('palimpsest_answers_total{status="failed"} 1')
  expect(figures).toContain('palimpsest_answer_tokens_total{kind="input"} 321')
  expect(figures).toContain('palimpsest_answer_calls_uncounted_total 0')
})
