import type { Peers } from './peers.ts'

/** A tool is converted only once: an agent has the same tools for every call. */
const converted = new WeakMap<object, unknown>()

/** The tools as the model is told of them, to measure what they take of the window. */
export function toolDefinitions(tools: readonly unknown[], { functions }: Peers): readonly unknown[] {
  return tools.map(tool => {
    if (typeof tool !== 'object' || tool === null) return tool
    const known = converted.get(tool)
    if (known !== undefined) return known
    const definition = definitionOf(tool, functions)
    converted.set(tool, definition)
    return definition
  })
}

function definitionOf(tool: object, { convertToOpenAITool }: Peers['functions']): unknown {
  const { name, description } = tool as { name?: unknown; description?: unknown }
  try {
    // A provider's own tool comes back as it is.
    const definition = convertToOpenAITool(tool as never)
    JSON.stringify(definition)
    return definition
  } catch {
    return { name, description }
  }
}
