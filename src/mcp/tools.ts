import { decideLanguage, type Language, textsOf } from '../language/index.ts'
import type { MemoryToolName } from '../log/index.ts'
import type { McpAccess } from './access.ts'
import { APPEND_MESSAGES } from './append-messages.ts'
import { GET_CONTEXT } from './get-context.ts'
import { MEMORY_TOOLS, offeredIn } from './memory-tools.ts'
import type { Parameters, Tool } from './tool.ts'

export const TOOLS: readonly Tool[] = [GET_CONTEXT, APPEND_MESSAGES, ...MEMORY_TOOLS]

/** A tool as clients are told of it. */
interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Parameters
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: false
    readonly idempotentHint: boolean
    readonly openWorldHint: false
  }
}

const MEMORY_NAMES = MEMORY_TOOLS.map(({ name }) => name)
/** Without an owner there is no chat that has it. */
const SHARING: MemoryToolName = 'write_memory'

/** Those that the scopes allow; in a bound session that is there, without those that are not offered in it. */
export async function listTools(access: McpAccess): Promise<readonly ListedTool[]> {
  const offered = access.session === undefined ? null : await offeredIn(access, access.session)
  const isOffered = ({ name }: Tool) =>
    offered === null
      ? name !== SHARING || access.palimpsest.memoryOwners.length > 0
      : !MEMORY_NAMES.includes(name) || offered.includes(name)
  const language = await languageIn(access)
  return TOOLS.filter(tool => access.scopes.has(tool.needs) && isOffered(tool)).map(tool => ({
    name: tool.name,
    description: tool.description(language),
    inputSchema: inputSchema(tool, access, language),
    annotations: {
      readOnlyHint: tool.needs === 'read',
      destructiveHint: false,
      idempotentHint: tool.isIdempotent,
      openWorldHint: false,
    },
  }))
}

/** Of the bound session; where tools are for many, as it is set for all. */
export async function languageIn({ palimpsest, session, traits }: McpAccess): Promise<Language> {
  const usual = decideLanguage({ setting: palimpsest.languageSetting, messages: [], before: null }).language
  if (session === undefined) return usual
  // What is wrong with the session is told to the client by its tools.
  return palimpsest
    .session(session, traits)
    .language()
    .catch(() => usual)
}

export function inputSchema(tool: Tool, access: McpAccess, language: Language): Parameters {
  const parameters = tool.parameters(access, language)
  if (access.session !== undefined) return parameters
  const session = { type: 'string', description: textsOf(language).mcp.session }
  const properties = { session, ...parameters.properties }
  return { ...parameters, properties, required: ['session', ...parameters.required] }
}
