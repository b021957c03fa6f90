import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { tool } from 'ai'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createPalimpsest, type PalimpsestOptions, tokens } from '../../packages/palimpsest/src/index.ts'
import { type ModelScript, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { sqlitePlace } from '../stores.ts'

/** A chat whose model says what its script says, until the test is done. */
export async function start(reply: ModelScript, options: Partial<PalimpsestOptions> = {}, budget = 8_000) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const store = await place.open()
  const errors: unknown[] = []
  const policy = tokens({ budget })
  const onError = (error: unknown) => errors.push(error)
  const palimpsest = await createPalimpsest({ store, policy, onError, ...options })
  onTestFinished(async () => {
    await palimpsest.close()
    await place.remove()
    await server.close()
  })
  const model = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
  const chat = palimpsest.session('chat', { user: 'ann' })
  /** The database is locked for the next so many appends. */
  const refuse = (times: number) => {
    const append = store.log.append.bind(store)
    let left = times
    store.log.append = request => (left-- > 0 ? Promise.reject(new Error('locked')) : append(request))
  }
  return { server, palimpsest, store, errors, chat, model, refuse }
}

export const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
export const looksThenSays: ModelScript = ({ said }) =>
  said.some(({ role }) => role === 'tool')
    ? 'Done.'
    : { text: 'One moment.', toolCalls: [{ name: 'look', arguments: {} }] }

export const pages = (last: number): ModelScript => {
  let page = 0
  return () => (++page <= last ? { toolCalls: [{ name: 'read', arguments: { page } }] } : 'Done.')
}
