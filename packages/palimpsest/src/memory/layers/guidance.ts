import { type Language, textsOf } from '../../language/index.ts'
import { MEMORY_TOOL_NAMES } from '../../log/index.ts'

/** Tells the model which memory belongs where, for the tools that it has. `null`: it has no memory tool. */
export function renderGuidance(tools: readonly string[], language: Language): string | null {
  const { opening, tools: texts, closing } = textsOf(language).guidance
  const lines = MEMORY_TOOL_NAMES.filter(name => tools.includes(name)).map(
    name => `- ${name}: ${texts[name]}`,
  )
  return lines.length === 0 ? null : ['<guidance>', opening, ...lines, closing, '</guidance>'].join('\n')
}

/**
 * Finds the memory tools among a call's tools. The tools may be a record by name as in the AI SDK, or a list
 * as for OpenAI and Anthropic.
 */
export function memoryToolsIn(tools: unknown): readonly string[] {
  if (typeof tools !== 'object' || tools === null) return []
  const names = Array.isArray(tools) ? tools.map(nameOf) : Object.keys(tools)
  return MEMORY_TOOL_NAMES.filter(name => names.includes(name))
}

function nameOf(tool: unknown): unknown {
  const { name, function: inner } = (tool ?? {}) as { name?: unknown; function?: { name?: unknown } }
  return name ?? inner?.name
}
