import { SessionMismatchError } from 'palimpsest/internals/errors'
import { decideLanguage, type Language, textsOf } from 'palimpsest/internals/language/index'
import type { SessionOptions } from 'palimpsest/internals/palimpsest'
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

/** Those that can be called: that the scopes allow, and that the sessions which are reached here have or can have. */
export async function listTools(access: McpAccess): Promise<readonly ListedTool[]> {
  const offered = await namesFor(access)
  if (offered === null) return []
  const isOffered = ({ name }: Tool) => !MEMORY_NAMES.includes(name) || offered.includes(name)
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

/** `null`: the bound session is something else than it was bound as, and no tool reaches it. */
async function namesFor(access: McpAccess): Promise<readonly string[] | null> {
  const { palimpsest, session, traits } = access
  if (session === undefined) return palimpsest.possibleMemoryTools(traits)
  try {
    const offered = await offeredIn(access, session)
    // It is made by the first message, as the one says who bound it, or as the message does.
    return offered ?? palimpsest.possibleMemoryTools(traits && madeAs(traits))
  } catch (error) {
    if (error instanceof SessionMismatchError) return null
    throw error
  }
}

function madeAs({ kind = 'private', user }: SessionOptions) {
  return { kind, user: user ?? null }
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
