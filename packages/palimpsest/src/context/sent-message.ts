import type { Texts } from '../language/index.ts'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import { isBlank } from './is-blank.ts'
import type { AssistantModelMessage, ModelMessage, UserModelMessage } from './model-message.ts'
import type { RenderedMessage, RenderedPart, RenderedShown } from './render-message.ts'

/** A message of the context, with what it costs and the newest message of the log that it shows. */
export interface SentMessage {
  readonly message: ModelMessage
  readonly tokens: number
  readonly seq: number
}

/** What is said in a message, calls and results aside. `null`: nothing. */
export function plainMessage(
  { role, parts, seq }: Pick<RenderedMessage, 'role' | 'parts' | 'seq'>,
  { empty }: Texts['messages'],
): SentMessage | null {
  const { content, tokens } = spokenContent(parts)
  // A thought without a word or a call after it is no reply.
  const isNothing = content.every(part => part.type === 'reasoning')
  if (isNothing) return role === 'user' ? note(empty, seq) : null
  const [first] = content
  const only = content.length === 1 && first?.type === 'text' ? first.text : content
  // What a tool said beside its results is nobody's reply.
  const message = { role: role === 'assistant' ? 'assistant' : 'user', content: only } as ModelMessage
  return { message: frozen(message), tokens: MESSAGE_OVERHEAD_TOKENS + tokens, seq }
}

/** A part of what is said, where it stands, with what it costs. */
export interface SpokenPart {
  readonly part: RenderedShown['part'] | Exclude<AssistantModelMessage['content'], string>[number]
  readonly tokens: number
}

/** `provided`: what stands in the place of calls and results of the provider's own; left out: nothing. */
export function spokenContent(
  parts: RenderedMessage['parts'],
  provided: (part: Exclude<RenderedPart, RenderedShown>) => SpokenPart | null = () => null,
): {
  content: SpokenPart['part'][]
  tokens: number
} {
  const shown = parts
    .flatMap((part): SpokenPart[] => (part.type === 'shown' ? [part] : [provided(part) ?? []].flat()))
    .filter(({ part }) => part.type !== 'text' || !isBlank(part.text))
  return {
    content: shown.map(({ part }) => part),
    tokens: shown.reduce((sum, part) => sum + part.tokens, 0),
  }
}

export function note(text: string, seq: number, tokens = estimateTokens(text)): SentMessage {
  const message: UserModelMessage = { role: 'user', content: text }
  return { message: frozen(message), tokens: MESSAGE_OVERHEAD_TOKENS + tokens, seq }
}

/** Contexts share their messages with later ones: whoever changes one is told at once. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const key in value) frozen(value[key])
  return Object.freeze(value)
}
