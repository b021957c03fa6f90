import { afterEach, describe, expect, test } from 'vitest'
import { type OpenedApp, openApp } from '../packages/server/src/index.ts'
import { PLACES } from './stores.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
type Json = any

/** A server without a port, and the library under it, which see the same log. */
async function start(newPlace: (typeof PLACES)[keyof typeof PLACES]) {
  const place = newPlace()
  const opened: OpenedApp = await openApp({ store: await place.open(), inspector: false })
  cleanups.push(
    () => place.remove(),
    () => opened.close(),
  )
  const { palimpsest } = await opened.tenant('default')
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await opened.app.request(path, init)
    return { status: response.status, json: (await response.json()) as Json }
  }
  return { palimpsest, chat: palimpsest.session('s', { user: 'ann' }), call }
}

const awaits = { burst: 'ann', address: { chat: '1' } }
const question = { role: 'user' as const, content: 'What is the capital?', externalId: 'q' }
const answer = { role: 'assistant' as const, content: 'Paris.', externalId: 'a' }

describe.each(Object.entries(PLACES))('after a rollback, on %s', (_, place) => {
  test.each(['the library', 'HTTP'])(
    'by %s a question whose answer was not delivered is answerable again',
    async way => {
      const { palimpsest, chat, call } = await start(place)
      await chat.append(question, { awaits })
      await chat.append(answer, { answers: { seqs: [1] } })
      expect(await chat.waiting()).toMatchObject([{ seq: 1, reply: [2] }])
      if (way === 'HTTP')
        expect(await call('POST', '/v1/sessions/s/rollback', { toSeq: 1 })).toMatchObject({ status: 200 })
      else await chat.rollback(1)
      expect(await palimpsest.waiting()).toMatchObject([{ sessionId: 's', seq: 1, reply: null }])
      await chat.append(
        { ...answer, content: 'Paris, of course.', externalId: 'b' },
        { answers: { seqs: [1] } },
      )
      expect(await chat.waiting()).toMatchObject([{ seq: 1, reply: [3] }])
      await chat.settleWaiting([1])
      expect(await palimpsest.waiting()).toEqual([])
    },
  )

  test('a repeated external id of a hidden message says so', async () => {
    const { chat, call } = await start(place)
    await chat.append([question, answer])
    await chat.rollback(1)
    const hidden = [{ id: 's/2', seq: 2, duplicate: true, hidden: true }]
    expect((await chat.append(answer)).messages).toEqual(hidden)
    expect(await call('POST', '/v1/sessions/s/messages', answer)).toMatchObject({
      json: { messages: hidden },
    })
    const seen = [{ id: 's/1', seq: 1, duplicate: true }]
    expect((await chat.append(question)).messages).toEqual(seen)
    expect((await call('POST', '/v1/sessions/s/messages', question)).json.messages).toEqual(seen)
    expect(await chat.count()).toBe(1)
  })

  test('contexts of the same newest message with memory written in between do not extend each other', async () => {
    const { palimpsest, chat, call } = await start(place)
    await palimpsest.memory.user('ann').append('- She lives in Oslo.')
    await chat.append([question, answer, { ...question, externalId: 'r' }])
    const before = await chat.context()
    const beforeByHttp = (await call('POST', '/v1/sessions/s/context', {})).json
    expect(beforeByHttp.report.view).toBe(before.report.view)
    expect((await chat.context()).report.view).toBe(before.report.view)
    await palimpsest.memory.user('ann').append('- She has a dog called Rex.')
    const after = await chat.context()
    expect(JSON.stringify(after.messages)).toContain('Rex')
    expect(after.report.throughSeq).toBe(before.report.throughSeq)
    expect(after.report.view).not.toBe(before.report.view)
    const afterByHttp = (await call('POST', '/v1/sessions/s/context', {})).json
    expect(afterByHttp.report.view).toBe(after.report.view)
    // What both say is stable is the same all the same.
    const stable = Math.min(before.report.stableMessages, after.report.stableMessages)
    expect(after.messages.slice(0, stable)).toEqual(before.messages.slice(0, stable))
  })
})
