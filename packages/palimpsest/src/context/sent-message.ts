import type { Texts } from '../language/index.ts'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import { isBlank } from './is-blank.ts'
import type { AssistantModelMessage, ModelMessage, UserModelMessage } from './model-message.ts'
import type { RenderedMessage, RenderedPart, RenderedShown } from './render-message.ts'

/** A message of the context, its tokens, and the newest message of the log that it shows. */
export interface SentMessage {
  readonly message: ModelMessage
  readonly tokens: number
  readonly seq: number
}

/** What a message says, without calls and results. `null`: nothing. */
export function plainMessage(
  { role, parts, seq }: Pick<RenderedMessage, 'role' | 'parts' | 'seq'>,
  { empty }: Texts['messages'],
): SentMessage | null {
  const { content, tokens } = spokenContent(parts)
  // A thought that no word or call follows is no reply.
  const isNothing = content.every(part => part.type === 'reasoning')
  if (isNothing) return role === 'user' ? note(empty, seq) : null
  const [first] = content
  const only = content.length === 1 && first?.type === 'text' ? first.text : content
  // What a tool says beside its results is not the assistant's reply, so it is sent as the user's.
  const message = { role: role === 'assistant' ? 'assistant' : 'user', content: only } as ModelMessage
  return { message: frozen(message), tokens: MESSAGE_OVERHEAD_TOKENS + tokens, seq }
}

/** One part of what is said, and its tokens. */
export interface SpokenPart {
  readonly part: RenderedShown['part'] | Exclude<AssistantModelMessage['content'], string>[number]
  readonly tokens: number
}

/**
 * `provided` gives the part that stands for a call or result that the provider ran. Left out: nothing does.
 */
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

/** Later contexts share these messages, so a caller that changes one gets an error at once. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const key in value) frozen(value[key])
  return Object.freeze(value)
}
