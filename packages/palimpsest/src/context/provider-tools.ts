import type { Language } from '../language/index.ts'
import { textsOf } from '../language/index.ts'
import { headOf } from '../log/index.ts'
import type { ModelProviderResultPart, ModelToolCallPart } from './model-message.ts'

/** The fields of a part that tell which provider it belongs to. */
interface Owned {
  readonly toolCallId: string
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined
}

const ID_MARKS: readonly (readonly [RegExp, string])[] = [
  [/^(?:srvtoolu|mcptoolu)_/, 'anthropic'],
  [/^(?:ws|ci|fs|ig|mcp|mcpr|sh|cu|ts)_[0-9a-zA-Z]/, 'openai'],
]

/**
 * The provider that ran a tool: only this provider can read the result. `null`: nothing tells which one it
 * is.
 */
export function providerOf({ toolCallId, providerOptions }: Owned): string | null {
  const [named] = Object.keys(providerOptions ?? {})
  return named ?? ID_MARKS.find(([mark]) => mark.test(toolCallId))?.[1] ?? null
}

/**
 * Whether a model can be shown calls that a provider ran. `provider` is the name in the AI SDK:
 * `anthropic.messages`. The chat-completions format knows no such calls.
 */
export function understands(provider: string, part: Owned): boolean {
  if (/\.chat$/.test(provider)) return false
  const owner = providerOf(part)
  if (owner === null) return true
  return provider.includes(owner) || (owner === 'openai' && provider.includes('azure'))
}

const MAX_INPUT_CHARACTERS = 200

/** Stands for a call that the provider ran and for its result, where they cannot be shown as they were. */
export function providerCallNote(
  { toolName, input }: { readonly toolName: string; readonly input: unknown },
  language: Language,
): string {
  const json = JSON.stringify(input) ?? ''
  const shown = json.length > MAX_INPUT_CHARACTERS ? `${headOf(json, MAX_INPUT_CHARACTERS)}…` : json
  return textsOf(language).messages.providerCall(toolName, shown)
}

type Part = { readonly type: string }

/** The content with a note for each call that `isShown` rejects. The result of such a call is left out. */
export function withoutProviderTools<Content extends Part>(
  content: readonly Content[],
  isShown: (part: Owned) => boolean,
  language: Language,
): (Content | { type: 'text'; text: string })[] {
  const dropped = new Set(
    content.flatMap(part => (isProviderCall(part) && !isShown(part) ? [part.toolCallId] : [])),
  )
  return content.flatMap((part): (Content | { type: 'text'; text: string })[] => {
    if (isProviderCall(part) && dropped.has(part.toolCallId))
      return [{ type: 'text', text: providerCallNote(part, language) }]
    if (isProviderResult(part) && (dropped.has(part.toolCallId) || !isShown(part))) return []
    return [part]
  })
}

export function isProviderCall(part: Part): part is ModelToolCallPart {
  return part.type === 'tool-call' && (part as ModelToolCallPart).providerExecuted === true
}

/** In the assistant's content every result is one of a tool that the provider ran. */
export function isProviderResult(part: Part): part is ModelProviderResultPart {
  return part.type === 'tool-result'
}
