import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { type Texts, textsOf } from 'palimpsest/internals/language/index'
import { type MessageInput, ROLES } from 'palimpsest/internals/log/index'
import type { SessionOptions } from 'palimpsest/internals/palimpsest'
import type { Arguments, Parameters, Tool } from './tool.ts'

const MAX_MESSAGES = 1_000

const SENDER = {
  type: 'object',
  properties: { id: { type: 'string' }, name: { type: 'string' }, isSelf: { type: 'boolean' } },
  required: ['id'],
}

const MESSAGE = {
  role: { type: 'string', enum: ROLES },
  text: { type: 'string' },
  content: { type: 'array', items: { type: 'object' } },
  sender: { anyOf: [{ type: 'string' }, SENDER] },
  at: { type: 'string' },
  zone: { type: 'string' },
  externalId: { type: 'string' },
  replyTo: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
} as const

const TRAITS = {
  kind: { type: 'string', enum: ['private', 'group', 'agent'] },
  user: { type: 'string' },
  scope: { type: 'string' },
} as const

type Described = Texts['mcp']['appendParameters']

function described(fields: Readonly<Record<string, object>>, texts: Described): Parameters['properties'] {
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, { ...schema, description: texts[name as keyof Described] }]),
  )
}

/**
 * The schemas of the fields are loose. The log checks the values, and its error
 * messages explain more than a schema could.
 */
export const APPEND_MESSAGES: Tool = {
  name: 'append_messages',
  description: language => textsOf(language).mcp.appendMessages,
  parameters: ({ traits }, language) => {
    const texts = textsOf(language).mcp.appendParameters
    const message = described(MESSAGE, texts)
    return {
      type: 'object',
      properties: {
        ...message,
        messages: {
          type: 'array',
          minItems: 1,
          maxItems: MAX_MESSAGES,
          items: { type: 'object', properties: message, required: ['role'] },
          description: texts.messages,
        },
        ...(traits === undefined && described(TRAITS, texts)),
      },
      required: [],
      additionalProperties: false,
    }
  },
  needs: 'write',
  isIdempotent: false,
  execute: async ({ palimpsest, traits }, sessionId, args) => {
    const session = palimpsest.session(sessionId, traits ?? (within(args, TRAITS) as SessionOptions))
    const { messages, unassigned } = await session.append(messagesOf(args))
    const data = { messages, ...(unassigned && { unassigned }) }
    return { data, text: JSON.stringify(data) }
  },
}

function messagesOf(args: Arguments): readonly MessageInput[] {
  const { messages } = args
  const one = within(args, MESSAGE)
  if (messages === undefined) return [one as unknown as MessageInput]
  const [field] = Object.keys(one)
  if (field !== undefined)
    throw new InvalidArgumentError(field, one[field], 'either the fields of one message, or messages')
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_MESSAGES)
    throw new InvalidArgumentError('messages', messages, `a list of 1 to ${MAX_MESSAGES} messages`)
  return messages
}

function within(args: Arguments, fields: object): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(fields, name)))
}
