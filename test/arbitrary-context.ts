import fc from 'fast-check'
import type { ContextParts } from '../packages/palimpsest/src/context/context.ts'
import type {
  AssistantModelMessage,
  ModelFilePart,
  ModelImagePart,
  ModelMessage,
  ModelReasoningPart,
} from '../packages/palimpsest/src/context/model-message.ts'

/** One pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const PDF = Buffer.from('%PDF-1.4\n%%EOF').toString('base64')

/** Any text that is not blank, with much of what could be taken for structure. */
const arbitraryText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
      fc.constantFrom(
        '\n',
        '\r\n',
        '\u2028',
        ' ',
        '## RECENT MESSAGES',
        'assistant: ',
        'user: ',
        '🦊',
        '\n---\n',
      ),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map(pieces => pieces.join('').toWellFormed())
  .map(text => (text.trim() === '' ? `x${text}` : text))

const attachment: fc.Arbitrary<ModelImagePart | ModelFilePart> = fc.constantFrom<
  ModelImagePart | ModelFilePart
>(
  { type: 'image', image: PNG },
  { type: 'image', image: PNG, mediaType: 'image/jpeg' },
  { type: 'image', image: `data:image/png;base64,${PNG}` },
  { type: 'image', image: 'https://example.com/fox.png' },
  { type: 'image', image: 'http://example.com/fox.png', mediaType: 'image/png' },
  { type: 'file', data: PNG, mediaType: 'image/png' },
  { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' },
  { type: 'file', data: PDF, mediaType: 'application/pdf' },
  { type: 'file', data: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
)

const reasoning: fc.Arbitrary<ModelReasoningPart> = fc.record(
  {
    type: fc.constant('reasoning' as const),
    text: arbitraryText,
    providerOptions: fc.constantFrom(
      { anthropic: { signature: 'c2ln' } },
      { anthropic: { redactedData: 'cmVk' } },
      { openai: { itemId: 'rs_1' } },
    ),
  },
  { requiredKeys: ['type', 'text'] },
)

const user = fc
  .oneof(
    arbitraryText,
    fc.array(
      fc.oneof(
        arbitraryText.map(text => ({ type: 'text' as const, text })),
        attachment,
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map((content): ModelMessage[] => [{ role: 'user', content }])

const assistant = fc
  .oneof(
    arbitraryText,
    fc
      .tuple(fc.array(reasoning, { maxLength: 2 }), arbitraryText)
      .map(
        ([thoughts, text]): Exclude<AssistantModelMessage['content'], string> => [
          ...thoughts,
          { type: 'text', text },
        ],
      ),
  )
  .map((content): ModelMessage[] => [{ role: 'assistant', content }])

/** The ids are given afterwards, since each is used once in a context. */
const toolStep = fc
  .record({
    thoughts: fc.array(reasoning, { maxLength: 1 }),
    said: fc.option(arbitraryText, { nil: null }),
    isSaidAfter: fc.boolean(),
    calls: fc.array(
      fc.record({
        toolName: fc.constantFrom('search', 'read-file', 'x'.repeat(64)),
        input: fc.dictionary(
          fc.string({ unit: 'grapheme' }).filter(key => key !== '__proto__' && key.isWellFormed()),
          fc.jsonValue().map(value => JSON.parse(JSON.stringify(value).toWellFormed())),
          { maxKeys: 3 },
        ),
        value: arbitraryText,
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ thoughts, said, isSaidAfter, calls }): ModelMessage[] => {
    const text = said === null ? [] : [{ type: 'text' as const, text: said }]
    return [
      {
        role: 'assistant',
        content: [
          ...thoughts,
          ...(isSaidAfter ? [] : text),
          ...calls.map(({ toolName, input }) => ({
            type: 'tool-call' as const,
            toolCallId: '',
            toolName,
            input: { ...input },
          })),
          ...(isSaidAfter ? text : []),
        ],
      },
      {
        role: 'tool',
        content: calls.map(({ toolName, value }) => ({
          type: 'tool-result' as const,
          toolCallId: '',
          toolName,
          output: { type: 'text' as const, value },
        })),
      },
    ]
  })

/** A context as it should be: the user first, the user or a tool last, every call answered. */
export const arbitraryContext: fc.Arbitrary<ContextParts> = fc
  .record({
    instructions: fc.oneof(fc.constant(''), arbitraryText),
    sessionMemory: fc.option(arbitraryText, { nil: null }),
    first: user,
    middle: fc.array(fc.oneof(user, assistant, toolStep), { maxLength: 8 }),
    last: fc.oneof(user, toolStep),
    afterInstructions: fc.boolean(),
    afterMessages: fc.array(fc.nat(12), { maxLength: 6 }),
  })
  .map(({ instructions, sessionMemory, first, middle, last, afterInstructions, afterMessages }) => {
    const memory: ModelMessage[] = sessionMemory === null ? [] : [{ role: 'user', content: sessionMemory }]
    return makeContext({
      instructions,
      sessionMemory,
      messages: withIds([...memory, ...first, ...middle.flat(), ...last]),
      breakpoints: { afterInstructions, afterMessages },
    })
  })

function withIds(messages: ModelMessage[]): ModelMessage[] {
  let calls = 0
  let results = 0
  return messages.map((message): ModelMessage => {
    if (message.role === 'tool')
      return {
        ...message,
        content: message.content.map(part => {
          results += 1
          return { ...part, toolCallId: `call_${results}` }
        }),
      }
    if (message.role !== 'assistant' || typeof message.content === 'string') return message
    return {
      ...message,
      content: message.content.map(part => {
        if (part.type !== 'tool-call') return part
        calls += 1
        return { ...part, toolCallId: `call_${calls}` }
      }),
    }
  })
}

export function makeContext(given: Partial<ContextParts>): ContextParts {
  return {
    language: 'en',
    instructions: '',
    messages: [],
    messageTokens: [],
    messageSeqs: [],
    breakpoints: { afterInstructions: false, afterMessages: [] },
    sessionMemory: null,
    raw: { fromSeq: null, stubBelowSeq: 0, clipTokens: 1_000 },
    report: {
      tokens: 0,
      budget: 1_000,
      blocks: [],
      prefixHash: '',
      omitted: [],
      epoch: 1,
      view: '',
      stableMessages: 0,
      throughSeq: 0,
      beginsAfter: null,
    },
    ...given,
  }
}
