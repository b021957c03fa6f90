import type { Language } from '../document/index.ts'
import { GUIDANCE } from './texts.ts'

/** Which memory to write where, for the tools that the model really has; `null`: it has none of them. */
export function renderGuidance(tools: readonly string[], language: Language): string | null {
  const { opening, tools: texts, closing } = GUIDANCE[language]
  const lines = Object.entries(texts)
    .filter(([name]) => tools.includes(name))
    .map(([name, text]) => `- ${name}: ${text}`)
  return lines.length === 0 ? null : ['<guidance>', opening, ...lines, closing, '</guidance>'].join('\n')
}

const NAMES = Object.keys(GUIDANCE.en.tools)

/**
 * The memory tools among a call's tools, in whatever shape they come: a record by name as in the AI SDK, or a
 * list as for OpenAI and Anthropic.
 */
export function memoryToolsIn(tools: unknown): readonly string[] {
  if (typeof tools !== 'object' || tools === null) return []
  const names = Array.isArray(tools) ? tools.map(nameOf) : Object.keys(tools)
  return NAMES.filter(name => names.includes(name))
}

function nameOf(tool: unknown): unknown {
  const { name, function: inner } = (tool ?? {}) as { name?: unknown; function?: { name?: unknown } }
  return name ?? inner?.name
}
