import type { ClientTool } from '@langchain/core/tools'
import { InvalidArgumentError } from '../../errors.ts'
import { definitionsIn, type ToolDefinition } from '../../memory/tools/definitions.ts'
import { loadPeers } from './peers.ts'
import type { Run } from './run.ts'
import type { AgentRuntime } from './which-session.ts'

/** The input of a tool: the model's call. The configuration of the run comes beside it. */
type ToolCall = { readonly name: string; readonly args: unknown }

/**
 * The memory tools as an agent registers them: once, for all sessions. Each call is bound to the session of
 * its own run. The agent sees a shell with the fields of a tool. The tool itself is made with the call, since
 * LangChain is loaded late. So callbacks and traces hear of it as of any other tool.
 */
export function memoryToolsFor(
  runOf: (runtime: AgentRuntime) => Pick<Run, 'session' | 'asking'>,
): readonly ClientTool[] {
  return Object.values(definitionsIn('en')).map(({ name, description, parameters }) => {
    const shell = {
      lc_runnable: true,
      name,
      description,
      schema: structuredClone(parameters),
      invoke: async (call: ToolCall, config: AgentRuntime = {}) => {
        const { tools } = await loadPeers()
        const { session, asking } = runOf(config)
        const memory = await session.memoryTools(asking)
        // The memory tool itself tells the model what is wrong with its arguments.
        const schema = { type: 'object', properties: {}, additionalProperties: true } as const
        const execute = async (args: unknown) => JSON.stringify(await memory.execute(name, args))
        return tools.tool(execute, { name, description, schema }).invoke(call as never, config as never)
      },
    }
    return shell as unknown as ClientTool
  })
}

/** The tools of one call: the caller's tools, and those of ours that the session offers. */
export function offeredTools<Tool>(
  tools: readonly Tool[],
  { ours, offered }: { ours: readonly Tool[]; offered: readonly ToolDefinition[] },
): Tool[] {
  const isOurs = (tool: Tool) => ours.includes(tool)
  const names = new Set(ours.map(nameOf))
  const twice = tools.find(tool => !isOurs(tool) && names.has(nameOf(tool)))
  if (twice !== undefined)
    throw new InvalidArgumentError(
      'tools',
      nameOf(twice),
      `other names than those of the memory tools (${[...names].join(', ')}); ` +
        'or palimpsestMiddleware(palimpsest, { memoryTools: false })',
    )
  return tools.flatMap(tool => {
    if (!isOurs(tool)) return [tool]
    const definition = offered.find(({ name }) => name === nameOf(tool))
    if (definition === undefined) return []
    // Registered once for all sessions, but described to the model in the language of this session.
    const { description, parameters } = definition
    const isSame = (tool as { description?: unknown }).description === description
    return [isSame ? tool : { ...tool, description, schema: structuredClone(parameters) }]
  })
}

function nameOf(tool: unknown): string {
  return String((tool as { name?: unknown } | null)?.name ?? '')
}
