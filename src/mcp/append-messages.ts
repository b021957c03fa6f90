import { InvalidArgumentError } from '../errors.ts'
import { type MessageInput, ROLES } from '../log/index.ts'
import type { SessionOptions } from '../palimpsest.ts'
import type { Arguments, Tool } from './tool.ts'

const MOST_MESSAGES = 1_000

const MESSAGE = {
  role: { type: 'string', enum: ROLES, description: 'Who speaks: user is a person, assistant is you.' },
  text: { type: 'string', description: 'What was said.' },
  content: {
    type: 'array',
    items: { type: 'object' },
    description: 'In place of text: a list of parts, such as { "type": "text", "text": "…" }.',
  },
  sender: {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        properties: { id: { type: 'string' }, name: { type: 'string' }, isSelf: { type: 'boolean' } },
        required: ['id'],
      },
    ],
    description: 'Who it is from: a name, or an id with a name.',
  },
  at: { type: 'string', description: 'When it was said (ISO 8601). Left out: now.' },
  zone: { type: 'string', description: 'The time zone of the sender, such as Asia/Shanghai.' },
  externalId: { type: 'string', description: 'Its id on its platform: a repeat adds nothing.' },
  replyTo: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    description: 'What it answers: the number or the external id of a message.',
  },
}

const TRAITS = {
  kind: {
    type: 'string',
    enum: ['private', 'group', 'agent'],
    description: 'What the chat is; one that is there has to be the same. Left out, a new one is private.',
  },
  user: { type: 'string', description: 'Whose private chat it is: the id of a person.' },
  scope: { type: 'string', description: 'The workspace or project that the chat belongs to.' },
}

/** What they may be the log checks itself, with better words than a schema has. */
export const APPEND_MESSAGES: Tool = {
  name: 'append_messages',
  description:
    'Stores what was said in a chat, one message by its role and text, or several in order under messages; all of them or none. The first one makes the chat.',
  parameters: ({ traits }) => ({
    type: 'object',
    properties: {
      ...MESSAGE,
      messages: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_MESSAGES,
        items: { type: 'object', properties: MESSAGE, required: ['role'] },
        description: 'Several messages, oldest first, in place of the fields of one.',
      },
      ...(traits === undefined && TRAITS),
    },
    required: [],
    additionalProperties: false,
  }),
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
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MOST_MESSAGES)
    throw new InvalidArgumentError('messages', messages, `a list of 1 to ${MOST_MESSAGES} messages`)
  return messages
}

function within(args: Arguments, fields: object): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(fields, name)))
}
