import { convertToModelMessages, type UIMessage } from 'ai'
import fc from 'fast-check'
import { toOpenAI } from 'palimpsest/internals/context/index'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { type Content, contentText } from 'palimpsest/internals/log/index'
import { expect, test } from 'vitest'
import { arbitraryContext } from '../../../../test/arbitrary-context.ts'
import { openTranscripts } from './open-transcripts.ts'
import { recognize } from './recognize.ts'

function open(json: string, path = 'x') {
  const bytes = Buffer.from(json)
  return openTranscripts({ path, bytes: bytes.length, chunks: () => [bytes] })
}

/** What must come through: who said which words, and which result belongs to which call. */
function essence(role: string, content: Content) {
  const parts = typeof content === 'string' ? [] : content
  return {
    role,
    text: contentText(content),
    calls: parts.flatMap(part =>
      part.type === 'tool-call' ? [[part.toolCallId, part.toolName, part.input]] : [],
    ),
    results: parts.flatMap(part => (part.type === 'tool-result' ? [part.toolCallId] : [])),
  }
}

async function read(value: unknown) {
  const [transcript] = await open(JSON.stringify(value))
  const all: ReturnType<typeof essence>[] = []
  for await (const { message } of transcript!.read()) all.push(essence(message.role, message.content))
  return all
}

/** A copy as it comes out of a file. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value))

test('what was sent to OpenAI comes back', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryContext, async context => {
      const { messages } = copy(toOpenAI(context))
      const expected = messages.map(message => {
        if (message.role === 'tool')
          return { role: 'tool', text: '', calls: [], results: [message.tool_call_id] }
        const content = message.content ?? ''
        const texts =
          typeof content === 'string'
            ? [content]
            : content.flatMap(part => (part.type === 'text' ? [part.text] : []))
        const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
        return {
          role: message.role,
          text: texts.join('\n'),
          calls: calls.map(call => [call.id, call.function.name, JSON.parse(call.function.arguments)]),
          results: [],
        }
      })
      expect(await read(messages)).toEqual(expected)
      expect(await read({ messages })).toEqual(expected)
    }),
  )
})

test('model messages come back', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryContext, async ({ messages }) => {
      const expected = copy(messages).map(({ role, content }) => essence(role, content as Content))
      expect(await read(messages)).toEqual(expected)
    }),
  )
})

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const uiTool = fc.record({
  type: fc.constantFrom('tool-find', 'tool-now'),
  state: fc.constant('output-available'),
  input: fc.dictionary(
    words.filter(key => key !== '__proto__'),
    fc.integer(),
    { maxKeys: 2 },
  ),
  output: words,
})
const uiStep = fc.tuple(words, fc.array(uiTool, { maxLength: 2 }))
const uiReply = fc.array(uiStep, { minLength: 1, maxLength: 3 })

test('UI messages become what the AI SDK itself makes of them', async () => {
  const conversations = fc.array(fc.tuple(words, uiReply), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(conversations, async turns => {
      let calls = 0
      const messages = turns.flatMap(([asked, steps], index) => [
        { id: `u${index}`, role: 'user', parts: [{ type: 'text', text: asked }] },
        {
          id: `a${index}`,
          role: 'assistant',
          parts: steps.flatMap(([text, tools]) => [
            { type: 'step-start' },
            { type: 'text', text },
            ...tools.map(tool => ({ ...tool, toolCallId: `c${calls++}` })),
          ]),
        },
      ])
      const converted = await convertToModelMessages(copy(messages) as UIMessage[])
      const expected = converted.map(({ role, content }) => essence(role, content as Content))
      expect(await read(messages)).toEqual(expected)
    }),
  )
})

test('any JSON is read, or refused by an error of ours', async () => {
  const keys = fc.constantFrom(
    'role',
    'content',
    'text',
    'parts',
    'messages',
    'type',
    'mapping',
    'chats',
    'list',
    'id',
  )
  const values = fc.letrec(tie => ({
    leaf: fc.oneof(fc.constantFrom('user', 'text', 'message', 'tool-x', 'tool', null, 1), fc.string()),
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(keys, tie('node'), { maxKeys: 4 }),
    ),
  }))
  const any = fc.oneof(
    fc.json(),
    values.node.map(value => JSON.stringify(value)),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 3 }), async lines => {
      const text = lines.join('\n')
      try {
        for (const transcript of await open(text))
          for await (const { message } of transcript.read()) expect(message.content).not.toBe('')
      } catch (error) {
        if (!PalimpsestError.isInstance(error)) throw error
      }
    }),
    { numRuns: 500 },
  )
  fc.assert(fc.property(fc.jsonValue(), value => recognize(value) !== undefined))
})
