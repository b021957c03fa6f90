import { SessionMismatchError } from 'palimpsest/internals/errors'
import { decideLanguage, type Language, textsOf } from 'palimpsest/internals/language/index'
import type { SessionOptions } from 'palimpsest/internals/palimpsest'
import type { McpAccess } from './access.ts'
import { APPEND_MESSAGES } from './append-messages.ts'
import { GET_CONTEXT } from './get-context.ts'
import { MEMORY_TOOLS, offeredIn } from './memory-tools.ts'
import type { Parameters, Tool } from './tool.ts'

export const TOOLS: readonly Tool[] = [GET_CONTEXT, APPEND_MESSAGES, ...MEMORY_TOOLS]

/** A tool as it is listed for clients. */
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

/**
 * The tools that this client can call: the scopes allow them, and the sessions that the client reaches have
 * them or may have them.
 */
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

/** `null`: the bound session differs from the traits it was bound with, so no tool reaches it. */
async function namesFor(access: McpAccess): Promise<readonly string[] | null> {
  const { palimpsest, session, traits } = access
  if (session === undefined) return palimpsest.possibleMemoryTools(traits)
  try {
    const offered = await offeredIn(access, session)
    // The session does not exist yet. The first message makes it, with the
    // traits of the access or of the message.
    return offered ?? palimpsest.possibleMemoryTools(traits && madeAs(traits))
  } catch (error) {
    if (error instanceof SessionMismatchError) return null
    throw error
  }
}

function madeAs({ kind = 'private', user }: SessionOptions) {
  return { kind, user: user ?? null }
}

/** The language of the bound session. If the tools serve many sessions, it is the language set for all. */
export async function languageIn({ palimpsest, session, traits }: McpAccess): Promise<Language> {
  const usual = decideLanguage({ setting: palimpsest.languageSetting, messages: [], before: null }).language
  if (session === undefined) return usual
  // If the session has a fault, its tools tell the client.
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
