import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, type ModelMessage as SdkModelMessage } from 'ai'
import fc from 'fast-check'
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import type { ContextParts } from '../packages/palimpsest/src/context/context.ts'
import type { ModelMessage } from '../packages/palimpsest/src/context/model-message.ts'
import { toAnthropic } from '../packages/palimpsest/src/context/to-anthropic.ts'
import { toOpenAI } from '../packages/palimpsest/src/context/to-openai.ts'
import { arbitraryContext, makeContext, PNG } from './arbitrary-context.ts'
import {
  acceptedByAiSdk,
  anthropicViolations,
  modelMessageViolations,
  openAIViolations,
} from './provider-rules.ts'

beforeAll(() => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
})

const call = (id: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'search',
  input: {},
  ...more,
})
const result = (id: string, more: object = {}) => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'search',
  output: { type: 'text', value: 'red' },
  ...more,
})
const user = (content: unknown = 'q') => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const tool = (...content: unknown[]) => ({ role: 'tool', content })

describe('modelMessageViolations', () => {
  test('finds nothing in a context as it should be', () => {
    fc.assert(
      fc.property(arbitraryContext, ({ messages }) => {
        expect(modelMessageViolations(messages)).toEqual([])
      }),
    )
  })

  test.each<[string, unknown]>([
    ['no messages', []],
    ['a system message', [{ role: 'system', content: 'x' }, user()]],
    ['the assistant first', [assistant({ type: 'text', text: 'x' }), user()]],
    ['the assistant last', [user(), assistant({ type: 'text', text: 'x' })]],
    ['a blank text', [user(' \n')]],
    ['a blank text part', [user([{ type: 'text', text: '' }])]],
    ['no parts', [user([])]],
    ['a call without a result', [user(), assistant(call('a')), user()]],
    ['a call at the end', [user(), assistant(call('a'))]],
    ['a result that comes late', [user(), assistant(call('a')), user(), tool(result('a'))]],
    ['a result without a call', [user(), tool(result('a'))]],
    ['two results of one call', [user(), assistant(call('a')), tool(result('a'), result('a'))]],
    ['one result of two', [user(), assistant(call('a'), call('b')), tool(result('a')), user()]],
    [
      'an id that is used twice',
      [user(), ...[1, 2].flatMap(() => [assistant(call('a')), tool(result('a'))])],
    ],
    ['another name', [user(), assistant(call('a')), tool(result('a', { toolName: 'x' }))]],
    ['a broken id', [user(), assistant(call('a:b')), tool(result('a:b'))]],
    [
      'a broken name',
      [user(), assistant(call('a', { toolName: 'a b' })), tool(result('a', { toolName: 'a b' }))],
    ],
    ['an input that is a list', [user(), assistant(call('a', { input: [] })), tool(result('a'))]],
    ['an input with NaN', [user(), assistant(call('a', { input: { x: Number.NaN } })), tool(result('a'))]],
    [
      'an input with a date',
      [user(), assistant(call('a', { input: { x: new Date(0) } })), tool(result('a'))],
    ],
    ['half a character', [user('\ud83e')]],
    [
      'half a character deep inside',
      [user(), assistant(call('a', { input: { '\ud83e': 1 } })), tool(result('a'))],
    ],
    ['undefined', [{ role: 'user', content: 'x', name: undefined }]],
    ['nothing but reasoning', [user(), assistant({ type: 'reasoning', text: 'x' }), user()]],
    ['an image of the assistant', [user(), assistant({ type: 'image', image: PNG }), user()]],
    ['bytes of unknown type', [user([{ type: 'image', image: 'AAAA' }])]],
    ['broken base64', [user([{ type: 'image', image: 'AAA', mediaType: 'image/png' }])]],
    ['another scheme', [user([{ type: 'image', image: 'telegram:x' }])]],
    ['another media type', [user([{ type: 'file', data: 'AAAA', mediaType: 'application/zip' }])]],
  ])('finds %s', (_, messages) => {
    expect(modelMessageViolations(messages)).not.toEqual([])
  })
})

const openAICall = (id: string, called: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'search', arguments: '{}', ...called },
})
const openAIResult = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'red' })
const calling = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls })

describe('openAIViolations', () => {
  test.each<[string, unknown[]]>([
    ['nothing but instructions', [{ role: 'system', content: 'x' }]],
    ['instructions in the middle', [user(), { role: 'system', content: 'x' }, user()]],
    ['empty instructions', [{ role: 'system', content: '' }, user()]],
    ['an assistant who says nothing', [user(), { role: 'assistant', content: null }, user()]],
    ['an empty list of calls', [user(), calling(), user()]],
    ['a call without a result', [user(), calling(openAICall('a')), user()]],
    ['a result without a call', [user(), openAIResult('a')]],
    ['an id that is too long', [user(), calling(openAICall('a'.repeat(41))), openAIResult('a'.repeat(41))]],
    ['arguments that are no JSON', [user(), calling(openAICall('a', { arguments: '{' })), openAIResult('a')]],
    [
      'arguments that are no object',
      [user(), calling(openAICall('a', { arguments: '[]' })), openAIResult('a')],
    ],
    [
      'half a character in the arguments',
      [user(), calling(openAICall('a', { arguments: '{"x":"\\ud83e"}' })), openAIResult('a')],
    ],
    ['an image in another form', [user([{ type: 'image', image: PNG }])]],
    ['bytes without their type', [user([{ type: 'image_url', image_url: { url: PNG } }])]],
    ['a field that it does not know', [{ role: 'user', content: 'x', providerOptions: {} }]],
    ['the assistant last', [user(), { role: 'assistant', content: 'x' }]],
  ])('finds %s', (_, messages) => {
    expect(openAIViolations({ messages })).not.toEqual([])
  })
})

const use = (id: string, more: object = {}) => ({ type: 'tool_use', id, name: 'search', input: {}, ...more })
const used = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...more })
const text = (value = 'x', more: object = {}) => ({ type: 'text', text: value, ...more })
const MARK = { cache_control: { type: 'ephemeral' } }

describe('anthropicViolations', () => {
  test('takes a call with its result', () => {
    expect(
      anthropicViolations({ messages: [user(), assistant(text(), use('a')), user([used('a'), text()])] }),
    ).toEqual([])
  })

  test.each<[string, object]>([
    ['empty instructions', { system: [text('')], messages: [user()] }],
    ['the assistant first', { messages: [assistant(text()), user()] }],
    ['the assistant last', { messages: [user(), assistant(text())] }],
    ['white space at the end', { messages: [user(), assistant(text('x '))] }],
    ['two of one role', { messages: [user(), user()] }],
    ['the role tool', { messages: [user(), { role: 'tool', content: 'x' }] }],
    ['a blank text', { messages: [user([text(' ')])] }],
    ['a call without a result', { messages: [user(), assistant(use('a')), user()] }],
    ['a result that is not first', { messages: [user(), assistant(use('a')), user([text(), used('a')])] }],
    ['a result without a call', { messages: [user([used('a')])] }],
    ['a text after a call', { messages: [user(), assistant(use('a'), text()), user([used('a')])] }],
    ['an id that is used twice', { messages: [user(), assistant(use('a'), use('a')), user([used('a')])] }],
    ['an input as text', { messages: [user(), assistant(use('a', { input: '{}' })), user([used('a')])] }],
    [
      'a thought without a signature',
      { messages: [user(), assistant({ type: 'thinking', thinking: 'x' }), user()] },
    ],
    [
      'a mark on a thought',
      { messages: [user(), assistant({ type: 'thinking', thinking: 'x', signature: 's', ...MARK }), user()] },
    ],
    ['five marks', { messages: [user(Array.from({ length: 5 }, () => text('x', MARK)))] }],
    [
      'an image of the assistant',
      {
        messages: [
          user(),
          assistant({ type: 'image', source: { type: 'url', url: 'https://a.example' } }),
          user(),
        ],
      },
    ],
    [
      'a data URL as bytes',
      {
        messages: [
          user([
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: `data:,${PNG}` } },
          ]),
        ],
      },
    ],
  ])('finds %s', (_, request) => {
    expect(anthropicViolations(request)).not.toEqual([])
  })
})

describe('the AI SDK', () => {
  test('has our messages among its own', () => {
    expectTypeOf<ModelMessage>().toExtend<SdkModelMessage>()
    const messages: SdkModelMessage[] = [...makeContext({}).messages]
    expect(messages).toEqual([])
  })

  test('takes a context as it should be, and hands on all of its texts', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryContext, async parts => {
        const prompt = JSON.stringify(await acceptedByAiSdk(parts))
        for (const { content } of parts.messages)
          for (const part of typeof content === 'string'
            ? [{ type: 'text' as const, text: content }]
            : content)
            if (part.type === 'text') expect(prompt).toContain(JSON.stringify(part.text))
      }),
    )
  })

  test('refuses a call without its result', async () => {
    const messages = [user(), assistant(call('a')), user()] as ModelMessage[]
    await expect(acceptedByAiSdk({ instructions: '', messages })).rejects.toThrow('Tool result')
  })
})

/** What the SDK's own provider would have sent over the network. */
async function sentBy(
  makeModel: (fetch: typeof globalThis.fetch) => LanguageModel,
  { instructions, messages }: ContextParts,
): Promise<Record<string, unknown>> {
  let body = '{}'
  const model = makeModel(async (_, init) => {
    body = String(init?.body)
    return new Response('{}', { status: 400 })
  })
  const sent = generateText({
    model,
    maxRetries: 0,
    ...(instructions !== '' && { instructions }),
    messages: [...messages],
    // Where a provider takes no links, the SDK fetches them itself.
    experimental_download: async files =>
      files.map(file =>
        file.isUrlSupportedByModel ? null : { data: Buffer.from(PNG, 'base64'), mediaType: undefined },
      ),
  })
  await sent.catch(() => undefined)
  return JSON.parse(body)
}

/** Not the SDK's to decide, or decided by it in another way. */
const withoutPlainLinks = (violations: string[]) =>
  violations.filter(violation => !violation.includes('is not a link that can be fetched: http:'))

describe('the providers of the AI SDK send what the rules allow', () => {
  test('Anthropic, and the same as we do', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryContext, async parts => {
        const makeModel = (fetch: typeof globalThis.fetch) =>
          createAnthropic({ apiKey: 'x', fetch })('claude-haiku-4-5')
        const { system, messages } = await sentBy(makeModel, parts)
        expect(withoutPlainLinks(anthropicViolations({ system, messages }))).toEqual([])
        const ours = toAnthropic({ ...parts, breakpoints: { afterInstructions: false, afterMessages: [] } })
        if (JSON.stringify(parts.messages).includes('http:')) return
        expect(messages).toEqual(JSON.parse(JSON.stringify(ours.messages)))
        expect(system).toEqual(ours.system)
      }),
    )
  })

  test.each<[string, (fetch: typeof globalThis.fetch) => LanguageModel]>([
    ['OpenAI', fetch => createOpenAI({ apiKey: 'x', fetch }).chat('gpt-4o')],
    [
      'OpenAI-compatible ones',
      fetch => createOpenAICompatible({ name: 'local', baseURL: 'http://a.example', fetch })('x'),
    ],
  ])('%s', async (_, makeModel) => {
    await fc.assert(
      fc.asyncProperty(arbitraryContext, async parts => {
        // A PDF behind a link is fetched by the SDK; here it would be a picture.
        if (JSON.stringify(parts.messages).includes('example.com/a.pdf')) return
        const { messages } = await sentBy(makeModel, parts)
        const known = (messages as Record<string, unknown>[]).map(
          ({ reasoning_content, ...message }) => message,
        )
        expect(openAIViolations({ messages: known })).toEqual([])
        expect(known.map(message => message['role'])).toEqual(
          toOpenAI(parts).messages.map(({ role }) => role),
        )
      }),
    )
  })
})
