import type { MemoryToolName } from '../../log/index.ts'

/** A tool as models are told of it: its arguments are a JSON schema. */
export interface ToolDefinition {
  readonly name: MemoryToolName
  readonly description: string
  readonly parameters: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required: readonly string[]
    readonly additionalProperties: false
  }
}

export const MOST_CONTENT_CHARACTERS = 2_000
const MOST_FOUND = 20
const MOST_EXPANDED = 100

const CONTENT = {
  type: 'string',
  description: 'One short, self-contained sentence; several on lines of their own.',
}
const SECTION = {
  type: 'string',
  description: 'The heading to put it under, without #. Left out: at the end.',
}

function definition(
  name: MemoryToolName,
  description: string,
  properties: ToolDefinition['parameters']['properties'],
  required: readonly string[],
): ToolDefinition {
  return {
    name,
    description,
    parameters: { type: 'object', properties, required, additionalProperties: false },
  }
}

export const DEFINITIONS: Readonly<Record<MemoryToolName, ToolDefinition>> = {
  write_memory: definition(
    'write_memory',
    'Adds to the memory that everyone you talk with shares: what is true for all of them, such as the company and its products. Everybody can see it, so write nothing private.',
    { content: CONTENT, section: SECTION },
    ['content'],
  ),
  write_user_memory: definition(
    'write_user_memory',
    'Adds to the memory of the person in this private chat: what holds for them everywhere, such as a birthday or a preference. It is seen in their private chats only.',
    { content: CONTENT, section: SECTION },
    ['content'],
  ),
  write_chat_memory: definition(
    'write_chat_memory',
    'Adds to the memory of this chat: agreements, the tone here, what was decided. It is seen in this chat only.',
    {
      section: { ...SECTION, description: 'The heading to put it under, without #, such as "Agreements".' },
      content: CONTENT,
    },
    ['section', 'content'],
  ),
  query_history: definition(
    'query_history',
    'Finds earlier messages of this chat by their words, best first, as they were written.',
    {
      query: { type: 'string', description: 'Words that the messages have.' },
      limit: { type: 'integer', minimum: 1, maximum: MOST_FOUND, description: 'How many; 5 if left out.' },
      before: { type: 'string', description: 'Only messages before this day or instant (ISO 8601).' },
      after: { type: 'string', description: 'Only messages from this day or instant on (ISO 8601).' },
      sender: { type: 'string', description: 'Only messages of this sender, by id or exact name.' },
    },
    ['query'],
  ),
  expand_history: definition(
    'expand_history',
    'Reads original messages of this chat: those under a segment of the summary, or from one number through another ("Messages 12–40" are 12 and 40).',
    {
      segment: {
        type: 'integer',
        minimum: 1,
        description: 'The id of a segment. Or name fromSeq and toSeq.',
      },
      fromSeq: { type: 'integer', minimum: 1, description: 'The number of the first message.' },
      toSeq: { type: 'integer', minimum: 1, description: 'The number of the last message.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_EXPANDED,
        description: 'How many; 20 if left out.',
      },
    },
    [],
  ),
}
