import type { Content, ContentPart, ToolCallPart } from 'palimpsest/internals/log/index'
import { callText, type Said } from './fingerprint.ts'

type Names = ReadonlyMap<string, string>

/**
 * Some clients give calls their own ids. Maps each id of theirs to the id of ours in the same reply: first by
 * equal id, then by tool and arguments, then by order.
 */
export function renamedCalls(ours: Content, theirs: Content): Names {
  const left = callsIn(ours)
  const renamed = new Map<string, string>()
  const take = (call: ToolCallPart, place: number) => {
    const [taken] = place === -1 ? [] : left.splice(place, 1)
    if (taken) renamed.set(call.toolCallId, taken.toolCallId)
  }
  const waysToTell: ((one: ToolCallPart, other: ToolCallPart) => boolean)[] = [
    (one, other) => one.toolCallId === other.toolCallId,
    (one, other) => callText(one) === callText(other),
    () => true,
  ]
  for (const isSameCall of waysToTell)
    for (const call of callsIn(theirs))
      if (!renamed.has(call.toolCallId))
        take(
          call,
          left.findIndex(other => isSameCall(other, call)),
        )
  return renamed
}

export function namesOfCalls(messages: readonly Said[]): Names {
  const calls = messages.flatMap(({ content }) => callsIn(content))
  return new Map(calls.map(({ toolCallId, toolName }) => [toolCallId, toolName]))
}

/** Gives a tool result the id of our call, and the tool's name if the result came without its call. */
export function withOurCalls<Message extends Said>(message: Message, ids: Names, names: Names): Message {
  const { role, content } = message
  if (role !== 'tool' || typeof content === 'string') return message
  return { ...message, content: content.map(part => withOurCall(part, ids, names)) }
}

function withOurCall(part: ContentPart, ids: Names, names: Names): ContentPart {
  if (part.type !== 'tool-result') return part
  const toolCallId = ids.get(part.toolCallId) ?? part.toolCallId
  const toolName = part.toolName ?? names.get(toolCallId)
  return { ...part, toolCallId, ...(toolName !== undefined && { toolName }) }
}

function callsIn(content: Content): ToolCallPart[] {
  return typeof content === 'string' ? [] : content.filter(part => part.type === 'tool-call')
}
