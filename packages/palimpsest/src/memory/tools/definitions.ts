import { type Language, type Texts, textsOf } from '../../language/index.ts'
import { MEMORY_TOOL_NAMES, type MemoryToolName } from '../../log/index.ts'

/** A tool as models see it. Its parameters are a JSON schema. */
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

export const MAX_CONTENT_CHARACTERS = 2_000
const MAX_FOUND = 20
const MAX_EXPANDED = 100

type Properties = ToolDefinition['parameters']['properties']

/** The parameters of a tool, and which of them are required. */
function takenBy(name: MemoryToolName, of: Texts['tools']['parameters']): [Properties, readonly string[]] {
  const text = (description: string) => ({ type: 'string', description })
  const number = (description: string, most?: number) => ({
    type: 'integer',
    minimum: 1,
    ...(most !== undefined && { maximum: most }),
    description,
  })
  switch (name) {
    case 'write_memory':
    case 'write_user_memory':
      return [{ content: text(of.content), section: text(of.section) }, ['content']]
    case 'write_chat_memory':
      return [{ section: text(of.chatSection), content: text(of.content) }, ['section', 'content']]
    case 'query_history':
      return [
        {
          query: text(of.query),
          limit: number(of.findLimit, MAX_FOUND),
          before: text(of.before),
          after: text(of.after),
          sender: text(of.sender),
        },
        ['query'],
      ]
    case 'expand_history':
      return [
        {
          segment: number(of.segment),
          fromSeq: number(of.fromSeq),
          toSeq: number(of.toSeq),
          limit: number(of.expandLimit, MAX_EXPANDED),
        },
        [],
      ]
  }
}

function defined(name: MemoryToolName, language: Language): ToolDefinition {
  const { descriptions, parameters } = textsOf(language).tools
  const [properties, required] = takenBy(name, parameters)
  return {
    name,
    description: descriptions[name],
    parameters: { type: 'object', properties, required, additionalProperties: false },
  }
}

export type Definitions = Readonly<Record<MemoryToolName, ToolDefinition>>

const known = new Map<Language, Definitions>()

/** A tool has the same name in all languages. */
export function definitionsIn(language: Language): Definitions {
  const definitions =
    known.get(language) ??
    (Object.fromEntries(MEMORY_TOOL_NAMES.map(name => [name, defined(name, language)])) as Definitions)
  known.set(language, definitions)
  return definitions
}
