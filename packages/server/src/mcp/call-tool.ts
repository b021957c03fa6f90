import { describe, ERROR_CODES, PalimpsestError, SessionMismatchError } from 'palimpsest/internals/errors'
import type { McpAccess } from './access.ts'
import { type Outcome, refusal, type Tool } from './tool.ts'
import { inputSchema, TOOLS } from './tools.ts'

/**
 * Runs a tool for a client. Mistakes of the client become an answer; only
 * errors that no code foresaw are thrown.
 */
export async function callTool(access: McpAccess, name: string, given: unknown): Promise<Outcome> {
  const tool = TOOLS.find(tool => tool.name === name)
  if (!tool || !access.scopes.has(tool.needs)) return notAllowed(access, name, tool)
  const args = withoutNulls(given)
  const problem = problemOf(tool, access, args)
  if (problem !== null) return refusal(`${problem} Nothing was done.`)
  const { session, ...others } = args
  try {
    // If a session is bound, `args` has no session: `problemOf` would have refused it.
    return await tool.execute(access, access.session ?? (session as string), others)
  } catch (error) {
    return told(error, access)
  }
}

/** Models send `null` for fields that they leave out. */
function withoutNulls(given: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value != null))
}

function notAllowed({ scopes }: McpAccess, name: string, tool: Tool | undefined): Outcome {
  const allowed = TOOLS.filter(({ needs }) => scopes.has(needs)).map(({ name }) => name)
  const there = allowed.length === 0 ? 'there are none for it' : `there are ${allowed.join(', ')}`
  if (!tool) return refusal(`There is no tool ${describe(name)}; ${there}.`)
  return refusal(`${name} needs the scope ${tool.needs}, which is not given here; ${there}.`)
}

/** Checks only the names of the arguments. Each value is checked where it is used. */
function problemOf(tool: Tool, access: McpAccess, args: object): string | null {
  const { properties, required } = inputSchema(tool, access, 'en')
  const unknown = Object.keys(args).filter(name => !Object.hasOwn(properties, name))
  if (unknown.length > 0)
    return `${tool.name} takes no ${named(unknown)}, but ${Object.keys(properties).join(', ')}.`
  const missing = required.filter(name => !Object.hasOwn(args, name))
  return missing.length > 0 ? `${tool.name} needs ${missing.join(' and ')}.` : null
}

const MAX_NAMED = 5

function named(fields: readonly string[]): string {
  const shown = fields.slice(0, MAX_NAMED).map(field => describe(field))
  return [...shown, ...(fields.length > MAX_NAMED ? ['more'] : [])].join(' and no ')
}

/**
 * Turns an error into an answer for the client. Errors of the store name files and
 * hosts, so their messages are not shown.
 */
function told(error: unknown, { scopes }: McpAccess): Outcome {
  if (!PalimpsestError.isInstance(error)) throw error
  const isHidden = error instanceof SessionMismatchError && !scopes.has('read')
  const { code, message, details } = isHidden ? error.withoutStored() : error
  if (code === 'session_not_found')
    return refusal(`There is no session ${describe(details['sessionId'])}. ${afterMissing(scopes)}`, {
      code,
      details,
    })
  if (ERROR_CODES[code].status < 500) return refusal(message, { code, details })
  if (ERROR_CODES[code].status !== 503) throw error
  return refusal('The memory cannot be reached just now. Try again in a moment.', { code })
}

function afterMissing(scopes: McpAccess['scopes']): string {
  return scopes.has('write')
    ? 'Check the id, or begin the chat with append_messages.'
    : 'Check the id: here chats can only be read.'
}
