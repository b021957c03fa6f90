import { SessionNotFoundError } from 'palimpsest/internals/errors'
import { MEMORY_TOOL_NAMES, type MemoryToolName } from 'palimpsest/internals/log/index'
import { definitionsIn } from 'palimpsest/internals/memory/tools/definitions'
import type { ToolOutput } from 'palimpsest/internals/memory/tools/index'
import type { McpAccess } from './access.ts'
import type { Outcome, Tool } from './tool.ts'

const READING: readonly MemoryToolName[] = ['query_history', 'expand_history']

export const MEMORY_TOOLS: readonly Tool[] = MEMORY_TOOL_NAMES.map(name => ({
  name,
  description: language => definitionsIn(language)[name].description,
  parameters: (_, language) => definitionsIn(language)[name].parameters,
  needs: READING.includes(name) ? 'read' : 'write',
  // A note that is already known is not written again.
  isIdempotent: true,
  execute: async (access, sessionId, args) => {
    const tools = await toolsOf(access, sessionId)
    if (tools === null) throw new SessionNotFoundError(sessionId)
    return toOutcome(await tools.execute(name, args))
  },
}))

/**
 * The names of the memory tools that a session offers; they depend on its
 * kind. `null`: there is no such session.
 */
export async function offeredIn(access: McpAccess, sessionId: string): Promise<readonly string[] | null> {
  const tools = await toolsOf(access, sessionId)
  return tools?.definitions.map(({ name }) => name) ?? null
}

/** Checks first that the session exists: to ask for its tools would make it. */
async function toolsOf({ palimpsest, traits }: McpAccess, sessionId: string) {
  const session = palimpsest.session(sessionId, traits)
  return (await session.info()) && (await session.memoryTools())
}

/**
 * The text is JSON, so that it carries the flag `recalled`. Wherever the text is stored,
 * the flag tells that it was recalled.
 */
function toOutcome(output: ToolOutput): Outcome {
  const { error } = output
  if (typeof error === 'string') return { data: output, text: error, isError: true }
  return { data: output, text: JSON.stringify(output) }
}
