import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText, tool } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import { contentText, type Message } from '../../packages/palimpsest/src/log/index.ts'
import { type ModelReply, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { findInRequests } from '../frameworks/check-requests.ts'
import { runs } from '../runs.ts'
import { sqlitePlace } from '../stores.ts'

/** What the model does at one of its calls. */
type Act = 'says' | 'calls' | 'calls twice' | 'fails' | 'is too long' | 'breaks off'

const act = fc.constantFrom<Act>(
  'says',
  'says',
  'calls',
  'calls',
  'calls twice',
  'fails',
  'is too long',
  'breaks off',
)
const history = fc.record({
  budget: fc.integer({ min: 2_000, max: 6_000 }),
  turns: fc.array(
    fc.record({
      words: fc.integer({ min: 1, max: 250 }),
      isStream: fc.boolean(),
      meanwhile: fc.boolean(),
      acts: fc.array(act, { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 8 },
  ),
})

test('whatever the model does, each request is valid and fits, and the log holds all that was said, once', async () => {
  await using server = await startModelServer()
  const model = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
  let calls = 0
  const property = fc.asyncProperty(history, async ({ budget, turns }) => {
    const place = sqlitePlace()
    const palimpsest = await createPalimpsest({ store: await place.open(), policy: tokens({ budget }) })
    const chat = palimpsest.session('chat', { user: 'ann' })
    const from = server.requests.length
    const said: string[] = []
    try {
      for (const [index, { words, isStream, meanwhile, acts }] of turns.entries()) {
        await chat.append({ role: 'user', content: `Question ${index}: ${'why and how '.repeat(words)}` })
        const queue = [...acts]
        server.setReply((): ModelReply => {
          const text = `Reply ${++calls} of the model.`
          switch (queue.shift() ?? 'says') {
            case 'says':
              said.push(text)
              return { text }
            case 'calls':
              said.push(text)
              return { text, toolCalls: [{ name: 'look', arguments: { at: calls } }] }
            case 'calls twice':
              return {
                toolCalls: [
                  { name: 'look', arguments: { at: calls } },
                  { name: 'look', arguments: { at: -calls } },
                ],
              }
            case 'fails':
              return { status: 500 }
            case 'is too long':
              return { error: { kind: 'overflow' } }
            case 'breaks off':
              return { text: `Half ${calls}. `.repeat(40), fault: 'cut_off' }
          }
        })
        const look = tool({
          inputSchema: z.object({ at: z.number() }),
          execute: async ({ at }) => {
            if (meanwhile) await chat.append({ role: 'user', content: `Meanwhile ${at}.` })
            return `Seen ${at}: ${'a tree, a house, '.repeat(60)}`
          },
        })
        const turn = await chat.turn({ instructions: 'Answer.', tools: { look }, memoryTools: false })
        const before = server.requests.length
        const call = { model, ...turn.prompt, maxRetries: 0, onError: () => {} }
        if (isStream) await turn.finish(streamText(call))
        else
          await generateText(call).then(
            result => turn.finish(result),
            error => turn.fail(error),
          )
        const sent = JSON.stringify(server.requests.slice(before).map(({ body }) => body))
        for (const later of (await chat.messages({ after: turn.seq, limit: 1_000 })).filter(isMeanwhile))
          expect(sent).not.toContain(contentText(later.content))
      }
      const requests = server.requests.slice(from)
      expect(findInRequests(requests).invalid).toEqual([])
      // Counted here from the request itself, which is not to the last token how the engine counts.
      expect(findInRequests(requests).mostTokens).toBeLessThanOrEqual(budget * 1.02)
      const stored = await chat.messages({ limit: 1_000 })
      const texts = stored
        .filter(({ role }) => role === 'assistant')
        .map(({ content }) => contentText(content))
      for (const text of said) expect(texts.filter(each => each === text)).toHaveLength(1)
      expect(stored.filter(({ role, content }) => role === 'user' && !isMeanwhile({ content }))).toHaveLength(
        turns.length,
      )
    } finally {
      await palimpsest.close()
      await place.remove()
    }
  })
  await fc.assert(property, { numRuns: runs(8, 40) })
})

function isMeanwhile({ content }: Pick<Message, 'content'>): boolean {
  return contentText(content).startsWith('Meanwhile')
}
